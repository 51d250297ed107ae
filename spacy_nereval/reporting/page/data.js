// The data of the page, which `packed_json` in pages.py compressed: about a fifth of their JSON. Browsers have
// DecompressionStream since 2023; older ones show what those without scripts do, and say why.

if (!globalThis.DecompressionStream) {
  // Of a browser that runs scripts, `noscript` holds text: it becomes the elements that it is without them.
  for (const element of document.querySelectorAll("noscript")) element.outerHTML = element.textContent;
  for (const element of document.querySelectorAll(".why-static")) {
    element.textContent = "This browser is too old for the scripts of this page, which need one of 2023 or later";
  }
  return;
}
const packed = Uint8Array.from(atob(document.getElementById("data").textContent), (byte) => byte.charCodeAt(0));
const data = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
