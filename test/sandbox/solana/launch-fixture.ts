// A launch on the sandbox's chain, instruction by instruction, with the keys of all participants.
import { type Address, address } from '@solana/kit';
import { buildCurveConfig, type CurveConfig, type CurvePlan } from '../../../src/domain/launch/curve/curve-config.ts';
import {
  associatedAccount,
  claimFeeInstruction,
  configParameters,
  createConfigInstruction,
  createLockerInstruction,
  initializePoolInstruction,
  lockerOwner,
  migrateInstruction,
  type PoolKeys,
  type ProgramInstruction,
  poolAddress,
  readVirtualPool,
  type SwapMode,
  swapInstruction,
  type TokenNames,
  type VirtualPoolAccount,
} from '../../../src/domain/launch/curve/program.ts';
import { successorSwapInstruction } from '../../../src/domain/launch/successor-pool.ts';
import {
  type Claimer,
  lockerClaimInstruction,
  migrationFeeInstruction,
  surplusInstruction,
} from '../../../src/domain/launch/withdrawals.ts';
import { compileMessage, wireTransaction } from '../../../src/domain/solana/compile-message.ts';
import { readMessage, listSigners } from '../../../src/domain/solana/message.ts';
import { COMPUTE_BUDGET_PROGRAM, TOKEN_PROGRAM } from '../../../src/domain/solana/programs.ts';
import { readTokenAccount } from '../../../src/domain/solana/token-layout.ts';
import type { Landed, SolanaChain } from '../../../src/sandbox/solana/chain.ts';
import { fund } from '../../../src/sandbox/solana/genesis.ts';
import { createAssociatedAccount, WRAPPED_SOL } from '../../../src/sandbox/solana/instructions.ts';
import { type SandboxKey, sandboxKey } from '../../../src/sandbox/solana/keys.ts';
import type { ReadTransaction } from '../../../src/sandbox/solana/decode-transaction.ts';

export const NAMES: TokenNames = { name: 'Orchard Keeper', symbol: 'ORCH', uri: 'https://example.com/orchard.json' };

const COMPUTE_LIMIT: ProgramInstruction = {
  program: COMPUTE_BUDGET_PROGRAM,
  accounts: [],
  data: Uint8Array.from(Buffer.from('02c05c1500', 'hex')),
};

/** Builds a transaction of these instructions. The same bytes can be sent to several chains. */
export function wireOf(chain: SolanaChain, instructions: readonly ProgramInstruction[], signers: readonly SandboxKey[]): Uint8Array {
  const [payer] = signers as [SandboxKey];
  const { blockhash } = chain.latestBlockhash('processed');
  const message = compileMessage(payer.address, blockhash, [COMPUTE_LIMIT, ...instructions]);
  const read = readMessage(message);
  if (!read.ok) throw new Error(read.refusal.detail);
  const signatures = listSigners(read.value).map((at) => signers.find((one) => one.address === at)?.sign(message) ?? null);
  return wireTransaction(message, signatures);
}

export function landOn(chain: SolanaChain, transaction: ReadTransaction): Landed {
  const landed = chain.landNow(transaction);
  if (landed === null) throw new Error('the chain did not take the transaction');
  return landed;
}

/** Returns the participants of one launch, with keys derived from its name. Several launches may share them. */
export function launchCast(name: string, people: string = name) {
  const key = (role: string): SandboxKey => sandboxKey(`${name} ${role}`);
  const person = (role: string): SandboxKey => sandboxKey(`${people} ${role}`);
  return {
    creator: person('creator'),
    partner: person('partner'),
    trader: person('trader'),
    config: key('config'),
    mint: key('mint'),
    nfts: [key('nft 1'), key('nft 2')] as const,
  };
}
export type LaunchCast = ReturnType<typeof launchCast>;

/** Returns the instructions of one launch. */
export function launchScript(cast: LaunchCast, quote: { readonly mint: string; readonly program: string }, badge: string | null = null) {
  const { creator, partner, trader, config, mint, nfts } = cast;
  const keys: PoolKeys = { config: config.address, baseMint: mint.address, quoteMint: quote.mint, quoteProgram: quote.program };
  const pool = poolAddress(config.address, mint.address, quote.mint);
  const accounts = (owner: SandboxKey) => ({
    baseAccount: associatedAccount(owner.address, mint.address, TOKEN_PROGRAM),
    quoteAccount: associatedAccount(owner.address, quote.mint, quote.program),
  });
  const holding = (owner: SandboxKey): ProgramInstruction => holdingOf(owner, mint.address, TOKEN_PROGRAM);
  return {
    keys,
    pool,
    accounts,
    holding,
    createConfig: (made: CurveConfig, parameters: Uint8Array = configParameters(made)) =>
      createConfigInstruction(
        {
          config: config.address,
          feeClaimer: partner.address,
          leftoverReceiver: creator.address,
          quoteMint: quote.mint,
          payer: creator.address,
          badge,
        },
        parameters,
      ),
    createPool: (names: TokenNames = NAMES) =>
      initializePoolInstruction(keys, { creator: creator.address, payer: creator.address, badge }, names),
    swap: (direction: 'buy' | 'sell', mode: SwapMode, amount: bigint, bound: bigint, who: SandboxKey = trader) =>
      swapInstruction(keys, { direction, mode, amount, bound, trader: who.address, ...accounts(who) }),
    claim: (as: 'creator' | 'partner', mostBase: bigint, mostQuote: bigint, who: SandboxKey = as === 'creator' ? creator : partner) =>
      claimFeeInstruction(keys, { claimer: who.address, as, ...accounts(who), mostBase, mostQuote }),
    successorSwap: (direction: 'buy' | 'sell', mode: SwapMode, amount: bigint, bound: bigint, who: SandboxKey = trader) =>
      successorSwapInstruction(keys, { direction, mode, amount, bound, trader: who.address, ...accounts(who) }),
    surplus: (as: Claimer, who: SandboxKey = as === 'creator' ? creator : partner) =>
      surplusInstruction(keys, { as, claimer: who.address, quoteAccount: accounts(who).quoteAccount }),
    migrationFee: (as: Claimer, who: SandboxKey = as === 'creator' ? creator : partner) =>
      migrationFeeInstruction(keys, { as, claimer: who.address, quoteAccount: accounts(who).quoteAccount }),
    unlocked: (most: bigint, who: SandboxKey = creator) =>
      lockerClaimInstruction(keys, { recipient: who.address, baseAccount: accounts(who).baseAccount, most }),
    locker: () => createLockerInstruction(keys, { creator: creator.address, payer: creator.address }),
    migrate: (positions: 1 | 2) =>
      migrateInstruction(keys, { payer: creator.address, positionMints: nfts.slice(0, positions).map(({ address: at }) => at) }),
    lockerTokens: (): ProgramInstruction => holdingOf(creator, mint.address, TOKEN_PROGRAM, lockerOwner(keys)),
  };
}
export type LaunchScript = ReturnType<typeof launchScript>;

/** Creates an owner's account of a mint if it is missing. */
export function holdingOf(payer: SandboxKey, mint: string, program: string, owner: string = payer.address): ProgramInstruction {
  const { programAddress, accounts, data } = createAssociatedAccount(payer.address, address(owner), address(mint), address(program));
  return {
    program: programAddress,
    accounts: (accounts ?? []).map(({ address: at, role }) => ({ address: at, signer: role >= 2, writable: role % 2 === 1 })),
    data: data as Uint8Array,
  };
}

export function poolOf(chain: SolanaChain, pool: string): VirtualPoolAccount | null {
  const account = chain.account(address(pool), 'processed');
  return account === null ? null : readVirtualPool(account.data as Uint8Array);
}

/** Tops up a wallet with lamports and the quote token. */
export function enrich(chain: SolanaChain, who: SandboxKey, mint: string, amount: bigint): void {
  const account = (at: Address) => chain.account(at, 'processed');
  if ((account(who.address)?.lamports ?? 0n) < 50_000_000_000n) fund(chain, who.address, 'SOL', 100_000_000_000n);
  const program = account(address(mint))?.programAddress;
  const held = program === undefined ? null : account(address(associatedAccount(who.address, mint, program)));
  if ((held === null ? 0n : (readTokenAccount(held.data as Uint8Array)?.amount ?? 0n)) < amount) fund(chain, who.address, mint, amount);
}

export { buildCurveConfig, type CurvePlan, WRAPPED_SOL };
