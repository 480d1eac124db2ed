/** The token account that everybody can derive from its owner, its mint and its token program. */
import { PublicKey } from '@solana/web3.js';
import { ASSOCIATED_TOKEN_PROGRAM } from '../../domain/solana/programs.ts';

const PROGRAM = new PublicKey(ASSOCIATED_TOKEN_PROGRAM);

/** Addresses in base58. @throws Error for what is not an address. */
export function associatedAccount(owner: string, mint: string, program: string): string {
  const seeds = [owner, program, mint].map((address) => new PublicKey(address).toBytes());
  return PublicKey.findProgramAddressSync(seeds, PROGRAM)[0].toBase58();
}
