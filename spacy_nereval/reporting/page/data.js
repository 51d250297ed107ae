// The data of the page, which `packed_json` in pages.py compressed: about a fifth of their JSON. Browsers have
// DecompressionStream since 2023.

const packed = Uint8Array.from(atob(document.getElementById("data").textContent), (byte) => byte.charCodeAt(0));
const data = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
