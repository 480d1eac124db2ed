/**
 * Compresses once for all clients: permessage-deflate (RFC 7692) without per-client state. A message may refer only to the previous message
 * in the same write, which every receiver has just decompressed.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { constants, deflateRawSync } from 'node:zlib';
import { Sender } from 'ws';

/** Frame options of a compressed text message: the first reserved bit marks compression. */
const DEFLATED_FRAME = { fin: true, rsv1: true, opcode: 0x01, mask: false, readOnly: true } as const;
const LEVEL = 3;
/** Memory level of zlib, 1 to 9. The compressor remembers about two messages. More memory makes it slower to start. */
const MEMORY = 6;
/** Default and maximum DEFLATE window, as a power of two. */
const MOST_WINDOW_BITS = 15;
/** Smallest window that zlib supports, in bits. */
const LEAST_WINDOW_BITS = 9;
/** Window of compressed messages from clients: one kilobyte, so that decompressing needs little memory per client. */
const CLIENT_WINDOW_BITS = 10;
/** Length of the end of a flushed message, which RFC 7692 omits. */
const TAIL_BYTES = 4;
const HEADER = 'sec-websocket-extensions';
const NAME = 'permessage-deflate';

/** Parameters that `ws` negotiates if the client's offer leaves them open. */
export const AGREED_DEFLATE = { clientMaxWindowBits: CLIENT_WINDOW_BITS } as const;

/** Returns the window, as a power of two, in which messages to this client may refer back. Null if it accepts no shared compression. */
export function offeredWindowBits(header: string | undefined): number | null {
  for (const offer of header?.split(',') ?? []) {
    const bits = parseWindowBits(offer);
    if (bits !== null) return bits;
  }
  return null;
}

/**
 * Returns the window of one offer. An offer that resets the context after each message, or does not allow a smaller client window, is not
 * usable.
 */
function parseWindowBits(offer: string): number | null {
  const [name, ...parameters] = offer.split(';').map((part) => part.trim());
  if (name !== NAME) return null;
  let server = MOST_WINDOW_BITS;
  let client: number | null = null;
  for (const parameter of parameters) {
    const [key, value] = parameter.split('=');
    const bits = value === undefined ? null : Number(value.replaceAll('"', ''));
    if (key === 'client_max_window_bits') client = bits ?? MOST_WINDOW_BITS;
    else if (key === 'server_max_window_bits' && bits !== null) server = bits;
    else if (key !== 'client_no_context_takeover' || bits !== null) return null;
  }
  if (client === null || !(client >= CLIENT_WINDOW_BITS && client <= MOST_WINDOW_BITS)) return null;
  return server >= LEAST_WINDOW_BITS && server <= MOST_WINDOW_BITS ? server : null;
}

/** Removes an offer that would make this service compress for one client only, or decompress with much memory. */
export function withoutOtherOffers(headers: IncomingHttpHeaders): void {
  const bits = offeredWindowBits(headers[HEADER]);
  if (bits === null) delete headers[HEADER];
  else headers[HEADER] = `${NAME}; client_max_window_bits${bits === MOST_WINDOW_BITS ? '' : `; server_max_window_bits=${bits}`}`;
}

/** Returns texts as one buffer of compressed websocket frames for one write. Each refers only to itself and the previous one. */
export function deflatedBytes(texts: readonly string[], windowBits: number): Buffer {
  const options = { level: LEVEL, memLevel: MEMORY, windowBits, finishFlush: constants.Z_SYNC_FLUSH };
  const parts: Buffer[] = [];
  let before: Buffer | null = null;
  for (const text of texts) {
    const plain: Buffer = Buffer.from(text);
    const packed = deflateRawSync(plain, before === null ? options : { ...options, dictionary: before });
    parts.push(...Sender.frame(packed.subarray(0, -TAIL_BYTES), DEFLATED_FRAME));
    before = plain;
  }
  return Buffer.concat(parts);
}
