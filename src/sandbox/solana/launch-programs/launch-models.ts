/** Models of the programs that launches need, used if the sandbox's chain has no binary of them. */
import { address } from '@solana/kit';
import { joined, keyBytes } from '../../../domain/launch/byte-struct.ts';
import { CURVE_INSTRUCTIONS, LOCKER_CLAIM } from '../../../domain/launch/curve/instructions.ts';
import {
  BADGE_BYTES,
  BADGE_DISCRIMINATOR,
  badgeAddress,
  POOL_AUTHORITY,
  SUCCESSOR_CONFIG,
  SUCCESSOR_PROGRAM,
} from '../../../domain/launch/curve/program.ts';
import { CURVE_PROGRAM, LOCKER_PROGRAM } from '../../../domain/solana/programs.ts';
import { createAccount, type SolanaChain } from '../chain.ts';
import type { MintListing } from '../genesis.ts';
import { SYSTEM } from '../instructions.ts';
import { createConfig, type Generation } from './create-config.ts';
import { createPool } from './create-pool.ts';
import { claimFee, swap } from './curve-swaps.ts';
import { createLocker, migrate } from './graduation.ts';
import { type ModelContext, ProgramFailure, type ProgramModel } from './modelled-machine.ts';
import { swapInSuccessor } from './successor-swaps.ts';
import { claimUnlocked, withdrawMigrationFee, withdrawSurplus } from './withdrawals.ts';

/** Anchor's error for an unknown instruction. */
const UNKNOWN_INSTRUCTION = 101;

/** Returns the models by program. The badge generation has been live since shares may be quoted. */
export function launchModels(generation: Generation = 'badges'): ReadonlyMap<string, ProgramModel> {
  const instructions: readonly (readonly [name: keyof typeof CURVE_INSTRUCTIONS, run: (context: ModelContext) => void])[] = [
    ['createConfig', (context) => createConfig(context, generation)],
    ['initializePool', (context) => createPool(context, generation)],
    ['swap', (context) => swap(context, false)],
    ['swap2', (context) => swap(context, true)],
    ['claimCreatorFee', (context) => claimFee(context, 'creator')],
    ['claimPartnerFee', (context) => claimFee(context, 'partner')],
    ['creatorSurplus', (context) => withdrawSurplus(context, 'creator')],
    ['partnerSurplus', (context) => withdrawSurplus(context, 'partner')],
    ['migrationFee', withdrawMigrationFee],
    ['createLocker', createLocker],
    ['migrate', migrate],
  ];
  const curve = instructions.map(([name, run]) => ({ name, begins: CURVE_INSTRUCTIONS[name], run }));
  return new Map([
    [CURVE_PROGRAM, combineModels(curve)],
    [SUCCESSOR_PROGRAM, combineModels([{ name: 'swap2', begins: CURVE_INSTRUCTIONS.swap2, run: swapInSuccessor }])],
    [LOCKER_PROGRAM, combineModels([{ name: 'claim', begins: LOCKER_CLAIM, run: claimUnlocked }])],
  ]);
}

interface ModelledInstruction {
  readonly name: string;
  /** First bytes of the instruction data. */
  readonly begins: Uint8Array;
  run(context: ModelContext): void;
}

function combineModels(instructions: readonly ModelledInstruction[]): ProgramModel {
  return (context) => {
    const found = instructions.find(({ begins }) => begins.every((byte, at) => context.data[at] === byte));
    if (found === undefined) throw new ProgramFailure(UNKNOWN_INSTRUCTION);
    context.log(`Instruction: ${found.name}`);
    found.run(context);
  };
}

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
