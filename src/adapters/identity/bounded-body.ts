/** Bodies of answers from outside, of which no more is read than an answer may have. */

/** The body as text; null where it is longer than `mostBytes`. @throws whatever the connection fails with meanwhile */
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
