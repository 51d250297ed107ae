// What is copied or saved.

// A spreadsheet would run a cell that begins like a formula, so such a cell gets an apostrophe.
const csvCell = (value) => {
  const text = value === null ? "" : String(value);
  const safe = /^[=+\-@\t\r]/.test(text) && typeof value === "string" ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", { class: "hidden", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  $("notice").textContent = `${what} copied.`;
}

function save(text, file) {
  const link = make("a", { download: file, href: URL.createObjectURL(new Blob([text], { type: "text/plain" })) });
  link.click();
  URL.revokeObjectURL(link.href);
  $("notice").textContent = `Saved as ${file}.`;
}

// The number of characters before an offset, as programs other than browsers count them.
const characters = (text, offset) => (text === null ? offset : [...text.slice(0, offset)].length);
