/** Derives associated token accounts. */
import { PublicKey } from '@solana/web3.js';
import { ASSOCIATED_TOKEN_PROGRAM } from '../../domain/solana/programs.ts';

const PROGRAM = new PublicKey(ASSOCIATED_TOKEN_PROGRAM);

/** Returns the account of owner, mint and token program, all base58. @throws Error for an invalid address */
export function associatedAccount(owner: string, mint: string, program: string): string {
  const seeds = [owner, program, mint].map((address) => new PublicKey(address).toBytes());
  return PublicKey.findProgramAddressSync(seeds, PROGRAM)[0].toBase58();
}
