/** Keeper of the sandbox: creates the successor pool of every completed curve, like keepers of the real chain. */
import { address } from '@solana/kit';
import {
  createLockerInstruction,
  lockerOwner,
  MIGRATION_PROGRESS,
  migrateInstruction,
  type PoolKeys,
  type ProgramInstruction,
  readPoolConfig,
  readVirtualPool,
} from '../../../domain/launch/curve/program.ts';
import { CURVE_PROGRAM, TOKEN_PROGRAM } from '../../../domain/solana/programs.ts';
import type { SolanaChain } from '../chain.ts';
import { fund, NATIVE } from '../genesis.ts';
import { buildTransaction, computeLimit, createAssociatedAccount } from '../instructions.ts';
import { type SandboxKey, sandboxKey } from '../keys.ts';
import { decodeTransaction } from '../decode-transaction.ts';
import { kitInstruction } from './modelled-machine.ts';

const KEEPER = sandboxKey('curve keeper');
/** Balance to which the keeper is refilled when less than half is left. Lamports. */
const PURSE = 10_000_000_000n;

/** Starts the keeper, which checks the curves when a transaction lands. Returns a function that stops it. */
export function startKeeper(chain: SolanaChain): () => void {
  let isWorking = false;
  return chain.onChange(() => {
    // Skips the reports of the keeper's own transactions.
    if (isWorking) return;
    isWorking = true;
    try {
      for (const account of chain.owned(address(CURVE_PROGRAM), 'processed')) graduate(chain, account.address, account.data as Uint8Array);
    } finally {
      isWorking = false;
    }
  });
}

function graduate(chain: SolanaChain, at: string, data: Uint8Array): void {
  const pool = readVirtualPool(data);
  if (pool === null || pool.migrationProgress === MIGRATION_PROGRESS.onCurve || pool.isMigrated === 1) return;
  const config = readPoolConfig((chain.account(address(pool.config), 'processed')?.data ?? new Uint8Array()) as Uint8Array);
  const quoteProgram = config === null ? undefined : chain.account(address(config.quoteMint), 'processed')?.programAddress;
  if (config === null || quoteProgram === undefined) return;
  const keys: PoolKeys = { config: pool.config, baseMint: pool.baseMint, quoteMint: config.quoteMint, quoteProgram };
  if ((chain.account(KEEPER.address, 'processed')?.lamports ?? 0n) < PURSE / 2n) fund(chain, KEEPER.address, NATIVE, PURSE);
  if (pool.migrationProgress === MIGRATION_PROGRESS.complete && !land(chain, [...lockerSteps(keys, pool.creator)], [])) return;
  const shares = [config.creatorLockedLiquidity + config.creatorLiquidity, config.partnerLockedLiquidity + config.partnerLiquidity];
  const mints = shares.filter((share) => share > 0).map((_, index) => sandboxKey(`position ${index} of ${at}`));
  land(chain, [migrateInstruction(keys, { payer: KEEPER.address, positionMints: mints.map((mint) => mint.address) })], mints);
}

function lockerSteps(keys: PoolKeys, creator: string): readonly ProgramInstruction[] {
  const owner = lockerOwner(keys);
  const { programAddress, accounts, data } = createAssociatedAccount(
    KEEPER.address,
    address(owner),
    address(keys.baseMint),
    address(TOKEN_PROGRAM),
  );
  const tokens: ProgramInstruction = {
    program: programAddress,
    accounts: (accounts ?? []).map(({ address: named, role }) => ({ address: named, signer: role >= 2, writable: role % 2 === 1 })),
    data: data as Uint8Array,
  };
  return [tokens, createLockerInstruction(keys, { creator, payer: KEEPER.address })];
}

function land(chain: SolanaChain, instructions: readonly ProgramInstruction[], signers: readonly SandboxKey[]): boolean {
  const bytes = buildTransaction({
    version: 'legacy',
    feePayer: KEEPER.address,
    blockhash: chain.latestBlockhash('processed').blockhash,
    instructions: [computeLimit(1_400_000), ...instructions.map(kitInstruction)],
    signers: [KEEPER, ...signers],
  });
  return chain.landNow(decodeTransaction(bytes))?.run.error === null;
}
