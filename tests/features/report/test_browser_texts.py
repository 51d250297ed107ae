"""How the report shows errors and documents in a real browser: lines that fit, and texts of all kinds, unchanged."""

import pytest
from browsers import RECTS, WITHOUT_FLAGS, Browser, Keys, needs_browser
from driven import DOCUMENTS
from pages import small, system

from spacy_nereval import Document, Span

pytestmark = needs_browser

LONG = "PhysicalObject/EmittingObject/ElectricCoolingObject/HouseholdRefrigeratorWithFreezer"
LINES = ".scroll:has(> .lines)", "e.scrollWidth - e.clientWidth"
TIP = "return document.getElementById('tip').checkVisibility() && document.getElementById('tip').textContent"


@pytest.fixture
def long(browser, made) -> Browser:
    """Two systems whose labels are too long for the list."""
    text = "The old air conditioner of the second floor does not cool any more."
    gold = [(8, 23, LONG), (48, 56, "creative-work")]
    first = [Document(gold, [(8, 23, "creative-work"), (48, 56, "creative-works")], text, id=f"{k}") for k in range(30)]
    second = [Document(gold, [(4, 23, LONG), (24, 26, "corporation")], text, id=f"{k}") for k in range(30)]
    browser.visit(made("long", system("first.jsonl", *first), system("second.jsonl", *second)), anchor="#one=0")
    return browser


def test_the_list_fits_its_box_and_what_is_cut_shows_whole_on_hover_and_on_focus(long):
    assert long.each(*LINES) == [0]
    long("document.querySelector('.lines tbody tr').focus()")
    long.press("j", "k")
    assert long(TIP) == LONG
    cells = long.each(".lines tbody tr:first-child td.said", "e.title")
    assert cells == [LONG, "creative-work", "label error"]
    long.press("j")
    assert long(TIP) is False, "nothing is cut in a line of short labels"
    long.press("k", Keys.ESCAPE)
    assert long(TIP) is False
    long("document.querySelector('#matrix button').focus()")
    long.press(Keys.ARROW_RIGHT)
    assert LONG in long(TIP)
    long("document.activeElement.blur()")
    assert long(TIP) is False


def test_changes_have_a_bar_for_gold_and_one_in_the_colour_of_each_system(long):
    long.choose("#other", "B: second.jsonl")
    assert long.each(*LINES) == [0]
    bars = long.each(".lines tbody tr:first-child .m", "e.style.background")
    assert any("--system-0" in bar and "--soft" in bar and "--system-1" in bar for bar in bars), bars
    shown = long.each("#legend b", "[e.textContent, e.className]")
    assert shown == [["A", "system-0"], ["B", "system-1"]]
    assert long.all(".lines .triage") == []


def test_the_list_names_documents_and_its_contexts_end_at_words(browser, made):
    text = "wonderful 😀😀 " * 20 + "Bob" + " 😃 marvellous" * 20
    start = text.index("Bob")
    documents = [Document([(start, start + 3, "A")], [], text, id="tweet-1"), Document([(0, 9, "A")], [], text)]
    browser.open(made("context", system("context", *documents)), anchor="#view=errors")
    assert [each.text for each in browser.all(".lines .where")] == ["tweet-1", "2"]
    sides = ".lines tbody tr:first-child .kwic > *", "[e.textContent, e.scrollWidth - e.clientWidth]"
    (before, over), (after, beyond) = browser.each(*sides)
    assert over <= 0 >= beyond, "nothing is cut by the box"
    assert before.startswith("… ") and {*before.split()} <= {"…", "wonderful", "😀😀"}
    assert after.endswith(" …") and {*after.split()} <= {"…", "Bob", "😃", "marvellous"}
    narrow = {"width": 1040, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", narrow)
    browser.until(lambda: 0 < len(browser.each(*sides)[0][0]) < len(before))


def test_a_line_break_does_not_break_the_line_of_an_error(browser, made):
    document = Document([(21, 32, "PER")], [], "first line\nsecond   \nAda and\nBob\nthen")
    browser.visit(made("breaks", system("breaks", document)), anchor="#view=errors")
    height, text = browser("const e = document.querySelector('.kwic'); return [e.clientHeight, e.textContent]")
    assert height < 40 and text == document.text


def test_flags_stand_behind_words_and_what_the_text_lacks_stands_apart(browser, made):
    text = "The Navy's \u0645\u062f\u06cc\u0646\u0647\u200c\u0627\u06cc 北京市 office"
    spans = [(4, 6, "A"), (4, 8, "B"), (11, 14, "C"), (20, 22, "D")]
    document = Document([(0, 3, "X")], [(0, 3, "X"), *spans, (len(text) + 1, len(text) + 4, "PER")], f"{text}\nEve")
    document.annex = len(text)
    browser.visit(made("words", system("words", document)), anchor=DOCUMENTS + "&wrong=false")
    assert browser.text_of(1) == document.text
    before = browser("""return [...document.querySelectorAll('#doc-1 .flag')].map(flag => {
      const range = new Range(); range.setStart(flag.closest('.text'), 0); range.setEndBefore(flag);
      const copy = range.cloneContents(); copy.querySelectorAll('.flag').forEach(e => e.remove());
      return [flag.querySelector('bdi').textContent, copy.textContent] })""")
    ends = {"X": 3, "A": 10, "B": 10, "C": 19, "D": 22, "PER": len(text) + 4}
    assert {label: len(said) for label, said in before} == ends
    ((text, title),) = browser.each("#doc-1 .annex", "[e.textContent, getComputedStyle(e, '::before').content]")
    assert text.startswith("Eve") and title == '"Not in the text"'
    browser.click("#view-errors")
    assert "not in the text: Eve" in " ".join(browser["#list"].text.split())


HARD = (
    "في عام ٢٠٢٠ زار أحمد مدينة القاهرة مع شركة Google الأمريكية.",
    "בשנת 2020 ביקר דוד בן גוריון בתל אביב עם IBM.",
    "او می\u200cرود به خانه\u200cی بزرگ در تهران",
    "👩\u200d👩\u200d👧 met 🧑🏽\u200d🚀 in Paris \u200e(France)\u200f 😀",
    "東京都の山田太郎は日本放送協会に行きました",
    "evil \u202eoverride\u202c text\nline\ttwo \x00\x1b[2J\x85 end\r\nlast",
    " ".join(f"Ada{k}" for k in range(400)),
    "x" * 5_000 + " Ada " + "y" * 5_000,
    "",
)
"""Texts that a page easily changes: other directions, joiners, marks, controls, and long ones."""


def marked(text: str) -> Document:
    """Spans over a text that nest, cross, touch and cut words."""
    n = len(text)
    spans = [(0, n // 2, "A"), (n // 4, n // 3, "B"), (n // 3, n // 3 + 1, "A"), (n, n, "C")] if n > 3 else []
    pred = [(n // 8, n // 2 + 1, "A"), (n // 4, n // 3, "B"), (n // 3, n // 3 + 1, "B")] if n > 3 else []
    return Document(spans, pred, text)


MANY = Document([(4 * k, 4 * k + 3, "A") for k in range(400)], [(0, 3, "A")], "Ada " * 400)
HARD_SYSTEM = system("hard", *map(marked, HARD), MANY)


def test_the_text_shown_is_the_text_in_its_own_direction(browser, made):
    browser.visit(made("hard", HARD_SYSTEM), anchor=DOCUMENTS + "&wrong=false")
    texts = [document[1] for document in browser.data["documents"]]
    assert texts == [*HARD, MANY.text]
    assert browser(WITHOUT_FLAGS + "return arguments[0].map((each, k) => text(k + 1).textContent)", texts) == texts
    assert len(browser.visible_text_of(8)) < 1_500
    assert len(browser.visible_text_of(10)) < 1_400
    assert browser.each(".text", "e.dir")[:5] == ["rtl"] * 3 + ["ltr"] * 2
    assert not browser.all(".text > bdi")
    signs = browser.each("#doc-6 .unseen", "e.dataset.sign")
    assert signs == ["RLO", "␀", "␛", "U+0085", "␍"]
    assert browser("return getComputedStyle(document.querySelector('#doc-6 .break'), '::before').content") == '"↵"'
    browser.click("#doc-8 .fold")
    assert browser.visible_text_of(8) == HARD[7]
    assert browser.focused == "doc-8"
    browser.click("#doc-10 .fold")
    assert browser.visible_text_of(10) == "Ada " * 400


DIFFERENCE = """const [done, ...shots] = [...arguments].reverse();
Promise.all(shots.map(async shot => {
  const image = await createImageBitmap(new Blob([Uint8Array.from(atob(shot), c => c.charCodeAt(0))]));
  const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
  canvas.drawImage(image, 0, 0);
  return canvas.getImageData(0, 0, image.width, image.height).data;
})).then(([a, b]) => done([a.length === b.length,
  a.reduce((sum, value, k) => sum + Math.abs(value - b[k]), 0) / a.reduce((sum, value) => sum + 255 - value, 0)]))"""
"""Whether two screenshots are of one size, and how much they differ, as a share of the ink."""


def test_marks_change_no_letter(browser, made):
    browser.visit(made("hard", HARD_SYSTEM), anchor=DOCUMENTS + "&wrong=false")
    browser.soil()
    plain = """document.querySelectorAll('.flag').forEach(e => e.remove());
      const element = document.querySelector(`#doc-${arguments[0]} .text`);
      element.querySelectorAll('.m').forEach(e => { e.style.background = 'none' });
      element.scrollIntoView({block: 'center'});"""
    bare = plain + "element.textContent = arguments[1];"
    for number in range(1, 6):
        shots = []
        for script in (plain, bare):
            browser(script, number, HARD[number - 1])
            shots.append(browser[f"#doc-{number} .text"].screenshot_as_base64)
        same_size, difference = browser.driver.execute_async_script(DIFFERENCE, *shots)
        assert same_size
        assert difference < 0.2, HARD[number - 1]  # letters begin at other fractions of a pixel


def test_bars_run_over_every_line_and_one_mark_says_what_both_sides_share(browser, made):
    text = "The Bank of New York opened " + "a long office of many words " * 12 + "end"
    gold = [(4, 20, "ORG"), (12, 20, "LOC"), (30, 340, "ORG")]
    pred = [(4, 20, "ORG"), (12, 27, "LOC"), (0, 3, "PER"), (40, 300, "ORG")]
    twice = Document([(0, 3, "PER"), (4, 10, "ORG")], [(0, 10, "PER")], "Ada Google")
    path = made("nested", system("nested", Document(gold, pred, text), twice))
    for width in (1280, 390):
        browser.visit(path, width=width, anchor=DOCUMENTS)
        flags = ["PER spurious", "ORG ✓", "LOC longer than gold", "ORG shorter than gold"]
        assert browser.each("#doc-1 .flag") == flags
        assert browser.each("#doc-2 .flag") == ["PER longer than gold", "ORG → PER, boundaries"]
        bars = browser(
            """return [...document.querySelectorAll('#doc-1 .m')].filter(e => !e.querySelector('.flag')).map(e =>
                 [e.textContent, e.style.background.split('no-repeat').length - 1, e.getClientRects().length])"""
        )
        places = [(words, n) for words, n, _ in bars]
        assert places[:4] == [("The", 1), ("Bank of ", 1), ("New York", 3), (" opened", 1)]
        assert [n for _, n in places[4:]] == [1, 2, 1]
        assert max(lines for _, _, lines in bars) > 1  # one element, so its bars are on all of these lines
        ((_, most, _, _),) = browser(RECTS, "#doc-1 .text")
        assert all(right <= most + 1 for _, right, _, _ in browser(RECTS, "#doc-1 .flag"))
    assert browser["#doc-1 .flag:nth-of-type(1)"].get_attribute("title").startswith("predicted PER 0 to 3")


def test_documents_without_a_text_or_an_id_show_their_spans(browser, made):
    bare = system("bare", Document([(5, 9, "A")], [(5, 8, "A")]), metrics=["strict", "fair"])
    browser.visit(made("bare", bare))
    assert browser[".lines td:nth-child(2)"].text == "5–9"
    browser.click("#view-documents")
    assert browser.text_of(1) == "no text: 5–9  "


def test_offsets_behind_characters_of_two_units_are_right(browser, made):
    browser.visit(made("small", small()), anchor=DOCUMENTS + "&wrong=false")
    assert [element.text for element in browser.all("#doc-4 .m")] == ["😀 ", "Acme"]


@pytest.mark.parametrize("width", [390, 1280])
def test_gaps_attributes_and_the_bars_of_both_sides_are_seen_on_every_screen(browser, made, width):
    """Gold is `chest … pain`, negated and with a link; the prediction goes on in the gap and has another link."""
    gap, hull, rash = Span.of_pieces([(7, 12), (26, 30)], "SIGN"), Span(7, 30, "SIGN"), Span(32, 36, "SIGN")
    document = Document([gap, rash], [hull, rash], "Denies chest or abdominal pain. Rash.", id="a")
    negated, link, other = ("negated", "true"), ("kb_id", "C1"), ("kb_id", "C2")
    document.attributes = (
        {gap: frozenset({(link, negated)}), rash: frozenset({(negated,)})},
        {hull: frozenset({(other, negated)})},
    )
    browser.open(made("gaps", system("hulls.jsonl", document), alone=True), width=width, anchor="#list-errors")
    assert browser.each(".lines .said") == [
        "SIGN (kb_id=C1, negated)",
        "SIGN (kb_id=C2, negated)",
        "longer than gold, both boundaries correct",
    ]
    assert browser.each(".lines td.said:not(.words)", "e.title") == browser.each(".lines td.said:not(.words)")
    (box,), stretches = browser(RECTS, ".lines .kwic"), browser(RECTS, ".lines .kwic .m")
    assert len(stretches) == 3, "a piece, the gap and a piece"
    assert box[3] >= max(bottom for *_, bottom in stretches), "the bar of the prediction is not cut off"
    browser.click("#view-documents")
    assert browser.each("article .flag") == [
        "SIGN (kb_id=C1, negated) longer than gold, predicted (kb_id=C2, negated)",
        "SIGN (negated) ✓, predicted without attributes",
    ]
