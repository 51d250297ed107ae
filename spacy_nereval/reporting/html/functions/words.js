// Where words end.

// What follows a span within the same word, in scripts that write spaces between words.
const REST_OF_WORD = /(?<=[\p{L}\p{N}\p{M}])(?:(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}])[\p{L}\p{N}\p{M}\u200c\u200d]|['’](?=\p{L}))+/uy;
const LONGEST_WORD = 40; // characters; a flag stays in the middle of anything longer

// Where a flag stands: behind the word in which its spans end, so that it splits no word.
function behindWord(text, end) {
  REST_OF_WORD.lastIndex = end;
  const rest = REST_OF_WORD.exec(text || "");
  return rest && rest[0].length <= LONGEST_WORD ? end + rest[0].length : end;
}

// Whether an offset lies between the two halves of a character.
const isWithinCharacter = (text, at) => /[\udc00-\udfff]/.test(text[at] ?? "") && /[\ud800-\udbff]/.test(text[at - 1] ?? "");

// So many characters at most of the text before an offset, from where a word begins; "…" stands for what is left out.
function wordsBefore(text, at, most) {
  const from = Math.max(0, at - most);
  if (!from) return text.slice(0, at);
  const space = text.slice(from - 1, at).search(/\s\S/);
  if (space >= 0) return `… ${text.slice(from + space, at)}`;
  return `…${text.slice(from + (isWithinCharacter(text, from) ? 1 : 0), at)}`;
}

// So many characters at most of the text after an offset, up to where a word ends.
function wordsAfter(text, at, most) {
  const to = at + most;
  if (to >= text.length) return text.slice(at);
  const space = text.slice(at, to + 1).search(/\s\S*$/);
  if (space > 0) return `${text.slice(at, at + space).trimEnd()} …`;
  return `${text.slice(at, to - (isWithinCharacter(text, to) ? 1 : 0))}…`;
}
