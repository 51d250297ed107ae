// Copy text to the clipboard, or save it as a file.

async function copy(text, what) {
  let copied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", { class: "hidden", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    copied = document.execCommand("copy");
    area.remove();
  }
  $("notice").textContent = copied ? `${what} copied.` : `This browser refuses to copy. ${what}: not copied.`;
}

function save(text, file) {
  const link = make("a", { download: file, href: URL.createObjectURL(new Blob([text], { type: "text/plain" })) });
  link.click();
  URL.revokeObjectURL(link.href);
  $("notice").textContent = `Saved as ${file}.`;
}
