// Buttons that copy and save the current view.

$("copy-jsonl").addEventListener("click", () => copy(viewAsLines({ found, rows }, state), `${many(listed().length, state.view === "errors" ? "error" : "document")} as JSON lines`));
$("copy-csv").addEventListener("click", () => copy(viewAsTable({ rows }, state), `${many(rows.length, "row")} as CSV`));
$("save-jsonl").addEventListener("click", () => save(viewAsLines({ found, rows }, state), "errors.jsonl"));
const SAVED = {
  "export": ["marks.jsonl", (marks) => asJsonLines(recordsOf(marks))],
  "export-prodigy": ["marks-prodigy.jsonl", forProdigy],
  "export-label-studio": ["marks-label-studio.json", forLabelStudio],
  "export-csv": ["marks.csv", marksAsTable],
};
for (const [id, [file, written]] of Object.entries(SAVED)) {
  $(id).addEventListener("click", () => {
    save(written(marksMade), file);
    if (gapped.size && id.startsWith("export-") && id !== "export-csv") $("notice").append(" Documents with gaps are excluded: Prodigy and Label Studio cannot store them.");
    tell($("notice").textContent);
  });
}
$("import").addEventListener("change", async () => {
  const [file] = $("import").files;
  if (file) importMarks(await file.text(), file.name);
  $("import").value = "";
});
