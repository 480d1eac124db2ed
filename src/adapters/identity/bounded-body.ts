/** Reads bodies of external answers up to a maximum size. */

/** Reads the body as text; null if it exceeds `mostBytes`. @throws errors of the connection */
export async function bodyWithin(response: Response, mostBytes: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  if (response.body === null) return '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > mostBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
