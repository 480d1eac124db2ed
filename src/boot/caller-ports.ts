/**
 * API ports through which callers reach their organization's rows. They are created once per organization, on connections that see no
 * other (docs/decisions/0067-row-level-security.md). A port on the engine's connections would see all rows, so callers' ports are created
 * only here and in the capabilities.
 */
import { createDelegationHandler } from '../../actors/delegation/commands.ts';
import { createInterventions } from '../../actors/intervention/commands.ts';
import { createLeaderboardWalletHandler } from '../../actors/leaderboard-wallet/commands.ts';
import { createPreferencesHandler } from '../../actors/risk-preferences/commands.ts';
import { createActorBranches } from '../../actors/runtime/actor-branches.ts';
import { createDirectory } from '../../actors/runtime/directory.ts';
import type { Runtime } from '../../actors/runtime/runtime.ts';
import type { FeedPorts } from '../../api/feeds/feed-ports.ts';
import type { ApiPorts } from '../../api/route.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { checkedAddress } from '../adapters/evmchain/checked-address.ts';
import { type EvmWallets, isTextSigned } from '../adapters/identity/wallet-signature.ts';
import { createActivityFates, createActorReads } from '../adapters/store/actors/actor-reads.ts';
import { createHistoryStore } from '../adapters/store/actors/history-store.ts';
import { createInterventionStore } from '../adapters/store/actors/intervention-store.ts';
import { createRuntimeReads } from '../adapters/store/actors/runtime-reads.ts';
import { createAgentDirectory } from '../adapters/store/agents/agent-directory.ts';
import { createDecisionReads } from '../adapters/store/agents/decision-reads.ts';
import { createBookReads } from '../adapters/store/books/book-reads.ts';
import { createMarginStore } from '../adapters/store/books/margin-store.ts';
import { createPositionFills } from '../adapters/store/books/portfolio-reads.ts';
import { perOrganization } from '../adapters/store/callers/as-organization.ts';
import { createIdempotencyStore } from '../adapters/store/callers/idempotency-store.ts';
import { createMemberSettings } from '../adapters/store/callers/member-settings.ts';
import { createConversationStore } from '../adapters/store/copilot/conversation-store.ts';
import type { Sql } from '../adapters/store/database.ts';
import { createDelegationStore } from '../adapters/store/delegations/delegation-store.ts';
import { createRegistrationStore } from '../adapters/store/leaderboard/leaderboard-store.ts';
import { createPreferencesStore } from '../adapters/store/risk/risk-preferences-reads.ts';
import { createRiskReads } from '../adapters/store/risk/risk-reads.ts';
import { createTakeReads } from '../adapters/store/takes/take-reads.ts';
import { createPortfolioPort } from '../trading/portfolio.ts';
import { createPreTrade } from '../trading/pre-trade.ts';
import type { RiskDeps } from '../trading/present-market.ts';
import type { CallerDeps } from './capabilities/capability.ts';
import { ACTOR_KINDS, type CapabilityPorts, createCallerPorts } from './capabilities/index.ts';
import { createLinkedWallets } from './wiring/linked-wallets.ts';
import { createMembers } from './wiring/members.ts';

export type CallerPorts = CapabilityPorts &
  Pick<
    ApiPorts,
    | 'actors'
    | 'answers'
    | 'books'
    | 'copilot'
    | 'delegations'
    | 'leaderboardWallets'
    | 'linkedWallets'
    | 'members'
    | 'portfolio'
    | 'riskPreferences'
    | 'settings'
  > & {
    /** Runtime ports without the queues, which belong to no organization. */
    readonly runtime: Omit<ApiPorts['runtime'], 'queues'>;
    /** Connections that see only one organization. */
    readonly connection: { of(orgId: string): Sql };
    /** Decisions of the organization within a shard's tick. */
    readonly shardDecisions: {
      of(orgId: string, batch: Parameters<FeedPorts['expandDecisions']>[0]): ReturnType<FeedPorts['expandDecisions']>;
    };
  };

/** Opens the ports. `callers` uses the role sevengate_api, `evaluator` the role sevengate_evaluator. */
export function openCallerPorts(
  deps: Omit<CallerDeps, 'sql' | 'runtime' | 'preTrade' | 'risk'> & {
    readonly callers: Sql;
    readonly runtimeOn: (sql: Sql) => Runtime;
    /** Venues whose live orders cannot be executed. */
    readonly disabledVenues: RiskDeps['disabledVenues'];
    readonly evmWallets: EvmWallets;
  },
): CallerPorts {
  const { bus, orderBooks, clock, newId } = deps;
  return perOrganization<CallerPorts>(deps.callers, (sql) => {
    const runtime = deps.runtimeOn(sql);
    const risk = { reads: createRiskReads(sql), bus, clock, disabledVenues: deps.disabledVenues };
    const preTrade = createPreTrade({ ...risk, orderBooks });
    const decisions = createDecisionReads(sql);
    const directory = createDirectory(ACTOR_KINDS);
    return {
      ...createCallerPorts({ ...deps, sql, runtime, preTrade, risk }),
      connection: { of: () => sql },
      actors: {
        reads: createActorReads(sql),
        ...createActorBranches({
          store: createHistoryStore(sql),
          fates: createActivityFates(sql),
          directory,
          clock,
        }),
      },
      runtime: {
        reads: createRuntimeReads(sql, clock),
        commands: createInterventions({ store: createInterventionStore(sql), runtime, directory, clock }),
      },
      answers: { find: createIdempotencyStore(sql).find },
      copilot: { conversations: createConversationStore(sql, newId) },
      shardDecisions: { of: (orgId, batch) => decisions.ofShard(batch, orgId) },
      delegations: createDelegations(sql, clock, newId),
      leaderboardWallets: {
        commands: createLeaderboardWalletHandler({ store: createRegistrationStore(sql), clock, evmAddress: checkedAddress }),
      },
      linkedWallets: createLinkedWallets(sql, clock, newId, deps.evmWallets),
      members: createMembers(sql, clock, newId),
      settings: createMemberSettings(sql),
      books: createBookReads(sql),
      portfolio: createPortfolioPort({
        reads: risk.reads,
        fills: createPositionFills(sql),
        margins: createMarginStore(sql),
        bus,
        preTrade,
        clock,
      }),
      riskPreferences: createRiskPreferencesPort(sql, clock),
    };
  });
}

function createRiskPreferencesPort(sql: Sql, clock: Pick<Clock, 'now'>): ApiPorts['riskPreferences'] {
  const store = createPreferencesStore(sql);
  const handler = createPreferencesHandler({ store, clock });
  return { current: store.current, history: store.history, replace: handler.replace };
}

export function createDelegations(sql: Sql, clock: Pick<Clock, 'now'>, newId: () => string): ApiPorts['delegations'] {
  const store = createDelegationStore(sql);
  const agents = createAgentDirectory(sql);
  const takes = createTakeReads(sql);
  return {
    reads: { list: store.list },
    commands: createDelegationHandler({
      store: {
        ...store,
        hasTrader: async (orgId, trader, id) => (await (trader === 'agent' ? agents : takes).find(orgId, id)) !== null,
        executionsEnded: agents.leasesEnded,
      },
      clock,
      newId,
      isSigned: isTextSigned,
    }),
  };
}
