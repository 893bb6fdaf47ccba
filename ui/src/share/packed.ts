/** Data embedded in a page: gzip in base64, as `crates/export/src/html/packed.rs` writes it. */

/** Unpacks a text into bytes. */
export async function unpacked(text: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

/** Unpacks a text into the JSON value that it contains. */
export async function unpackedJson<T>(text: string): Promise<T> {
  return JSON.parse(new TextDecoder().decode(await unpacked(text))) as T;
}
