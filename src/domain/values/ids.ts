/** Ids: UUIDv7, which sort by creation time, and UUIDv8 derived from content (RFC 9562). */
import { sha256Hex } from './canonical-json.ts';
import type { EpochMs } from './time.ts';

/** Pattern of ids: a regular expression without anchors. */
export const UUID_PATTERN = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const UUID = new RegExp(`^${UUID_PATTERN}$`);

/** True if a text is a UUID in lower case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Two hexadecimal digits of each byte. */
const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Returns the lowest eight bits as two digits. */
function digits(value: number): string {
  return HEX[value & 0xff] as string;
}

function readByte(random: Uint8Array, index: number): number {
  return random[index] as number;
}

function drawn(random: Uint8Array, index: number): string {
  return HEX[readByte(random, index)] as string;
}

/**
 * Builds a UUIDv7 from a time and ten random bytes. @param random At least 10 bytes, supplied by the caller so that the domain stays
 * deterministic.
 */
export function uuidV7(at: EpochMs, random: Uint8Array): string {
  const high = Math.floor(at / 2 ** 32);
  const time = `${digits(high >> 8)}${digits(high)}${digits(at >>> 24)}${digits(at >>> 16)}-${digits(at >>> 8)}${digits(at)}`;
  return `${time}-${digits((readByte(random, 0) & 0x0f) | 0x70)}${drawn(random, 1)}-${digits((readByte(random, 2) & 0x3f) | 0x80)}${drawn(random, 3)}-${drawn(random, 4)}${drawn(random, 5)}${drawn(random, 6)}${drawn(random, 7)}${drawn(random, 8)}${drawn(random, 9)}`;
}

/** Returns a UUIDv8 derived from a text: the same text has the same id, so that a replay repeats it. */
export function contentId(text: string): string {
  const hex = sha256Hex(text);
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
