/**
 * Private socket of the signer process. It accepts only ids of prepared transactions and requests to the spot exchange, each signed by the
 * worker.
 */
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import http from 'node:http';
import { dirname } from 'node:path';
import type { Clock } from '../../../../streams/clock/clock.ts';
import { type ExchangeRequest, readExchangeRequest } from '../../../domain/orders/exchange-request.ts';
import { isUuid } from '../../../domain/values/ids.ts';
import type { SignerAnswer, SignerClient, ExchangeSignature, ExchangeSigner } from './protocol.ts';

const MAX_BYTES = 16 * 1024;
const ANSWER_MS = 6_000;
/** Maximum length of a socket path, slightly below the operating systems' limits. */
const LONGEST_PATH = 100;
const SIGNATURE = /^[A-Za-z0-9+/]{86}==$/;

/** HTTP path of requests to the spot exchange. */
const EXCHANGE_PATH = '/exchange';

type Answer = SignerAnswer | ExchangeSignature;

/** Parses a JSON object with exactly the given member and `signature`, in this order; null otherwise. */
function readSigned(text: string, name: string): { readonly value: unknown; readonly signature: string } | null {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null || Object.keys(body).join() !== `${name},signature`) return null;
    const { [name]: value, signature } = body as Readonly<Record<string, unknown>>;
    return typeof signature === 'string' && SIGNATURE.test(signature) ? { value, signature } : null;
  } catch {
    return null;
  }
}

/** Parses `{"orderId":"<uuid>","signature":"<base64 of 64 bytes>"}`; null for any other text. */
function readAsked(text: string): { readonly orderId: string; readonly signature: string } | null {
  const { value: orderId, signature } = readSigned(text, 'orderId') ?? {};
  return typeof orderId === 'string' && isUuid(orderId) && signature !== undefined ? { orderId, signature } : null;
}

/** Parses `{"request":{…},"signature":"<base64 of 64 bytes>"}`; null for any other text. */
function readExchangeAsked(text: string): { readonly request: ExchangeRequest; readonly signature: string } | null {
  const { value, signature } = readSigned(text, 'request') ?? {};
  const request = readExchangeRequest(value);
  return request !== null && signature !== undefined ? { request, signature } : null;
}

/** Signs a request; null if it is of neither kind. */
function answerTo(options: SignerClient & ExchangeSigner, path: string | undefined, text: string): Promise<Answer> | null {
  if (path === EXCHANGE_PATH) {
    const asked = readExchangeAsked(text);
    return asked && options.signRequest(asked.request, asked.signature);
  }
  const asked = path === '/' ? readAsked(text) : null;
  return asked && options.sign(asked.orderId, asked.signature);
}

/** Listens on a socket that only this user can open. @throws Error with one sentence if the path is too long */
export async function listenAsSigner(options: {
  readonly path: string;
  readonly sign: SignerClient['sign'];
  readonly signRequest: ExchangeSigner['signRequest'];
  /** Receives errors that were answered with `unavailable`. */
  readonly onError: (error: unknown) => void;
}): Promise<{ close(): Promise<void> }> {
  const { path } = options;
  if (Buffer.byteLength(path) > LONGEST_PATH)
    throw new Error(`the signer's socket ${path} has a longer name than sockets may have: set SEVENGATE_HOME to a shorter path`);
  const server = http.createServer((incoming, response) => {
    const answer = (status: number, body: Answer): void => {
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
      const asked = incoming.method === 'POST' ? answerTo(options, incoming.url, Buffer.concat(chunks).toString('utf8')) : null;
      if (asked === null)
        return answer(400, {
          outcome: 'refused',
          code: 'malformed',
          detail:
            'the signer takes {"orderId":"<id>","signature":"<base64>"} alone, and {"request":{},"signature":"<base64>"} at /exchange',
        });
      asked.then(
        (given) => answer(200, given),
        (error: unknown) => {
          options.onError(error);
          answer(200, { outcome: 'unavailable', reason: 'internal', detail: 'the signer could not read its data' });
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

/** Creates the client of a signer that listens at `path`. */
export function signerAt(path: string, clock: Pick<Clock, 'now' | 'deadline'>): SignerClient & ExchangeSigner {
  return {
    sign: (orderId, signature) => asked<SignerAnswer>(path, clock, '/', { orderId, signature }),
    signRequest: (request, signature) => asked<ExchangeSignature>(path, clock, EXCHANGE_PATH, { request, signature }),
  };
}

function asked<Given extends Answer>(
  socketPath: string,
  clock: Pick<Clock, 'now' | 'deadline'>,
  path: string,
  body: object,
): Promise<Given | Silence> {
  return new Promise((resolve) => {
    const request = http.request({ socketPath, path, method: 'POST', headers: { 'content-type': 'application/json' } });
    const settle = (answer: Given | Silence): void => {
      stop();
      resolve(answer);
    };
    const stop = clock.deadline(clock.now() + ANSWER_MS, () => {
      settle({ outcome: 'unavailable', reason: 'timeout', detail: 'the signer did not answer in time' });
      request.destroy();
    });
    request.on('error', () => settle({ outcome: 'unavailable', reason: 'unreachable', detail: 'the signer process cannot be reached' }));
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => settle({ outcome: 'unavailable', reason: 'unreachable', detail: 'the answer of the signer was cut off' }));
      response.on('end', () => settle(readAnswer<Given>(Buffer.concat(chunks).toString('utf8'))));
    });
    request.end(JSON.stringify(body));
  });
}

type Silence = Extract<Answer, { readonly outcome: 'unavailable' }>;

function readAnswer<Given extends Answer>(text: string): Given | Silence {
  try {
    const answer = JSON.parse(text) as Given;
    if (['signed', 'refused', 'unavailable'].includes(answer.outcome)) return answer;
  } catch {
    // Reported below.
  }
  return { outcome: 'unavailable', reason: 'malformed', detail: 'the answer of the signer cannot be read' };
}
