/** Compresses constant public documents. Nothing else is compressed, because the length of a compressed answer reveals secrets in it. */
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Minimum size in bytes. Smaller documents fit the first packets anyway. */
const WORTHWHILE_BYTES = 16 * 1024;
const compress = promisify(gzip);

/** True if an `Accept-Encoding` accepts gzip with a weight above zero. */
export function acceptsGzip(accepted: string | string[] | undefined): boolean {
  return String(accepted ?? '')
    .split(',')
    .some((one) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(one));
}

type Document = string | Buffer | Readable;

/** Returns the `onSend` hook of routes with the same document for everybody. Each document is compressed once. */
export function compressesDocuments() {
  const known = new Map<string, Promise<Buffer>>();
  function compressOnce(name: string, document: Document): Promise<Buffer> {
    const found = known.get(name);
    if (found !== undefined) {
      if (isStream(document)) document.destroy();
      return found;
    }
    const made = (isStream(document) ? buffer(document) : Promise.resolve(document)).then((whole) => compress(whole));
    known.set(name, made);
    made.catch(() => known.delete(name));
    return made;
  }
  return async ({ method, headers, routeOptions }: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> => {
    reply.header('vary', [reply.getHeader('vary') ?? [], 'Accept-Encoding'].flat().join(', '));
    if (method !== 'GET' || reply.statusCode !== 200 || !isDocument(payload) || !acceptsGzip(headers['accept-encoding'])) return payload;
    const bytes = isStream(payload) ? Number(reply.getHeader('content-length')) : Buffer.byteLength(payload);
    if (!(bytes >= WORTHWHILE_BYTES)) return payload;
    // Never by the request's URL, which a stranger can spell in many ways.
    const name = [routeOptions.url, reply.getHeader('content-type'), reply.getHeader('etag'), bytes].join(' ');
    const small = await compressOnce(name, payload);
    reply.removeHeader('accept-ranges').headers({ 'content-encoding': 'gzip', 'content-length': small.length });
    return small;
  };
}

const isStream = (payload: unknown): payload is Readable => typeof (payload as Readable | null)?.pipe === 'function';
const isDocument = (payload: unknown): payload is Document => typeof payload === 'string' || Buffer.isBuffer(payload) || isStream(payload);
