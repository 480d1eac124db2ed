/** What risk reads of an organization, from PostgreSQL: its agents, books, mandate, pools and what waits on its manual book. */

import type { Autonomy, Stage } from '../../../domain/agent.ts';
import { bookIds } from '../../../domain/book.ts';
import { transitReservations } from '../../../domain/bridge/transit.ts';
import type { Manifest } from '../../../domain/manifest/manifest.ts';
import type { BookSums } from '../../../domain/risk/context.ts';
import type { AccountBook, AgentFacts, RiskReads } from '../../../trading/ports.ts';
import { askedTogether } from '../asked-together.ts';
import { bookById, booksOf, booksOfOrganizations } from '../books/book-store.ts';
import { type OtherBooksOf, otherBookSums, otherBookSumsOf } from '../books/exposure-reads.ts';
import { amountsInTransit } from '../bridge/bridge-transfer-store.ts';
import { poolLiquidity } from '../catalog/pool-liquidity-store.ts';
import type { Sql } from '../database.ts';
import { openMarketOrders } from '../orders/market-order-store.ts';
import { marketsOfOutcomes, openPredictionOrders } from '../orders/prediction-order-store.ts';
import { openPreparedTransactions } from '../orders/prepared-transaction-store.ts';
import { NEVER_SET, preferencesOf, preferencesOfAll, type StoredPreferences } from './risk-preferences-store.ts';

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

/** Agents and Takes as their orders depend on them, by id. */
async function agentRows(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, AgentRow>> {
  const rows = await sql<AgentRow[]>`
    select a.id, a.org_id, a.stage, a.autonomy, a.manifest_version, a.paused, c.epoch, m.canonical
    from traders a join control c on c.org_id = a.org_id
    join manifests m on m.agent_id = a.id and m.version = a.manifest_version where a.id = any(${ids as string[]}::uuid[])`;
  return new Map(rows.map((row) => [row.id, row]));
}

/** @returns null where the organization has no such agent. */
function agentFacts(row: AgentRow | undefined, orgId: string): AgentFacts | null {
  if (row === undefined || row.org_id !== orgId) return null;
  const { id, stage, autonomy, paused, epoch } = row;
  return { id, stage, autonomy, paused, epoch, manifest: JSON.parse(row.canonical) as Manifest, manifestVersion: row.manifest_version };
}

/**
 * The same reads for a process that assesses the orders of many agents at the same moment: what several of them ask is one
 * statement. Each statement sees what was committed before it, as it does for one.
 */
export function createSharedRiskReads(sql: Sql): RiskReads {
  const reads = createRiskReads(sql);
  const rowOf = askedTogether<string, AgentRow | undefined>(async (ids) => {
    const rows = await agentRows(sql, [...new Set(ids)]);
    return (id) => rows.get(id);
  });
  const booksOfOne = askedTogether<string, ReadonlyMap<string, AccountBook>>(async (ids) => {
    const books = await booksOf(sql, [...new Set(ids)]);
    return (id) => new Map([...books].filter(([, { agentId }]) => agentId === id));
  });
  const sumsOf = askedTogether<OtherBooksOf, BookSums>(async (asked) => {
    const sums = new Map((await otherBookSumsOf(sql, asked)).map((one, place) => [asked[place] as OtherBooksOf, one]));
    return (one) => sums.get(one) as BookSums;
  });
  const mandateOf = askedTogether<string, StoredPreferences>(async (orgIds) => {
    const mandates = await preferencesOfAll(sql, [...new Set(orgIds)]);
    return (orgId) => mandates.get(orgId) ?? NEVER_SET;
  });
  return {
    ...reads,
    agent: async (orgId, agentId) => agentFacts(await rowOf(agentId), orgId),
    agentBooks: booksOfOne,
    otherBooks: (orgId, mode, exceptBookId) => sumsOf({ orgId, mode, exceptBookId }),
    preferences: mandateOf,
  };
}

export function createRiskReads(sql: Sql): RiskReads {
  return {
    agent: async (orgId, agentId) => agentFacts((await agentRows(sql, [agentId])).get(agentId), orgId),
    agentBooks: (agentId) => booksOf(sql, [agentId]),
    otherBooks: (orgId, mode, exceptBookId) => otherBookSums(sql, orgId, mode, exceptBookId),
    manualBook: (orgId, mode) => bookById(sql, orgId, bookIds.manual(orgId, mode)),
    books: (orgId, mode) => booksOfOrganizations(sql, [orgId], mode),
    async waitingOn(orgId, bookId) {
      const waiting = await Promise.all([
        openMarketOrders(sql, orgId, bookId),
        openPreparedTransactions(sql, orgId, bookId),
        openPredictionOrders(sql, orgId, bookId),
      ]);
      // Only real money crosses, and it is the organization's own.
      const transit = bookId === bookIds.manual(orgId, 'live') ? transitReservations(await amountsInTransit(sql, orgId)) : [];
      return [...waiting.flat(), ...transit];
    },
    inTransit: (orgId) => amountsInTransit(sql, orgId),
    preferences: (orgId) => preferencesOf(sql, orgId),
    epoch: (orgId) => controlEpoch(sql, orgId),
    liquidity: (instruments, since) => poolLiquidity(sql, instruments, since),
    outcomeMarkets: (instruments) => marketsOfOutcomes(sql, instruments),
  };
}

/** The organization's control epoch; zero where it never had one. */
export async function controlEpoch(sql: Sql, orgId: string): Promise<number> {
  const [row] = await sql<{ epoch: number }[]>`select epoch from control where org_id = ${orgId}`;
  return row?.epoch ?? 0;
}
