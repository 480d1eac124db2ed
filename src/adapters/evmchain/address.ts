/** EVM addresses as people type them: with a checksum if they have mixed letters (EIP-55). */
import { getAddress, isAddress } from 'viem';
import { type Outcome, refuse } from '../../domain/values/refusal.ts';

/** The address with its checksum; refuses with `malformed` what is none, or whose checksum is wrong. */
export function checkedAddress(text: string): Outcome<string> {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return refuse('malformed', 'address: needed are 0x and 40 hexadecimal digits');
  const digits = text.slice(2);
  // One case throughout carries no checksum.
  if (digits === digits.toUpperCase() || digits === digits.toLowerCase()) return { ok: true, value: getAddress(text.toLowerCase()) };
  if (isAddress(text, { strict: true })) return { ok: true, value: text };
  return refuse('malformed', 'address: its mixed letters are no valid checksum (EIP-55); was it mistyped? All lower case is accepted');
}
