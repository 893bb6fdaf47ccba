// Runs the script of a report, which stands in the page packed: it is two thirds of a small one.
// The policy of the page knows the digest of what comes out.
const place = document.getElementById('stepscope-code');
const unpack = async () => {
  const text = atob(place.textContent);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  const script = document.createElement('script');
  script.type = 'module';
  script.textContent = await new Response(stream).text();
  document.body.append(script);
};
unpack().catch(() => {
  document.getElementById('app').textContent =
    'This report could not be unpacked. It needs Chrome 80, Firefox 113, Safari 16.4 or a later one.';
});
