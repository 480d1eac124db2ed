/** UUIDv7: ids that sort by the time of their making (RFC 9562). */
import type { EpochMs } from './time.ts';

/**
 * Builds a UUIDv7 from a time and ten random bytes.
 * @param random at least 10 bytes; given from outside so that the domain draws no dice.
 */
export function uuidV7(at: EpochMs, random: Uint8Array): string {
  const bytes = new Uint8Array(16);
  let rest = at;
  for (let i = 5; i >= 0; i--) {
    bytes[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  bytes.set(random.subarray(0, 10), 6);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
