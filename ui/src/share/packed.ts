/** Bytes inside a page: base64 of gzip, as `crates/export/src/html/packed.rs` writes them. */

/** The bytes behind a packed text. */
export async function unpacked(text: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

/** The JSON behind a packed text. */
export async function unpackedJson<T>(text: string): Promise<T> {
  return JSON.parse(new TextDecoder().decode(await unpacked(text))) as T;
}
