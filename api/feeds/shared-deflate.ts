/**
 * Compression that is done once for everybody: permessage-deflate (RFC 7692) without a state per client. A message may refer to
 * the message before it in the same write, which every client that receives the write has just unpacked, and to nothing else.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { constants, deflateRawSync } from 'node:zlib';
import { Sender } from 'ws';

/** A text message in one frame whose first reserved bit says that it is compressed. */
const DEFLATED_FRAME = { fin: true, rsv1: true, opcode: 0x01, mask: false, readOnly: true } as const;
const LEVEL = 3;
/** Memory level of zlib, 1 to 9. The compressor remembers about two messages; more memory makes it slower to start. */
const MEMORY = 6;
/** DEFLATE reaches so far back if nobody asks for less, as a power of two. */
const MOST_WINDOW_BITS = 15;
/** Smallest window that zlib supports, in bits. */
const LEAST_WINDOW_BITS = 9;
/** Clients compress what they send within one kilobyte, so that unpacking it needs little memory for each of them. */
const CLIENT_WINDOW_BITS = 10;
/** The end of a flushed message, which RFC 7692 leaves out. */
const TAIL_BYTES = 4;
const HEADER = 'sec-websocket-extensions';
const NAME = 'permessage-deflate';

/** Parameters that `ws` negotiates if the client's offer leaves them open. */
export const AGREED_DEFLATE = { clientMaxWindowBits: CLIENT_WINDOW_BITS } as const;

/** Window in which messages to the client that offers this may refer back, as a power of two; null if it takes none that are compressed for all. */
export function offeredWindowBits(header: string | undefined): number | null {
  for (const offer of header?.split(',') ?? []) {
    const bits = windowBitsOf(offer);
    if (bits !== null) return bits;
  }
  return null;
}

/** The same of one offer. One that forgets each message at its end, or may not be told to compress within less, is none for us. */
function windowBitsOf(offer: string): number | null {
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

/** Takes an offer out of the request that would make this service compress for one client alone, or unpack with much memory. */
export function withoutOtherOffers(headers: IncomingHttpHeaders): void {
  const bits = offeredWindowBits(headers[HEADER]);
  if (bits === null) delete headers[HEADER];
  else headers[HEADER] = `${NAME}; client_max_window_bits${bits === MOST_WINDOW_BITS ? '' : `; server_max_window_bits=${bits}`}`;
}

/** Many texts as one buffer of compressed websocket frames, for one write: each refers to itself and to the one before it. */
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
