/** Validation of EVM addresses that people enter; mixed case must have a valid checksum (EIP-55). */
import { getAddress, isAddress } from 'viem';
import { type Outcome, refuse } from '../../domain/values/refusal.ts';

/** Returns the address with its checksum. Refuses an invalid address or checksum with `malformed`. */
export function checkedAddress(text: string): Outcome<string> {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return refuse('malformed', 'address: needed are 0x and 40 hexadecimal digits');
  const digits = text.slice(2);
  // An address in a single case has no checksum.
  if (digits === digits.toUpperCase() || digits === digits.toLowerCase()) return { ok: true, value: getAddress(text.toLowerCase()) };
  if (isAddress(text, { strict: true })) return { ok: true, value: text };
  return refuse('malformed', 'address: its mixed letters are no valid checksum (EIP-55); was it mistyped? All lower case is accepted');
}
