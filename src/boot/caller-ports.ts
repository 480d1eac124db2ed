/**
 * The doors of the API through which callers reach the rows of their organization. They are made once per organization,
 * on connections that see no other (docs/decisions/0067-row-level-security.md); a door on the engine's connections would
 * see all of them, so a new one for callers is made here.
 */
import { createCommandHandler } from '../../actors/agent/command-handler.ts';
import { createVaultHandler } from '../../actors/agent/vault-handler.ts';
import { createEvaluationHandler } from '../../actors/evaluation/command-handler.ts';
import { createMarketOrderHandler } from '../../actors/market-order/command-handler.ts';
import { createProposalHandler } from '../../actors/proposal/command-handler.ts';
import type { Runtime } from '../../actors/runtime/runtime.ts';
import type { FeedPorts } from '../../api/feeds/ports.ts';
import type { ApiPorts } from '../../api/ports.ts';
import type { OrderBookReads } from '../../api/v1/order-book/ports.ts';
import type { Clock } from '../../streams/clock.ts';
import type { BusQuote } from '../adapters/queue/quote-bus.ts';
import { createAgentDirectory } from '../adapters/store/agents/agent-directory.ts';
import { createAgentReads } from '../adapters/store/agents/agent-reads.ts';
import { createDecisionReads } from '../adapters/store/agents/decision-reads.ts';
import { createBookReads } from '../adapters/store/books/book-reads.ts';
import { BookMoved } from '../adapters/store/books/book-store.ts';
import { perOrganization } from '../adapters/store/callers/as-organization.ts';
import { createIdempotencyStore } from '../adapters/store/callers/idempotency-store.ts';
import type { Sql } from '../adapters/store/database.ts';
import { createEvaluationReads } from '../adapters/store/evaluations/evaluation-store.ts';
import { createMarketOrderStore } from '../adapters/store/orders/market-order-store.ts';
import { createPredictionOrderStore } from '../adapters/store/orders/prediction-order-store.ts';
import { createPreparedTransactionStore } from '../adapters/store/orders/prepared-transaction-store.ts';
import { createProposalStore } from '../adapters/store/orders/proposal-store.ts';
import { createVaultStore } from '../adapters/store/vaults/vault-store.ts';
import type { PredictionProvider } from '../domain/prediction/market.ts';
import type { InstrumentKey } from '../domain/venue.ts';
import { createLiveMarks } from '../trading/live-marks.ts';
import { createPortfolioPort } from '../trading/portfolio.ts';
import { createPreTrade } from '../trading/pre-trade.ts';
import { createDelegations } from './delegations.ts';
import { openGates } from './gates.ts';
import { createLivePredictionOrders, createPredictionOrders, type OnchainPredictions } from './prediction-orders.ts';
import type { PredictionAsking } from './prediction-reads.ts';
import { createSwaps, noSwaps, type PrimaryChain } from './prepared-transactions.ts';
import { createRiskPreferencesPort } from './risk-preferences.ts';

export type CallerPorts = Pick<
  ApiPorts,
  | 'agents'
  | 'answers'
  | 'books'
  | 'delegations'
  | 'marketOrders'
  | 'portfolio'
  | 'predictionOrders'
  | 'proposals'
  | 'riskPreferences'
  | 'swaps'
  | 'vaults'
> & {
  /** The connections on which nothing else is seen. */
  readonly connection: { of(orgId: string): Sql };
  /** The organization's decisions among those of a shard's tick. */
  readonly shardDecisions: {
    of(orgId: string, batch: Parameters<FeedPorts['expandDecisions']>[0]): ReturnType<FeedPorts['expandDecisions']>;
  };
};

export function openCallerPorts(deps: {
  /** Works as the role sevengate_api. */
  readonly callers: Sql;
  /** Works as the role sevengate_evaluator: it puts evidence on record of agents that a caller's own connection found. */
  readonly evaluator: Sql;
  readonly runtimeOn: (sql: Sql) => Runtime;
  readonly bus: { latest(key: InstrumentKey): BusQuote | null };
  readonly orderBooks: OrderBookReads;
  /** Null where live prediction orders are not set up. */
  readonly onchainPredictions: OnchainPredictions | null;
  /** Null where no node of it is named: then nothing is swapped. */
  readonly primaryChain: PrimaryChain | null;
  readonly predictionBooks: Readonly<Record<PredictionProvider, Pick<PredictionAsking, 'book' | 'ask'>>>;
  /** Whether orders of people may go to the live spot exchange. */
  readonly live: boolean;
  readonly clock: Clock;
  readonly newId: () => string;
}): CallerPorts {
  const { evaluator, bus, orderBooks, clock, newId } = deps;
  return perOrganization<CallerPorts>(deps.callers, (sql) => {
    const runtime = deps.runtimeOn(sql);
    const preTrade = createPreTrade({ sql, bus, orderBooks, clock });
    const proposals = createProposalStore(sql);
    const vaults = createVaultStore(sql);
    const decisions = createDecisionReads(sql);
    const { find, list, report, activeManifest } = createEvaluationReads(sql);
    const answers = createIdempotencyStore(sql);
    const swaps = createPreparedTransactionStore(sql).ofPurpose('swap');
    return {
      connection: { of: () => sql },
      answers: { find: answers.find },
      agents: {
        reads: createAgentReads(sql),
        commands: createCommandHandler({ runtime, agents: createAgentDirectory(sql), clock, newId }),
        decisions: { list: decisions.list, get: decisions.get },
        gates: openGates({ sql, evaluator, runtime, newId }).commands,
        evaluations: {
          find,
          list,
          report,
          commands: createEvaluationHandler({ runtime, evaluations: { find, activeManifest }, clock, newId }),
        },
      },
      shardDecisions: { of: (orgId, batch) => decisions.ofShard(batch, orgId) },
      proposals: {
        reads: { list: proposals.list, find: proposals.find },
        commands: createProposalHandler({ runtime, proposals, preTrade }),
      },
      marketOrders: {
        reads: createMarketOrderStore(sql),
        commands: createMarketOrderHandler({
          runtime,
          preTrade,
          live: deps.live,
          isOverrun: (error) => error instanceof BookMoved,
          clock,
          newId,
        }),
      },
      swaps: {
        reads: swaps,
        commands: deps.primaryChain === null ? noSwaps(swaps.find) : createSwaps({ sql, runtime, ...deps.primaryChain, bus, clock, newId }),
      },
      predictionOrders: {
        reads: createPredictionOrderStore(sql),
        commands: createPredictionOrders({ sql, runtime, bus, venues: deps.predictionBooks, clock, newId }),
        live: createLivePredictionOrders({
          sql,
          runtime,
          onchain: deps.onchainPredictions,
          venues: deps.predictionBooks,
          bus,
          clock,
          newId,
        }),
      },
      delegations: createDelegations(sql, clock, newId),
      vaults: {
        commands: createVaultHandler({ vaults, marks: createLiveMarks(bus, clock), clock }),
        ranking: { rank: (orgId, window, page) => vaults.rank(orgId, window, page, clock.now()) },
      },
      books: createBookReads(sql),
      portfolio: createPortfolioPort({ sql, bus, preTrade, clock }),
      riskPreferences: createRiskPreferencesPort(sql, clock),
    };
  });
}
