"""Readers find answers: one click from the front page, and among the first three pages that the site's search has.

The search is that of Material for MkDocs: lunr, with these boosts; a page is ranked by its best section.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from places import ROOT, script
from processes import python

INDEX = (ROOT / "docs" / "index.md").read_text(encoding="utf8")

QUESTIONS = {
    "Which metric should I use?": ("how-to/choose-metric", ""),
    "What do strict, exact, partial and type mean?": ("reference/metrics", "semeval"),
    "Why is my F1 not that of seqeval?": ("explanation/other-tools", "seqeval"),
    "Why is my F1 not that of nervaluate?": ("explanation/other-tools", "nervaluate"),
    "Why is my F1 not spaCy's ents_f?": ("explanation/other-tools", "spacy"),
    "Micro, macro or weighted?": ("how-to/choose-metric", "averages-micro-macro-weighted"),
    "How do I get a confidence interval?": ("explanation/intervals", ""),
    "Is B significantly better than A?": ("how-to/compare", ""),
    "How many test documents do I need?": ("how-to/sample-size", ""),
    "How do I compare several seeds?": ("how-to/compare", "training-runs"),
    "How do I compare on several data sets?": ("how-to/compare", "data-sets"),
    "How do I read or run a leaderboard?": ("how-to/leaderboard", ""),
    "How do I use it in a Trainer or in PyTorch?": ("how-to/training-loop", ""),
    "How do I use it in spacy train, and choose model-best?": ("how-to/spacy-model", "train"),
    "My LLM gives names without offsets": ("how-to/language-models", ""),
    "My LLM gives raw text": ("how-to/language-models", "raw-answers"),
    "How do I evaluate PII detection?": ("how-to/pii", ""),
    "Are nested entities scored?": ("how-to/attributes", "nested-entities"),
    "Are discontinuous entities scored?": ("how-to/gaps", ""),
    "Are negation, attributes and entity links scored?": ("how-to/attributes", ""),
    "What is the inter-annotator agreement?": ("how-to/agreement", ""),
    "Is the gold annotation wrong, and how do I fix it?": ("how-to/review", ""),
    "Which errors does my model make?": ("how-to/errors", ""),
    "Which score threshold is best?": ("how-to/thresholds", ""),
    "How do I block a bad model in CI?": ("how-to/gate", ""),
    "My corpus is too large": ("how-to/large-corpora", ""),
    "Which formats are read, and how do I convert?": ("reference/formats", ""),
    "What happens to partly annotated texts?": ("explanation/questions", "partial-annotation"),
    "What do I write in a paper, and how do I cite?": ("how-to/paper", ""),
    "pandas, LaTeX, JSON, my own metric": ("how-to/notebook", ""),
}
"""What users of NER ask, and the page and the heading that answer it."""

WORDS = {
    "compute_metrics": "how-to/training-loop",
    "Trainer": "how-to/training-loop",
    "PyTorch": "how-to/training-loop",
    "PII": "how-to/pii",
    "anonymization": "how-to/pii",
    "de-identification": "how-to/pii",
    "BibTeX": "how-to/paper",
    "cite": "how-to/paper",
    "significance": "how-to/compare",
    "significance test": "how-to/compare",
    "permutation test": "how-to/compare",
    "seeds": "how-to/compare",
    "sample size": "how-to/sample-size",
    "power analysis": "how-to/sample-size",
    "threshold": "how-to/thresholds",
    "calibration": "how-to/thresholds",
    "annotator agreement": "how-to/agreement",
    "IAA": "how-to/agreement",
    "krippendorff": "how-to/agreement",
    "kappa": "how-to/agreement",
    "confidence interval": "explanation/intervals",
    "bootstrap": "explanation/intervals",
    "nested": "how-to/attributes",
    "discontinuous": "how-to/gaps",
    "negation": "how-to/attributes",
    "entity linking": "how-to/attributes",
    "LLM": "how-to/language-models",
    "hallucination": "how-to/language-models",
    "seqeval": "explanation/other-tools",
    "nervaluate": "explanation/other-tools",
    "macro": "how-to/choose-metric",
    "which metric": "how-to/choose-metric",
    "checkpoint": "how-to/spacy-model",
    "spacy train": "how-to/spacy-model",
    "wandb": "how-to/spacy-model",
    "CI": "how-to/gate",
    "leaderboard": "how-to/leaderboard",
    "error analysis": "how-to/errors",
    "label errors": "how-to/review",
    "pandas": "how-to/notebook",
    "LaTeX": "how-to/notebook",
    "brat": "reference/formats",
    "convert": "reference/formats",
    "spark": "how-to/large-corpora",
    "custom metric": "how-to/own-metric",
    "install": "how-to/install",
    "p-value": "how-to/compare",
    "GPT": "how-to/language-models",
    "privacy": "explanation/questions",
    "regression": "how-to/gate",
    "cross-validation": "how-to/leaderboard",
    "confusion matrix": "how-to/errors",
    "speed": "explanation/performance",
    "model card": "how-to/paper",
    "exact match": "how-to/choose-metric",
    "F1 score": "how-to/choose-metric",
    "pseudonymization": "how-to/pii",
    "hugging face": "how-to/training-loop",
    "inter-annotator agreement": "how-to/agreement",
}
"""What readers type into the search, and the page that they need."""


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_front_page_links_to_the_answer(question):
    page, heading = QUESTIONS[question]
    link = f"({page}.md{heading and f'#{heading}'})"
    assert link in INDEX, f"{question} {link}"
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf8")
    headings = re.findall(r"^#+ (.*)$", text, flags=re.M)
    anchors = [re.sub(r"[^\w -]", "", each.lower()).strip().replace(" ", "-") for each in headings]
    assert not heading or heading in anchors


def test_there_are_thirty_questions():
    assert len(QUESTIONS) == 30


# The search of the site


BOOSTS = {"title": 1000, "text": 1, "tags": 1_000_000}


class Search:
    """The index that the site loads, asked as its script asks it."""

    def __init__(self, folder: Path) -> None:
        from lunr import lunr

        found = json.loads((folder / "search" / "search_index.json").read_text(encoding="utf8"))
        self.separator = re.compile(found["config"]["separator"])
        documents = [
            {"location": entry["location"], **{field: self.plain(entry.get(field, "")) for field in BOOSTS}}
            for entry in found["docs"]
        ]
        fields = [{"field_name": name, "boost": boost} for name, boost in BOOSTS.items()]
        self.index: Any = lunr(ref="location", fields=fields, documents=documents)

    def plain(self, text: str | list[str]) -> str:
        """The words of a text of the site, as its separator divides them."""
        words = " ".join(text) if isinstance(text, list) else re.sub(r"<[^>]*>", " ", text)
        return self.separator.sub(" ", words.replace("&amp;", "&").replace("&gt;", ">").replace("&lt;", "<"))

    def pages(self, words: str) -> Iterator[str]:
        """Yield the pages in the order of the results."""
        from lunr.stemmer import PorterStemmer

        stem = PorterStemmer().stem
        terms = [stem(word.lower()) for word in self.plain(words).split()]
        scores = {}
        for result in self.index.search(" ".join(f"{term}*" for term in terms)):
            matched = [any(key.startswith(term) for key in result["match_data"].metadata) for term in terms]
            boost = ("#" not in result["ref"]) + all(matched)
            scores[result["ref"]] = result["score"] * (1 + boost**2)
        ranked = sorted(scores, key=lambda ref: -scores[ref])
        yield from dict.fromkeys(ref.partition("#")[0].strip("/") for ref in ranked)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    pytest.importorskip("mkdocs", reason="the site is made with the extra 'docs'")
    pytest.importorskip("lunr", reason="the site is made with the extra 'docs'")
    folder = tmp_path_factory.mktemp("site")
    done = python("-m", "mkdocs", "build", "--quiet", "--site-dir", folder, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def search(site) -> Search:
    return Search(site)


@pytest.mark.slow
@pytest.mark.parametrize("words", WORDS)
def test_the_search_of_the_site_has_the_page_among_the_first_three(search, words):
    first = [page for page, _ in zip(search.pages(words), range(3))]
    assert WORDS[words] in first


@pytest.mark.slow
def test_pages_outside_of_the_documentation_are_not_searched(search):
    assert not [
        page for word in ("release", "changelog", "warranty") for page in search.pages(word) if "project/" in page
    ]


@pytest.mark.slow
def test_old_addresses_lead_to_the_new_ones(site):
    for old, new in script("doc_pages").MOVED.items():
        page = (site / old / "index.html").read_text(encoding="utf8")
        target = re.search(r'http-equiv="refresh" content="0; url=([^"#]*)', page)
        assert target and (site / old / target[1] / "index.html").resolve() == (
            site / new.partition("/#")[0] / "index.html"
        )
