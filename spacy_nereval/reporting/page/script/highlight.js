// Marks the matches of a search, without changing the text.
function highlight() {
  if (!CSS.highlights) return;
  CSS.highlights.delete("found");
  const pattern = patternOf(state);
  if (!pattern || pattern.refused) return;
  const ranges = [];
  for (const text of $("list").querySelectorAll(".text, .kwic, h3 bdi")) {
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT, (node) =>
      (node.parentElement.closest(".flag, .fold, [hidden]") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
    const nodes = [];
    let whole = "";
    while (walker.nextNode()) {
      nodes.push([whole.length, walker.currentNode]);
      whole += walker.currentNode.data;
    }
    const place = (at) => {
      const [start, node] = nodes.findLast(([from]) => from <= at);
      return [node, at - start];
    };
    for (const match of whole.matchAll(pattern)) {
      if (!match[0] || ranges.length > 2000) break;
      const range = new Range();
      range.setStart(...place(match.index));
      const [node, last] = place(match.index + match[0].length - 1); // the offset after it may be in another element
      range.setEnd(node, last + 1);
      ranges.push(range);
    }
  }
  CSS.highlights.set("found", new Highlight(...ranges));
}
