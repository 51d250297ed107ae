// Buttons that copy and save what is shown.

$("copy-jsonl").addEventListener("click", () => copy(viewAsLines({ found, rows }, state), `${many(listed().length, state.view === "errors" ? "error" : "document")} as JSON lines`));
$("copy-csv").addEventListener("click", () => copy(viewAsTable({ rows }, state), `${many(rows.length, "row")} as CSV`));
$("save-jsonl").addEventListener("click", () => save(viewAsLines({ found, rows }, state), "errors.jsonl"));
$("export").addEventListener("click", () => save(asJsonLines(recordsOf(marksMade)), "marks.jsonl"));
$("export-prodigy").addEventListener("click", () => save(forProdigy(marksMade), "marks-prodigy.jsonl"));
$("export-label-studio").addEventListener("click", () => save(forLabelStudio(marksMade), "marks-label-studio.json"));
$("export-csv").addEventListener("click", () => save(marksAsTable(marksMade), "marks.csv"));
$("import").addEventListener("change", async () => {
  const [file] = $("import").files;
  if (file) importMarks(await file.text());
  $("import").value = "";
});
