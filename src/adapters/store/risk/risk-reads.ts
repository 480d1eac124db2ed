/** Risk inputs of an organization: agents, books, mandate, pools, and open work on its manual book. */

import type { PreferencesView } from '../../../../actors/risk-preferences/commands.ts';
import type { Autonomy, Stage } from '../../../domain/agents/agent.ts';
import { bookIds, type OpenProposal, type TradingBook } from '../../../domain/books/book.ts';
import { type AccountFacts, NO_ACCOUNTS } from '../../../domain/books/free-dollars.ts';
import { type TransitAmount, transitReservations } from '../../../domain/bridge/transit.ts';
import type { Manifest } from '../../../domain/manifest/manifest.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import type { ExecutionMode } from '../../../domain/orders/order.ts';
import type { PredictionMarket } from '../../../domain/prediction/market.ts';
import type { BookSums } from '../../../domain/risk/context.ts';
import type { PoolLiquidity } from '../../../domain/risk/order-context.ts';
import type { RiskPreferences } from '../../../domain/risk/preferences.ts';
import type { BoundDollars } from '../../../domain/take/live-capital.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { askedTogether } from '../asked-together.ts';
import { bookById, readAllBooks, readHeldBooks } from '../books/book-store.ts';
import { type OtherBooksOf, otherBookSums, readOtherBookSums } from '../books/exposure-reads.ts';
import { amountsInTransit } from '../bridge/bridge-transfer-store.ts';
import { poolLiquidity } from '../catalog/pool-liquidity-store.ts';
import type { Sql, Transaction } from '../database.ts';
import { openMarketOrders } from '../orders/market-order-store.ts';
import { marketsOfOutcomes, openPredictionOrders } from '../orders/prediction-order-store.ts';
import { openPreparedTransactions } from '../orders/prepared-transaction-store.ts';
import { type Query, runQueries, runQuery } from '../queries.ts';
import { accountFacts, type Bound, boundDollars, NOTHING_BOUND, readAccountFacts } from '../vaults/account-facts.ts';
import { NEVER_SET, preferencesOfAll, preferencesQuery, readPreferences } from './risk-preferences-store.ts';

/** A book of an organization. `version` counts bookings, from 0. */
interface AccountBook {
  readonly id: string;
  /** Null for a manual book. */
  readonly agentId: string | null;
  readonly version: number;
  readonly state: TradingBook;
}

/** Present facts about an agent for its orders. */
interface AgentFacts {
  readonly id: string;
  readonly stage: Stage;
  readonly autonomy: Autonomy;
  readonly manifest: Manifest;
  readonly manifestVersion: number;
  readonly paused: boolean;
  /** Control epoch of the organization. A halt begins a new one. */
  readonly epoch: number;
}

/** Manual book of an organization, and its surroundings. */
export interface ManualAccount {
  readonly epoch: number;
  readonly preferences: RiskPreferences;
  /** Null before the first booking. */
  readonly book: AccountBook | null;
  /** Exposure of the organization in its other books of that mode. */
  readonly others: BookSums;
  /** Accounts besides its live books. Empty for paper. */
  readonly accounts: AccountFacts;
  /** Claims on those accounts by vaults, armed Takes and people's requests. Empty for paper. */
  readonly bound: Omit<BoundDollars, 'facts'>;
  /** Orders pending on the manual book, which reserve capacity there. */
  readonly waiting: readonly OpenProposal[];
}

interface AgentRow {
  readonly id: string;
  readonly org_id: string;
  readonly stage: Stage;
  readonly autonomy: Autonomy;
  readonly manifest_version: number;
  readonly paused: boolean;
  readonly epoch: number;
  readonly canonical: string;
}

/** Reads agents and Takes by id, as far as their orders depend on them. */
async function agentRows(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, AgentRow>> {
  const rows = await sql<AgentRow[]>`
    select a.id, a.org_id, a.stage, a.autonomy, a.manifest_version, a.paused, c.epoch, m.canonical
    from traders a join control c on c.org_id = a.org_id
    join manifests m on m.agent_id = a.id and m.version = a.manifest_version where a.id = any(${ids as string[]}::uuid[])`;
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns an agent's facts; null if the organization has no such agent. */
function agentFacts(row: AgentRow | undefined, orgId: string): AgentFacts | null {
  if (row === undefined || row.org_id !== orgId) return null;
  const { id, stage, autonomy, paused, epoch } = row;
  return { id, stage, autonomy, paused, epoch, manifest: JSON.parse(row.canonical) as Manifest, manifestVersion: row.manifest_version };
}

/**
 * Creates the reads for a process that assesses orders of many agents concurrently: reads of several orders share one statement, which sees
 * everything committed before it.
 */
export function createSharedRiskReads(sql: Sql): RiskReads {
  const reads = createRiskReads(sql);
  const rowOf = askedTogether<string, AgentRow | undefined>(async (ids) => {
    const rows = await agentRows(sql, [...new Set(ids)]);
    return (id) => rows.get(id);
  });
  const booksOfOne = askedTogether<string, ReadonlyMap<string, AccountBook>>(async (ids) => {
    const books = await readAllBooks(sql, [...new Set(ids)]);
    return (id) => new Map([...books].filter(([, { agentId }]) => agentId === id));
  });
  const sumsOf = askedTogether<OtherBooksOf, BookSums>(async (asked) => {
    const sums = new Map((await readOtherBookSums(sql, asked)).map((one, place) => [asked[place] as OtherBooksOf, one]));
    return (one) => sums.get(one) as BookSums;
  });
  const mandateOf = askedTogether<string, PreferencesView>(async (orgIds) => {
    const mandates = await preferencesOfAll(sql, [...new Set(orgIds)]);
    return (orgId) => mandates.get(orgId) ?? NEVER_SET;
  });
  const accountsOf = askedTogether<string, AccountFacts>(async (orgIds) => {
    const facts = await readAccountFacts(sql, [...new Set(orgIds)]);
    return (orgId) => facts.get(orgId) ?? NO_ACCOUNTS;
  });
  return {
    ...reads,
    accounts: accountsOf,
    agent: async (orgId, agentId) => agentFacts(await rowOf(agentId), orgId),
    agentBooks: booksOfOne,
    otherBooks: (orgId, mode, exceptBookId) => sumsOf({ orgId, mode, exceptBookId }),
    preferences: mandateOf,
  };
}

export function createRiskReads(sql: Sql) {
  return {
    /** Returns null if the organization has no such agent. */
    agent: async (orgId: string, agentId: string): Promise<AgentFacts | null> =>
      agentFacts((await agentRows(sql, [agentId])).get(agentId), orgId),
    /** Returns an agent's books by id, with open proposals. Books without events are missing. */
    agentBooks: (agentId: string): Promise<ReadonlyMap<string, AccountBook>> => readAllBooks(sql, [agentId]),
    /** Returns the exposure of the organization's books of a mode except one, at a cost independent of their number. */
    otherBooks: (orgId: string, mode: ExecutionMode, exceptBookId: string): Promise<BookSums> =>
      runQuery(otherBookSums(sql, { orgId, mode, exceptBookId })),
    /** Returns the newest reserve check of the organization, and its live books. */
    accounts: (orgId: string): Promise<AccountFacts> => runQuery(accountFacts(sql, orgId)),
    /** Returns the inputs of assessing a manual order, all at one moment. */
    async manualAccount(orgId: string, mode: ExecutionMode): Promise<ManualAccount> {
      const bookId = bookIds.manual(orgId, mode);
      const {
        epoch,
        mandate,
        book,
        others,
        accounts = NO_ACCOUNTS,
        bound = NOTHING_BOUND,
        ...waiting
      } = await runQueries<
        {
          epoch: number;
          mandate: PreferencesView;
          book: AccountBook | null;
          others: BookSums;
          accounts?: AccountFacts;
          bound?: Bound;
        } & Waiting
      >(sql, {
        epoch: epochQuery(sql, orgId),
        mandate: preferencesQuery(sql, orgId),
        book: bookById(sql, orgId, bookId),
        others: otherBookSums(sql, { orgId, mode, exceptBookId: bookId }),
        // Paper money is in no account.
        ...(mode === 'live' ? { accounts: accountFacts(sql, orgId), bound: boundDollars(sql, orgId) } : {}),
        ...waitingQueries(sql, orgId, bookId),
      });
      return { epoch, preferences: mandate.preferences, book, others, accounts, bound, waiting: allWaiting(waiting) };
    },
    /** Every book of the organization of one mode. */
    books: (orgId: string, mode: ExecutionMode): Promise<readonly AccountBook[]> => readHeldBooks(sql, orgId, mode),
    /** Returns all orders pending on a manual book, which reserve capacity there. */
    waitingOn: (orgId: string, bookId: string): Promise<readonly OpenProposal[]> => waitingOn(sql, orgId, bookId),
    /** Returns submitted transfers of the organization that have not ended. */
    inTransit: (orgId: string): Promise<readonly TransitAmount[]> => runQuery(amountsInTransit(sql, orgId)),
    /** Returns the organization's mandate. Version 0 is the defaults. */
    preferences: (orgId: string): Promise<{ readonly version: number; readonly preferences: RiskPreferences }> =>
      readPreferences(sql, orgId),
    epoch: (orgId: string): Promise<number> => controlEpoch(sql, orgId),
    /** Returns the last liquidity of instruments' pools received after `since`. Instruments without one are missing. */
    liquidity: (instruments: readonly InstrumentKey[], since: EpochMs): Promise<ReadonlyMap<InstrumentKey, PoolLiquidity>> =>
      poolLiquidity(sql, instruments, since),
    /** Returns the prediction markets of outcomes, by market id. */
    outcomeMarkets: (instruments: readonly InstrumentKey[]): Promise<ReadonlyMap<string, PredictionMarket>> =>
      marketsOfOutcomes(sql, instruments),
  };
}

/** Risk reads of an organization, its agents and its books. */
export type RiskReads = ReturnType<typeof createRiskReads>;

/** Open work on a manual book by kind. */
interface Waiting {
  readonly orders: readonly OpenProposal[];
  readonly transactions: readonly OpenProposal[];
  readonly predictions: readonly OpenProposal[];
  /** Amounts in transit, of the manual book only: no other book holds money that crosses chains. */
  readonly transit?: readonly TransitAmount[];
}

/** Reads all open orders that reserve capacity of a manual book. */
async function waitingOn(sql: Sql | Transaction, orgId: string, bookId: string): Promise<readonly OpenProposal[]> {
  return allWaiting(await runQueries<Waiting>(sql, waitingQueries(sql, orgId, bookId)));
}

function waitingQueries(sql: Sql | Transaction, orgId: string, bookId: string): { readonly [Name in keyof Waiting]: Query<Waiting[Name]> } {
  return {
    orders: openMarketOrders(sql, orgId, bookId),
    transactions: openPreparedTransactions(sql, orgId, bookId),
    predictions: openPredictionOrders(sql, orgId, bookId),
    ...(bookId === bookIds.manual(orgId, 'live') ? { transit: amountsInTransit(sql, orgId) } : {}),
  };
}

function allWaiting({ orders, transactions, predictions, transit = [] }: Waiting): readonly OpenProposal[] {
  return [...orders, ...transactions, ...predictions, ...transitReservations(transit)];
}

/** Returns the organization's control epoch; 0 if it was never halted. */
export function controlEpoch(sql: Sql, orgId: string): Promise<number> {
  return runQuery(epochQuery(sql, orgId));
}

function epochQuery(sql: Sql, orgId: string): Query<number> {
  return {
    statement: sql`select epoch from control where org_id = ${orgId}`,
    read: ([row]: { readonly epoch: number }[]) => row?.epoch ?? 0,
  };
}
