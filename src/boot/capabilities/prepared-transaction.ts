/** Transactions of the primary chain that somebody else signs, as this process prepares, takes and carries them. */

import { passed } from '../../../actors/manual-order/verdict.ts';
import { predictionOrderRules } from '../../../actors/prediction-order/purpose.ts';
import type { ChainClient } from '../../../actors/prepared-transaction/chain-client.ts';
import type { TransactionSubmission } from '../../../actors/prepared-transaction/commands.ts';
import { preparedTransactionKind } from '../../../actors/prepared-transaction/effects.ts';
import { transactionWorkers } from '../../../actors/prepared-transaction/execution.ts';
import type { CapacityObstacle } from '../../../actors/prepared-transaction/open-capacity.ts';
import type { PreparedTransactionContext } from '../../../actors/prepared-transaction/protocol.ts';
import type { Purposes } from '../../../actors/prepared-transaction/purpose.ts';
import { createTransactionSubmission, NO_TRANSACTION } from '../../../actors/prepared-transaction/submission.ts';
import type { SwapCommands } from '../../../actors/prepared-transaction/swap-commands.ts';
import { createSwapHandler, type SwapPreTrade } from '../../../actors/prepared-transaction/swap-handler.ts';
import { swapPurpose, swapSubject } from '../../../actors/prepared-transaction/swap-purpose.ts';
import type { ActivityWorker } from '../../../actors/runtime/activities.ts';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import type { ApiPorts } from '../../../api/ports.ts';
import type { Clock } from '../../../streams/clock.ts';
import { createFreshness } from '../../../streams/freshness.ts';
import type { BusQuote } from '../../adapters/queue/quote-bus.ts';
import { verifyEd25519 } from '../../adapters/solana/ed25519.ts';
import { NodeError } from '../../adapters/solana/json-rpc.ts';
import { createActorStore } from '../../adapters/store/actors/actor-store.ts';
import type { Sql } from '../../adapters/store/database.ts';
import {
  CapacityFull,
  CapacityMoved,
  createPreparedTransactionStore,
  groundOf,
  isDuplicate,
} from '../../adapters/store/orders/prepared-transaction-store.ts';
import { createProposalStore } from '../../adapters/store/orders/proposal-store.ts';
import { bookIds, sellableOf } from '../../domain/book.ts';
import { CATALOG, USDC_DECIMALS, USDC_MINT } from '../../domain/catalog.ts';
import { plainDecimal } from '../../domain/decimal.ts';
import { type Outcome, refuse } from '../../domain/refusal.ts';
import type { SwapLeg } from '../../domain/solana/swap.ts';
import { multiplierAt } from '../../domain/solana/token-layout.ts';
import type { InstrumentKey } from '../../domain/venue.ts';
import { agedQuote } from '../../trading/live-marks.ts';
import { createManualRisk } from '../../trading/manual-risk.ts';
import { liquidityOf, referenceNow } from '../../trading/pre-trade.ts';
import type { ActorCapability, PrimaryChain } from './capability.ts';

/** What a finalized transaction comes to, by its purpose. */
export const PURPOSES: Purposes = { swap: swapPurpose, prediction_order: predictionOrderRules };

export const preparedTransactions = preparedTransactionKind(PURPOSES);

interface SwapDeps extends PrimaryChain {
  readonly sql: Sql;
  readonly runtime: Pick<Runtime, 'start' | 'deliver'>;
  readonly bus: { latest(key: InstrumentKey): BusQuote | null };
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
}

/** Swaps of people on these connections. */
export function createSwaps(deps: SwapDeps): SwapCommands {
  const preTrade = createSwapPreTrade(deps);
  return createSwapHandler({
    runtime: deps.runtime,
    preTrade,
    submission: createSubmission(deps, preTrade),
    routes: deps.routes,
    chain: deps.chain,
    legs: (instrument) => legsOf(deps, instrument),
    rules: deps.rules,
    obstacleOf,
    isSilence,
    clock: deps.clock,
    newId: deps.newId,
  });
}

function createSubmission({ sql, runtime, clock }: SwapDeps, preTrade: SwapPreTrade): TransactionSubmission {
  return createTransactionSubmission({
    runtime,
    load: createActorStore(sql).load,
    verifySignature: verifyEd25519,
    mayLeave: { swap: (orgId, _, context) => mayLeave(preTrade, orgId, context) },
    clock,
  });
}

/** A swap leaves only while risk lets the order pass that its message may come to, on the present quote and mandate. */
async function mayLeave(preTrade: SwapPreTrade, orgId: string, context: PreparedTransactionContext): Promise<Outcome<null>> {
  const { order } = swapSubject(context);
  const judged = passed(await preTrade.judge(orgId, order.instrument, () => ({ ok: true, value: order })));
  return judged.ok ? { ok: true, value: null } : judged;
}

function createSwapPreTrade({ sql, bus, clock }: Pick<SwapDeps, 'sql' | 'bus' | 'clock'>): SwapPreTrade {
  const freshness = createFreshness();
  const risk = createManualRisk({ sql, bus, clock });
  const quote: SwapPreTrade['quote'] = (instrument) => {
    const heard = bus.latest(instrument);
    return heard?.kind === 'quote' ? agedQuote(heard, freshness, clock.now()) : null;
  };
  return {
    quote,
    ground: (orgId) => groundOf(sql, orgId, bookIds.manual(orgId, 'live')),
    async judge(orgId, instrument, compile) {
      const liquidityUsd = await liquidityOf(sql, instrument, clock.now());
      const present = { quote: quote(instrument), depth: null, liquidityUsd };
      const reference = referenceNow(bus, freshness, instrument, clock.now());
      return risk.judge(orgId, 'live', present, (longest, book) => compile(longest, present.quote, sellableOf(book, instrument)), {
        reference,
      });
    },
  };
}

/** True of an error that says that the node of the chain gave no answer. */
export function isSilence(error: unknown): boolean {
  return error instanceof NodeError;
}

/** What the birth of a transaction has met. */
export function obstacleOf(error: unknown): CapacityObstacle {
  if (error instanceof CapacityMoved) return 'moved';
  if (error instanceof CapacityFull) return 'full';
  return isDuplicate(error) ? 'twin' : null;
}

/** Both sides of a token's swap. What a UI unit is, the mint itself says. */
export async function legsOf(
  { chain, clock }: Pick<SwapDeps, 'chain' | 'clock'>,
  instrument: InstrumentKey,
): Promise<Outcome<{ readonly stable: SwapLeg; readonly token: SwapLeg }>> {
  const token = CATALOG.byKey(instrument)?.token ?? null;
  if (token === null) return refuse('malformed', `$.instrument: ${instrument} is no token of the primary chain`);
  const mint = await chain.mintInfo(token.mint);
  if (mint === null) return refuse('unavailable', `the node does not know the mint ${token.mint}`);
  if (mint.paused) return refuse('route_refused', `the issuer has stopped every transfer of ${instrument}`);
  const multiplier = plainDecimal(multiplierAt(mint, clock.now()));
  return {
    ok: true,
    value: {
      stable: { mint: USDC_MINT, decimals: USDC_DECIMALS, multiplier: '1' },
      token: { mint: token.mint, decimals: mint.decimals, multiplier },
    },
  };
}

/** Swaps where no node of the primary chain is named: none are prepared, and those of before wait for one. */
export function noSwaps(find: (orgId: string, id: string) => Promise<object | null>): SwapCommands {
  const off = async () => refuse('feature_disabled', 'swaps need a node of the primary chain beside its aggregator: set SPOTCHAIN_RPC_URL');
  return {
    quote: off,
    prepare: off,
    execute: async ({ orgId }, id) => ((await find(orgId, id)) === null ? refuse('not_found', NO_TRANSACTION) : off()),
  };
}

/** The activity workers of prepared transactions' activities, by kind. */
export function preparedTransactionWorkers(deps: {
  readonly sql: Sql;
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly chain: ChainClient;
  readonly clock: Pick<Clock, 'now'>;
}): Readonly<Record<string, ActivityWorker>> {
  return transactionWorkers({
    runtime: deps.runtime,
    load: createActorStore(deps.sql).load,
    leaseIsHeld: createProposalStore(deps.sql).leaseIsHeld,
    chain: deps.chain,
    verifySignature: verifyEd25519,
    purposes: PURPOSES,
    clock: deps.clock,
  });
}

export const preparedTransactionCapability = {
  kind: preparedTransactions,
  machineFile: 'actors/prepared-transaction/machine.ts',

  workers: (deps) => (deps.trading?.primaryChain ? preparedTransactionWorkers({ ...deps, chain: deps.trading.primaryChain.chain }) : {}),

  callers({ sql, runtime, primaryChain, bus, clock, newId }): Pick<ApiPorts, 'swaps'> {
    const reads = createPreparedTransactionStore(sql).ofPurpose('swap');
    const commands = primaryChain === null ? noSwaps(reads.find) : createSwaps({ sql, runtime, ...primaryChain, bus, clock, newId });
    return { swaps: { reads, commands } };
  },
} satisfies ActorCapability;
