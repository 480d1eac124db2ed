/** Trade proposals as commands, lists and halts read them. Every read of the outside names the organization. */
import type { ProposalTransaction, ProposalView } from '../../../../actors/proposal/commands.ts';
import type { ShownExecution } from '../../../../actors/proposal/parts.ts';
import type { ProposalReads } from '../../../../api/v1/agent-orders/ports.ts';
import type { Autonomy } from '../../../domain/agent.ts';
import type { Fill } from '../../../domain/book.ts';
import type { DecimalString } from '../../../domain/decimal.ts';
import type { RiskAttribution } from '../../../domain/decision.ts';
import { type ProposalState, proposalTransactionId } from '../../../domain/execution.ts';
import type { Order } from '../../../domain/order.ts';
import { withFills } from '../books/order-fills.ts';
import type { Sql } from '../database.ts';
import { pageOfRows } from '../page-of-rows.ts';

interface ProposalRow {
  readonly id: string;
  readonly number: number;
  readonly agent_id: string;
  readonly decision_id: string | null;
  readonly slot: number;
  readonly side: 'entry' | 'exit';
  readonly state: ProposalState;
  readonly reason: string | null;
  readonly manifest_version: number;
  readonly manifest_hash: string;
  readonly autonomy: Autonomy;
  readonly order_body: Order;
  /** Null of proposals from before orders were carried out in parts. */
  readonly execution: ShownExecution | null;
  readonly decision_price: DecimalString;
  readonly reads_reference: boolean;
  readonly risk: RiskAttribution;
  readonly decided_by: string | null;
  readonly filled_quantity: DecimalString;
  readonly filled_notional_usd: DecimalString;
  readonly created_at: number;
  readonly expires_at: number;
  readonly changed_at: number;
}

/** Reads of proposals, and whether an order of one may be on its way. */
export interface ProposalStore extends ProposalReads {
  /** True if an order may be on its way to its venue at this moment. */
  leaseIsHeld(proposalId: string): Promise<boolean>;
}

export function createProposalStore(sql: Sql): ProposalStore {
  const columns = sql`id, number, agent_id, decision_id, slot, side, state, reason, manifest_version, manifest_hash, autonomy, order_body, execution,
    decision_price::text, reads_reference, risk, decided_by, filled_quantity::text, filled_notional_usd::text, created_at, expires_at, changed_at`;

  async function viewsOf(rows: readonly ProposalRow[]): Promise<ProposalView[]> {
    const transactions = await transactionsOf(rows);
    return withFills(
      sql,
      rows,
      ({ filled_quantity }) => filled_quantity !== '0',
      (row, fills) => proposalOf(row, fills, transactions.get(proposalTransactionId(row.id)) ?? null),
    );
  }

  /** The transactions of proposals on the primary chain, by their ids. */
  async function transactionsOf(rows: readonly ProposalRow[]): Promise<ReadonlyMap<string, ProposalTransaction>> {
    const ids = rows
      .filter(({ order_body }) => order_body.venue === 'spotchain' && order_body.mode === 'live')
      .map(({ id }) => proposalTransactionId(id));
    if (ids.length === 0) return new Map();
    const found = await sql<
      ProposalTransaction[]
    >`select id, state, wallet, executor from prepared_transactions where id = any(${ids}::uuid[])`;
    return new Map(found.map((transaction) => [transaction.id, transaction]));
  }

  return {
    /** Newest first. The position is the last proposal's number. */
    async list(orgId, filter, { limit, after }) {
      const rows = await sql<ProposalRow[]>`
        select ${columns} from proposals where org_id = ${orgId}
        ${filter.state === undefined ? sql`` : sql`and state = ${filter.state}`}
        ${filter.agentId === undefined ? sql`` : sql`and agent_id = ${filter.agentId}`}
        ${after === null ? sql`` : sql`and number < ${Number(after)}`}
        order by number desc limit ${limit + 1}`;
      const page = pageOfRows(rows, limit, (row) => String(row.number));
      return { items: await viewsOf(page.items), next: page.next };
    },

    async leaseIsHeld(proposalId) {
      const rows = await sql`select 1 from execution_leases where key = ${proposalId} and held_until > clock_timestamp()`;
      return rows.length > 0;
    },

    /** Null if the organization has no such proposal. */
    async find(orgId, proposalId) {
      const rows = await sql<ProposalRow[]>`select ${columns} from proposals where id = ${proposalId} and org_id = ${orgId}`;
      return (await viewsOf(rows))[0] ?? null;
    },
  };
}

function proposalOf(row: ProposalRow, fills: readonly Fill[], transaction: ProposalTransaction | null): ProposalView {
  return {
    id: row.id,
    agentId: row.agent_id,
    decisionId: row.decision_id,
    slot: row.slot,
    side: row.side,
    state: row.state,
    reason: row.reason,
    manifestVersion: row.manifest_version,
    manifestHash: row.manifest_hash,
    autonomy: row.autonomy,
    order: row.order_body,
    execution: row.execution,
    decisionPrice: row.decision_price,
    readsReference: row.reads_reference,
    risk: row.risk,
    decidedBy: row.decided_by,
    filledQuantity: row.filled_quantity,
    filledNotionalUsd: row.filled_notional_usd,
    fills,
    transaction,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    changedAt: row.changed_at,
  };
}
