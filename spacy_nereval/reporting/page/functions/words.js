// Word boundaries.

// The rest of the word after a span, in scripts that write spaces between words.
const REST_OF_WORD = /(?<=[\p{L}\p{N}\p{M}])(?:(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}])[\p{L}\p{N}\p{M}\u200c\u200d]|['’](?=\p{L}))+/uy;
const LONGEST_WORD = 40; // characters; a flag stays in the middle of anything longer

// The offset of a flag: after the word in which its spans end, so that it splits no word.
function behindWord(text, end) {
  REST_OF_WORD.lastIndex = end;
  const rest = REST_OF_WORD.exec(text || "");
  return rest && rest[0].length <= LONGEST_WORD ? end + rest[0].length : end;
}

// Whether an offset is between the two halves of a character.
const isWithinCharacter = (text, at) => /[\udc00-\udfff]/.test(text[at] ?? "") && /[\ud800-\udbff]/.test(text[at - 1] ?? "");

// The start of a context of at most `most` characters before an offset: the start of a word if one begins in it.
function contextStart(text, at, most) {
  const from = Math.max(0, at - most);
  if (!from) return 0;
  const space = text.slice(from - 1, at).search(/\s\S/);
  return from + (space >= 0 ? space : isWithinCharacter(text, from) ? 1 : 0);
}

// The end of a context of at most `most` characters after an offset: the end of a word if one ends in it.
function contextEnd(text, at, most) {
  const to = at + most;
  if (to >= text.length) return text.length;
  const space = text.slice(at, to + 1).search(/\s\S*$/);
  return space > 0 ? at + text.slice(at, at + space).trimEnd().length : to - (isWithinCharacter(text, to) ? 1 : 0);
}

// The texts of such contexts; "…" marks omissions.
const gap = (character) => (/\s/.test(character) ? " " : "");
function wordsBefore(text, at, most) {
  const from = contextStart(text, at, most);
  return `${from ? `…${gap(text[from - 1])}` : ""}${text.slice(from, at)}`;
}
function wordsAfter(text, at, most) {
  const to = contextEnd(text, at, most);
  return `${text.slice(at, to)}${to < text.length ? `${gap(text[to])}…` : ""}`;
}
