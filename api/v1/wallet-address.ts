/** Checks the address of a wallet on the primary chain in a body. */
import { isAddress } from '../../src/domain/solana/base58.ts';
import { malformed } from '../http/strict-json.ts';

/** Returns the address. @throws InputError if the text does not decode to 32 bytes, which its pattern cannot tell. */
export function checkedAddress(wallet: string): string {
  if (!isAddress(wallet)) throw malformed('$.wallet', 'it is not an address', '32 bytes in base58');
  return wallet;
}
