/** Orders on prediction markets: risk on the provider's current book, the manual book and the actors. */
import {
  createPredictionOrderHandler,
  NO_PREDICTION_ORDER,
  type PredictionOrderCommands,
} from '../../../actors/prediction-order/commands.ts';
import { type LivePredictionOrders, createLivePredictionHandler } from '../../../actors/prediction-order/live-handler.ts';
import { predictionOrderKind } from '../../../actors/prediction-order/effects.ts';
import { predictionOrderWorkers } from '../../../actors/prediction-order/execution.ts';
import type { OnchainPredictions } from '../../../actors/prediction-order/onchain-venue.ts';
import { createTransactionSubmission } from '../../../actors/prepared-transaction/submission.ts';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import { switchedOff, type ActorCapability } from './capability.ts';
import type { ApiPorts } from '../../../api/route.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import { verifyEd25519 } from '../../adapters/solana/ed25519.ts';
import { isSilence } from '../../adapters/json-rpc.ts';
import { createActorStore } from '../../adapters/store/actors/actor-store.ts';
import { BookMoved } from '../../adapters/store/books/book-store.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { createPredictionOrderStore, settleResolved } from '../../adapters/store/orders/prediction-order-store.ts';
import { readExposureVersion, toCapacityObstacle } from '../../adapters/store/orders/prepared-transaction-store.ts';
import { createPredictionStore } from '../../adapters/store/predictions/prediction-store.ts';
import { listedNow, orNone, type PredictionAsking } from '../../adapters/venues/prediction/prediction-reads.ts';
import type { PredictionProvider } from '../../domain/prediction/market.ts';
import { createManualRisk } from '../../trading/manual-risk.ts';
import { createPredictionPreTrade, predictionMayLeave } from '../../trading/prediction-pre-trade.ts';
import type { RiskDeps } from '../../trading/present-market.ts';

/** Interval of settling holdings of resolved markets, and of listing the providers' markets. */
const SETTLE_MS = 30_000;

/** Creates live orders, or the refusal of both steps if no on-chain venue is configured. */
export function createLivePredictionOrders(deps: {
  readonly sql: Sql;
  readonly runtime: Pick<Runtime, 'start' | 'deliver'>;
  readonly onchain: OnchainPredictions | null;
  /** Providers that list the markets. */
  readonly venues: Readonly<Record<PredictionProvider, Pick<PredictionAsking, 'ask'>>>;
  readonly risk: RiskDeps;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
}): LivePredictionOrders {
  const { sql, runtime, onchain, clock, newId } = deps;
  const orders = createPredictionOrderStore(sql);
  if (onchain === null) {
    const missing = 'live prediction orders are not configured: set SPOTCHAIN_RPC_URL and PREDICTION_ONCHAIN_URL with its key';
    const { begin, goOn } = switchedOff(missing, NO_PREDICTION_ORDER, orders.find);
    return { prepare: begin, execute: goOn };
  }
  const markets = createPredictionStore(sql);
  // A provider's own quote never prices an order at its on-chain counterpart.
  const preTrade = createPredictionPreTrade({
    risk: createManualRisk(deps.risk),
    markets,
    listed: (market) => listedNow(deps.venues, market),
    book: (market) => orNone(onchain.venue.book(market)),
    bus: null,
    clock,
  });
  const submission = createTransactionSubmission({
    runtime,
    load: createActorStore(sql).load,
    verifySignature: verifyEd25519,
    mayLeave: { prediction_order: predictionMayLeave({ orders, markets, preTrade }) },
    clock,
  });

  return createLivePredictionHandler({
    runtime,
    preTrade,
    venue: onchain.venue,
    chain: onchain.chain,
    submission,
    orders,
    exposureVersion: (orgId, bookId) => readExposureVersion(sql, orgId, bookId),
    obstacleOf: toCapacityObstacle,
    isSilence,
    clock,
    newId,
  });
}

function createPredictionOrders(deps: {
  readonly sql: Sql;
  readonly runtime: Pick<Runtime, 'start'>;
  readonly risk: RiskDeps;
  /** Providers, queried on demand. */
  readonly venues: Readonly<Record<PredictionProvider, Pick<PredictionAsking, 'book' | 'ask'>>>;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
}): PredictionOrderCommands {
  const { sql, clock, venues } = deps;
  return createPredictionOrderHandler({
    runtime: deps.runtime,
    preTrade: createPredictionPreTrade({
      risk: createManualRisk(deps.risk),
      markets: createPredictionStore(sql),
      listed: (market) => listedNow(venues, market),
      book: (market) => orNone(venues[market.provider].book(market)),
      bus: deps.risk.bus,
      clock,
    }),
    isOverrun: (error) => error instanceof BookMoved,
    clock,
    newId: deps.newId,
  });
}

export const predictionOrderCapability = {
  kind: predictionOrderKind,
  machineFile: 'actors/prediction-order/machine.ts',

  workers: ({ store, trading }) =>
    trading?.onchainPredictions ? predictionOrderWorkers({ load: store.load, venue: trading.onchainPredictions.venue }) : {},

  recurring: ({ sql, clock, containment }) => [
    {
      what: 'settling resolved prediction markets',
      everyMs: SETTLE_MS,
      run: () => settleResolved(sql, clock.now(), containment('settling resolved prediction markets')),
    },
  ],

  callers(deps): Pick<ApiPorts, 'predictionOrders'> {
    const { sql, runtime, risk, predictionBooks: venues, onchainPredictions: onchain, clock, newId } = deps;
    return {
      predictionOrders: {
        reads: createPredictionOrderStore(sql),
        live: createLivePredictionOrders({ sql, runtime, onchain, venues, risk, clock, newId }),
        commands: createPredictionOrders({ sql, runtime, risk, venues, clock, newId }),
      },
    };
  },
} satisfies ActorCapability;
