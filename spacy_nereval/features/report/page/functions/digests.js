// The digest of a document and its gold spans, the same as of `gold_digest` in corrections.py. Marks refer to it.

const contents = new Map(); // by the number of a document, the input of its digest; computed when needed
function contentOf(k) {
  if (!contents.has(k)) {
    const text = documents[k][1];
    const spans = goldsOf(k).filter((gold) => !isInvented(k, gold)).map((gold) => [characters(text, gold.start), characters(text, gold.end), labels[gold.label]]);
    const before = (a, b) => a[0] - b[0] || a[1] - b[1] || compareCharacters(a[2], b[2]);
    contents.set(k, JSON.stringify([documents[k][0], textOf(k) ?? "", spans.sort(before)]));
  }
  return contents.get(k);
}

// Compares texts by code points instead of UTF-16 units.
function compareCharacters(a, b) {
  const [one, other] = [[...a], [...b]].map((each) => each.map((character) => character.codePointAt(0)));
  const at = one.findIndex((code, i) => code !== other[i]);
  return at < 0 ? one.length - other.length : one[at] - (other[at] ?? -1);
}

const digestOf = (k) => sha256(contentOf(k)).slice(0, 12);

// The documents with the same content as another one, in their order.
const alike = new Map();
function copiesOf(k) {
  if (!alike.size) documents.forEach((_, each) => alike.set(contentOf(each), [...(alike.get(contentOf(each)) || []), each]));
  return alike.get(contentOf(k));
}

// The document of a mark: the one with its number if nothing has moved, or any other with its digest.
const byDigest = new Map();
function documentOf({ digest, copy, document: number }) {
  let k = number - 1;
  if (!documents[k] || digestOf(k) !== digest) {
    if (!byDigest.size) documents.forEach((_, each) => byDigest.set(digestOf(each), each));
    k = byDigest.get(digest);
  }
  return k === undefined ? undefined : copiesOf(k)[copy ?? 0];
}

// SHA-256 in hexadecimal digits (FIPS 180-4), since browsers offer theirs only in secure contexts.
const PRIMES = Array.from({ length: 311 }, (_, n) => n + 2).filter((n) => Array.from({ length: 16 }, (_, d) => d + 2).every((d) => d >= n || n % d));
const fraction = (root) => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
const ROUNDS = PRIMES.slice(0, 64).map((prime) => fraction(Math.cbrt(prime)));
const turned = (word, by) => (word >>> by) | (word << (32 - by));

function sha256(text) {
  const bytes = new TextEncoder().encode(text);
  const padded = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 9) / 64) * 64));
  bytes.forEach((byte, i) => padded.setUint8(i, byte));
  padded.setUint8(bytes.length, 0x80);
  padded.setUint32(padded.byteLength - 8, Math.floor(bytes.length / 2 ** 29));
  padded.setUint32(padded.byteLength - 4, bytes.length * 8);
  const hash = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
  const w = new Int32Array(64);
  for (let block = 0; block < padded.byteLength; block += 64) {
    for (let i = 0; i < 16; i++) w[i] = padded.getInt32(block + 4 * i);
    for (let i = 16; i < 64; i++) {
      const [a, b] = [w[i - 15], w[i - 2]];
      w[i] = w[i - 16] + w[i - 7] + (turned(a, 7) ^ turned(a, 18) ^ (a >>> 3)) + (turned(b, 17) ^ turned(b, 19) ^ (b >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = hash;
    for (let i = 0; i < 64; i++) {
      const first = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[i] + w[i]) | 0;
      const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => (hash[i] = (hash[i] + word) | 0));
  }
  return hash.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}
