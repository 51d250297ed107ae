// Texts for other programs: cells of CSV, and offsets that count characters.

// A spreadsheet would run a cell that begins like a formula, so such a cell gets an apostrophe.
const csvCell = (value) => {
  const text = value === null ? "" : String(value);
  const safe = /^[=+\-@\t\r]/.test(text) && typeof value === "string" ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

// The number of characters before an offset, as programs other than browsers count them.
const characters = (text, offset) => (text === null ? offset : [...text.slice(0, offset)].length);
