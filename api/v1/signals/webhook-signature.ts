/** Verifies signatures of deliveries by Standard Webhooks 1.x: HMAC-SHA-256 over id, timestamp and body. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type EpochMs, MINUTE_MS } from '../../../src/domain/values/time.ts';

/** Maximum difference in milliseconds between the signature's time and now. */
const TOLERANCE_MS = 5 * MINUTE_MS;
const ID = /^[\x21-\x7e]{1,200}$/;

/** Returns why none of the keys has signed a delivery, or null if one has. Keys are hexadecimal. */
export function unsignedBecause(headers: IncomingHttpHeaders, body: Buffer, keys: readonly string[], now: EpochMs): string | null {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (typeof signatures !== 'string') return 'webhook-signature is missing: sign the delivery, or use the path with the secret';
  if (typeof id !== 'string' || !ID.test(id)) return 'webhook-id: allowed are 1 to 200 printable ASCII characters';
  if (typeof timestamp !== 'string' || !/^\d{1,12}$/.test(timestamp)) return 'webhook-timestamp: allowed are whole seconds since 1970';
  if (Math.abs(now - Number(timestamp) * 1_000) > TOLERANCE_MS)
    return `webhook-timestamp is more than ${TOLERANCE_MS / MINUTE_MS} minutes from now: sign it again`;
  const given = signatures
    .split(' ')
    .slice(0, 10)
    .flatMap((one) => (one.startsWith('v1,') ? [Buffer.from(one.slice('v1,'.length), 'base64')] : []));
  const isSigned = keys.some((key) => {
    const right = createHmac('sha256', Buffer.from(key, 'hex')).update(`${id}.${timestamp}.`).update(body).digest();
    return given.some((one) => one.length === right.length && timingSafeEqual(one, right));
  });
  return isSigned ? null : 'webhook-signature is of no secret of this hook';
}
