// The reader's own marks, each on a document, a system and spans, and how they are written into files and read again.

const markKey = ({ k, g, p }, system) => JSON.stringify([k, system, g, p]);

const isMark = (value) => value && (value.mark === "" || Object.hasOwn(MARKS, value.mark)) && typeof value.note === "string";

function plainSpan(text, span) {
  return span && { start: characters(text, span.start), end: characters(text, span.end), label: labels[span.label] };
}

// Marked documents with their gold spans, a line each: Prodigy and nereval read them, and this page does again.
function marksAsLines(marks) {
  const byDocument = new Map();
  for (const [key, { mark, note }] of marks) {
    const [k, system, g, p] = JSON.parse(key);
    const doc = documents[k];
    if (!doc || !doc[3 + system]) continue;
    const entry = { mark, note, system: systems[system], gold: plainSpan(doc[1], span(doc[2], g)), pred: plainSpan(doc[1], span(doc[3 + system][0], p)), key };
    byDocument.set(k, [...(byDocument.get(k) || []), entry]);
  }
  return [...byDocument].sort((a, b) => a[0] - b[0]).map(([k, own]) => JSON.stringify(documentAsJson(k, { marks: own }))).join("\n") + "\n";
}

function documentAsJson(k, meta) {
  const doc = documents[k];
  const spans = Array.from({ length: doc[2].length / 3 }, (_, g) => span(doc[2], g)).filter((gold) => !isInvented(k, gold)).map((gold) => plainSpan(doc[1], gold));
  return { ...(doc[0] === null ? {} : { id: doc[0] }), text: textOf(k) ?? "", spans, meta: { document: k + 1, report: data.digest, ...meta } };
}

// The marks of a file, with how many lines are no marks on this report.
function marksIn(text) {
  const found = [];
  let refused = 0;
  for (const line of text.split("\n").filter((each) => each.trim())) {
    try {
      const { meta } = JSON.parse(line);
      if (meta.report !== data.digest) throw new TypeError();
      for (const { mark, note, key } of meta.marks) {
        const [k, system, g, p] = JSON.parse(key);
        if (!isMark({ mark, note }) || !documents[k] || !systems[system] || !Number.isInteger(g) || !Number.isInteger(p)) throw new TypeError();
        found.push([markKey({ k, g, p }, system), { mark, note }]);
      }
    } catch {
      refused += 1;
    }
  }
  return { found, refused };
}
