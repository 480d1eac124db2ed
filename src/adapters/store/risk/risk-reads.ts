/** What risk reads of an organization, from PostgreSQL: its agents, books, mandate, pools and what waits on its manual book. */

import type { Autonomy, Stage } from '../../../domain/agent.ts';
import { bookIds } from '../../../domain/book.ts';
import { transitReservations } from '../../../domain/bridge/transit.ts';
import type { Manifest } from '../../../domain/manifest/manifest.ts';
import type { RiskReads } from '../../../trading/ports.ts';
import { bookById, booksOf, booksOfOrganizations } from '../books/book-store.ts';
import { otherBookSums } from '../books/exposure-reads.ts';
import { amountsInTransit } from '../bridge/bridge-transfer-store.ts';
import { poolLiquidity } from '../catalog/pool-liquidity-store.ts';
import type { Sql } from '../database.ts';
import { openMarketOrders } from '../orders/market-order-store.ts';
import { marketsOfOutcomes, openPredictionOrders } from '../orders/prediction-order-store.ts';
import { openPreparedTransactions } from '../orders/prepared-transaction-store.ts';
import { preferencesOf } from './risk-preferences-store.ts';

interface AgentRow {
  readonly id: string;
  readonly stage: Stage;
  readonly autonomy: Autonomy;
  readonly manifest_version: number;
  readonly paused: boolean;
  readonly epoch: number;
  readonly canonical: string;
}

export function createRiskReads(sql: Sql): RiskReads {
  return {
    async agent(orgId, agentId) {
      const [row] = await sql<AgentRow[]>`
        select a.id, a.stage, a.autonomy, a.manifest_version, a.paused, c.epoch, m.canonical
        from traders a join control c on c.org_id = a.org_id
        join manifests m on m.agent_id = a.id and m.version = a.manifest_version where a.id = ${agentId} and a.org_id = ${orgId}`;
      if (row === undefined) return null;
      const { id, stage, autonomy, paused, epoch } = row;
      return { id, stage, autonomy, paused, epoch, manifest: JSON.parse(row.canonical) as Manifest, manifestVersion: row.manifest_version };
    },
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
