/** Address of a wallet on the primary chain, in bodies. */
import { Type } from 'typebox';
import { isAddress } from '../../src/domain/solana/base58.ts';
import { malformed } from '../http/strict-json.ts';

export const walletAddress = (description: string) => Type.String({ pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$', description });

/** Returns the address. @throws InputError if the text does not decode to 32 bytes, which its pattern cannot tell. */
export function checkedAddress(wallet: string): string {
  if (!isAddress(wallet)) throw malformed('$.wallet', 'it is not an address', '32 bytes in base58');
  return wallet;
}
