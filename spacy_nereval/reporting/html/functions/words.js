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
