/** Authentication of signed requests at the simulated exchange: a known key, a current timestamp and a valid signature. */
import { createHmac, createPublicKey, verify as verifySignature } from 'node:crypto';
import { type EpochMs, MINUTE_MS } from '../../domain/values/time.ts';
import type { LoopbackAnswer, LoopbackRequest } from '../loopback.ts';

/** API key of the account. It has either a shared secret (HMAC-SHA256) or a public key (Ed25519, PEM). */
export interface ApiKey {
  readonly key: string;
  readonly secret?: string;
  readonly publicKey?: string;
  /** True if the key may trade. Default true. */
  readonly mayTrade?: boolean;
}

const DEFAULT_RECV_WINDOW_MS = 5_000;
const MAX_RECV_WINDOW_MS = MINUTE_MS;
/** Maximum lead of a request's timestamp. */
const AHEAD_MS = 1_000;

/** Creates an error response of the venue. */
export function refusal(status: number, code: number, msg: string, headers: Readonly<Record<string, string>> = {}): LoopbackAnswer {
  return { status, body: { code, msg }, headers };
}

/** Creates the venue's error for a missing parameter. */
export function missing(name: string): LoopbackAnswer {
  return refusal(400, -1102, `Mandatory parameter '${name}' was not sent, was empty/null, or malformed.`);
}

/** Splits `a=1&signature=x` into the signed text and the signature. */
function unsigned(part: string): { readonly rest: string; readonly signature: string | null } {
  const pieces = part === '' ? [] : part.split('&');
  const signature = pieces.find((piece) => piece.startsWith('signature='));
  return {
    rest: pieces.filter((piece) => piece !== signature).join('&'),
    signature: signature === undefined ? null : decodeURIComponent(signature.slice('signature='.length)),
  };
}

/** True if the key made the signature over the payload. */
function fits(apiKey: ApiKey, payload: string, signature: string): boolean {
  if (apiKey.secret !== undefined) return createHmac('sha256', apiKey.secret).update(payload).digest('hex') === signature.toLowerCase();
  if (apiKey.publicKey === undefined) return false;
  return verifySignature(null, Buffer.from(payload), createPublicKey(apiKey.publicKey), Buffer.from(signature, 'base64'));
}

/** Returns the parameters of a valid request, or the error response. Query parameters override those in the body. */
export function readSigned(
  request: Pick<LoopbackRequest, 'headers' | 'search' | 'body'>,
  keys: readonly ApiKey[],
  now: EpochMs,
  trades: boolean,
): URLSearchParams | LoopbackAnswer {
  const given = request.headers['x-mbx-apikey'];
  if (typeof given !== 'string' || !/^[A-Za-z0-9]{1,64}$/.test(given)) return refusal(401, -2014, 'API-key format invalid.');
  const apiKey = keys.find(({ key }) => key === given);
  if (apiKey === undefined || (trades && apiKey.mayTrade === false))
    return refusal(401, -2015, 'Invalid API-key, IP, or permissions for action.');
  const query = unsigned(request.search);
  const body = unsigned(request.body);
  const signature = query.signature ?? body.signature;
  if (signature === null || signature === '') return missing('signature');
  const parameters = new URLSearchParams(query.rest);
  for (const [name, value] of new URLSearchParams(body.rest)) if (!parameters.has(name)) parameters.set(name, value);
  const window = parameters.get('recvWindow') ?? String(DEFAULT_RECV_WINDOW_MS);
  if (!/^\d{1,9}(\.\d{1,3})?$/.test(window))
    return refusal(400, -1100, "Illegal characters found in parameter 'recvWindow'; legal range is '^([0-9]{1,20})(\\.[0-9]{1,20})?$'.");
  if (Number(window) > MAX_RECV_WINDOW_MS) return refusal(400, -1131, 'recvWindow must be less than 60000');
  const stamp = parameters.get('timestamp');
  if (stamp === null || !/^\d{1,15}$/.test(stamp)) return missing('timestamp');
  if (Number(stamp) >= now + AHEAD_MS) return refusal(400, -1021, "Timestamp for this request was 1000ms ahead of the server's time.");
  if (now - Number(stamp) > Number(window)) return refusal(400, -1021, 'Timestamp for this request is outside of the recvWindow.');
  if (!fits(apiKey, query.rest + body.rest, signature)) return refusal(400, -1022, 'Signature for this request is not valid.');
  return parameters;
}
