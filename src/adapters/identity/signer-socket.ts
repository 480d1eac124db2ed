/** The way to the signer process: a private socket of this machine that takes the id of a prepared transaction and nothing else. */
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import http from 'node:http';
import { dirname } from 'node:path';
import type { Clock } from '../../../streams/clock.ts';
import type { SignerAnswer, SignerClient } from '../../trading/ports.ts';

const MAX_BYTES = 16 * 1024;
const ANSWER_MS = 6_000;
/** The operating systems' own limit, a little below. */
const LONGEST_PATH = 100;
const SIGNATURE = /^[A-Za-z0-9+/]{86}==$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** What a request asks; null of everything but `{"orderId":"<uuid>","signature":"<base64 of 64 bytes>"}`. */
function askedOf(text: string): { readonly orderId: string; readonly signature: string } | null {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null || Object.keys(body).join() !== 'orderId,signature') return null;
    const { orderId, signature } = body as { orderId: unknown; signature: unknown };
    if (typeof orderId !== 'string' || !UUID.test(orderId) || typeof signature !== 'string') return null;
    return SIGNATURE.test(signature) ? { orderId, signature } : null;
  } catch {
    return null;
  }
}

/** Listens on a socket that only this user can open. @throws Error in one sentence where the path is too long for a socket. */
export async function listenAsSigner(options: {
  readonly path: string;
  readonly sign: SignerClient['sign'];
  /** Is told of errors that became an `unavailable`. */
  readonly onError: (error: unknown) => void;
}): Promise<{ close(): Promise<void> }> {
  const { path } = options;
  if (Buffer.byteLength(path) > LONGEST_PATH)
    throw new Error(`the signer's socket ${path} has a longer name than sockets may have: set SEVENGATE_HOME to a shorter path`);
  const server = http.createServer((incoming, response) => {
    const answer = (status: number, body: SignerAnswer): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const chunks: Buffer[] = [];
    let bytes = 0;
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) incoming.destroy();
      else chunks.push(chunk);
    });
    incoming.on('error', () => response.destroy());
    incoming.on('end', () => {
      const asked = incoming.method === 'POST' && incoming.url === '/' ? askedOf(Buffer.concat(chunks).toString('utf8')) : null;
      if (asked === null)
        return answer(400, {
          outcome: 'refused',
          code: 'malformed',
          detail: 'the signer takes {"orderId":"<id>","signature":"<base64>"} alone',
        });
      options.sign(asked.orderId, asked.signature).then(
        (given) => answer(200, given),
        (error: unknown) => {
          options.onError(error);
          answer(200, { outcome: 'unavailable', reason: 'internal', detail: 'the signer could not read what it needs' });
        },
      );
    });
  });
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  chmodSync(dirname(path), 0o700);
  rmSync(path, { force: true });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(path, listening);
  });
  chmodSync(path, 0o600);
  return {
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
        rmSync(path, { force: true });
      }),
  };
}

/** The client of a signer that listens at `path`. */
export function signerAt(path: string, clock: Pick<Clock, 'now' | 'deadline'>): SignerClient {
  return {
    sign: (orderId, signature) =>
      new Promise((resolve) => {
        const request = http.request({ socketPath: path, path: '/', method: 'POST', headers: { 'content-type': 'application/json' } });
        const settle = (answer: SignerAnswer): void => {
          stop();
          resolve(answer);
        };
        const stop = clock.deadline(clock.now() + ANSWER_MS, () => {
          settle({ outcome: 'unavailable', reason: 'timeout', detail: 'the signer did not answer in time' });
          request.destroy();
        });
        request.on('error', () =>
          settle({ outcome: 'unavailable', reason: 'unreachable', detail: 'the signer process cannot be reached' }),
        );
        request.on('response', (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', () => settle({ outcome: 'unavailable', reason: 'unreachable', detail: 'the signer broke off its answer' }));
          response.on('end', () => settle(answerOf(Buffer.concat(chunks).toString('utf8'))));
        });
        request.end(JSON.stringify({ orderId, signature }));
      }),
  };
}

function answerOf(text: string): SignerAnswer {
  try {
    const answer = JSON.parse(text) as SignerAnswer;
    if (['signed', 'refused', 'unavailable'].includes(answer.outcome)) return answer;
  } catch {
    // Told below.
  }
  return { outcome: 'unavailable', reason: 'malformed', detail: 'the signer answered with something that is no answer' };
}
