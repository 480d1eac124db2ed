/** Genesis accounts for launches, which the programs' authors create on the real chain. */

import { address } from '@solana/kit';
import { joined, keyBytes } from '../../../domain/launch/byte-struct.ts';
import {
  BADGE_BYTES,
  BADGE_DISCRIMINATOR,
  badgeAddress,
  POOL_AUTHORITY,
  SUCCESSOR_CONFIG,
  SUCCESSOR_PROGRAM,
} from '../../../domain/launch/curve/program.ts';
import { CURVE_PROGRAM } from '../../../domain/solana/programs.ts';
import { createAccount, type SolanaChain } from '../chain.ts';
import type { MintListing } from '../genesis.ts';
import { SYSTEM } from '../instructions.ts';

/** Lamports of the authority, which prepays what graduation creates and is repaid in the same transaction. */
const AUTHORITY_LAMPORTS = 10_000_000_000n;
const CONFIG_BYTES = 328;
const CONFIG_DISCRIMINATOR = Uint8Array.from(Buffer.from('9b0caae01efacc82', 'hex'));
/**
 * Offset of the configuration's kind, after the discriminator, two keys and the fees. The kind: by time, fees in both tokens, pool
 * creator's fee.
 */
const CONFIG_KIND_AT = 8 + 64 + 128;

/** Writes the successor's public configuration, the authority's lamports, and a badge for every mint that may be quoted. */
export function writeLaunchGenesis(chain: Pick<SolanaChain, 'found' | 'rent'>, mints: readonly MintListing[]): void {
  chain.found(createAccount(address(POOL_AUTHORITY), SYSTEM, new Uint8Array(), AUTHORITY_LAMPORTS));
  const config = new Uint8Array(CONFIG_BYTES);
  config.set(joined(CONFIG_DISCRIMINATOR, new Uint8Array(32), keyBytes(POOL_AUTHORITY)));
  config.set([1, 0, 1], CONFIG_KIND_AT);
  chain.found(createAccount(address(SUCCESSOR_CONFIG), address(SUCCESSOR_PROGRAM), config, chain.rent(CONFIG_BYTES)));
  for (const { mint } of mints) {
    const badge = joined(BADGE_DISCRIMINATOR, keyBytes(mint), new Uint8Array(BADGE_BYTES - 40));
    chain.found(createAccount(address(badgeAddress(mint)), address(CURVE_PROGRAM), badge, chain.rent(BADGE_BYTES)));
  }
}
