/** Store of outside proposals. Rows are append-only; the result of a proposal follows from the decision of its slot. */
import type { OutsideReceipt, OutsideStore, OutsideView } from '../../../../actors/agent/outside-proposals.ts';
import { agent } from '../../../../actors/agent/resource.ts';
import { type DecisionRow, decisionId } from '../../../domain/agents/decision.ts';
import type { Manifest } from '../../../domain/manifest/manifest.ts';
import type { Cut } from '../../../domain/market/cut.ts';
import { type OutsideProposal, outsideState, type ProposedTrade } from '../../../domain/outside/outside-proposal.ts';
import { canonicalJson } from '../../../domain/values/canonical-json.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { writeRecords } from '../actors/actor-records.ts';
import { inTransaction } from '../actors/actor-store.ts';
import { readTradedBooks } from '../books/book-store.ts';
import type { Sql, Transaction } from '../database.ts';
import { pageOfRows } from '../queries.ts';
import { selectColumns } from '../resource-rows.ts';
import { readPreferences } from '../risk/risk-preferences-store.ts';
import { toAgent } from './agent-reads.ts';
import { readWrittenCut } from './cut-store.ts';

interface Row {
  readonly id: string;
  readonly number: number;
  readonly slot: EpochMs;
  readonly received_at: EpochMs;
  readonly submitted_by: string;
  readonly hash: string;
  readonly canonical: string;
}

interface DecidedRow extends Row, Partial<Pick<DecisionRow, 'disposition' | 'reason' | 'instrument' | 'outcome'>> {
  /** True if the slot was ticked. */
  readonly passed: boolean;
  /** True if the decisions of its slot were archived. */
  readonly moved: boolean;
}

/** Refusals by the database rule that rejects a proposal. */
const REFUSED: Readonly<Record<string, 'pending' | 'too_late' | 'revoked'>> = {
  one_outside_proposal_pending: 'pending',
  one_outside_proposal_per_slot: 'pending',
  one_outside_client_id: 'pending',
  outside_before_slot_begins: 'too_late',
  outside_sender_may_propose: 'revoked',
};

const RECEIPT = (on: Sql | Transaction) => on`p.id, p.number, p.slot, p.received_at, p.submitted_by, p.hash, p.canonical`;

/** Selects a proposal with the decision of its slot. Once the shard has passed the slot, no decision on it can follow. */
const DECIDED = (sql: Sql, lateBefore: EpochMs) => sql`
  select ${RECEIPT(sql)}, d.disposition, d.reason, d.instrument, d.outcome,
    coalesce(t.last_slot, 0) >= p.slot or p.slot <= ${lateBefore} as passed,
    p.slot < coalesce((select max(until_slot) from moved_history), 0) as moved
  from outside_proposals p join actors a on a.id = p.agent_id
  left join tick_shards t on t.period_ms = a.tick_period_ms and t.shard = a.shard
  left join decisions d on d.agent_id = p.agent_id and d.slot = p.slot`;

export function createOutsideStore(sql: Sql): OutsideStore {
  return {
    mandated: (orgId, agentId) => mandated(sql, orgId, agentId),

    async find(orgId, agentId, clientId) {
      const [row] = await sql<Row[]>`
        select ${RECEIPT(sql)} from outside_proposals p where p.org_id = ${orgId} and p.agent_id = ${agentId} and p.client_id = ${clientId}`;
      return row === undefined ? null : toReceipt(row);
    },

    async books(agentId) {
      return new Map([...(await readTradedBooks(sql, [agentId]))].map(([id, { state }]) => [id, state]));
    },

    preferences: async (orgId) => (await readPreferences(sql, orgId)).preferences,

    async agreement(agentId) {
      const [row] = await sql<{ id: string; created_at: EpochMs }[]>`
        select id, created_at from evaluation_runs where agent_id = ${agentId} and evaluation = 'agreement' and state in ('queued', 'running')`;
      return row === undefined ? null : { sessionId: row.id, openedAt: row.created_at };
    },

    lastCut: (manifest, at) => lastCut(sql, manifest, at),

    receive: (orgId, receipt, inputs, records) =>
      inTransaction(sql, async (transaction) => {
        const { id, agentId, clientId, slot, receivedAt, submittedBy, hash } = receipt;
        await transaction`
          insert into outside_proposals (id, org_id, agent_id, client_id, slot, received_at, submitted_by, hash, canonical)
          values (${id}, ${orgId}, ${agentId}, ${clientId}, ${slot}, ${receivedAt}, ${submittedBy}, ${hash}, ${toCanonical(receipt)})`;
        if (inputs !== null)
          await transaction`insert into outside_inputs (proposal_id, org_id, received_at, body) values (${id}, ${orgId}, ${receivedAt}, ${inputs})`;
        await writeRecords(transaction, records);
        return 'received' as const;
      }).catch((error: { constraint_name?: string }) => REFUSED[error.constraint_name ?? ''] ?? Promise.reject(error)),

    /** Lists proposals, newest first. The position is the last one's number. */
    async list(orgId, agentId, { limit, after }, lateBefore) {
      if ((await mandated(sql, orgId, agentId)) === null) return null;
      const rows = await sql<DecidedRow[]>`
        ${DECIDED(sql, lateBefore)} where p.org_id = ${orgId} and p.agent_id = ${agentId} ${after === null ? sql`` : sql`and p.number < ${Number(after)}`}
        order by p.number desc limit ${limit + 1}`;
      const page = pageOfRows(rows, limit, ({ number }) => String(number));
      return { items: page.items.map(toView), next: page.next };
    },

    async get(orgId, agentId, id, lateBefore) {
      const [row] = await sql<DecidedRow[]>`
        ${DECIDED(sql, lateBefore)} where p.org_id = ${orgId} and p.agent_id = ${agentId} and p.id = ${id}`;
      return row === undefined ? null : toView(row);
    },
  };
}

async function mandated(sql: Sql, orgId: string, agentId: string) {
  const [row] = await sql<{ canonical: string }[]>`
    select ${selectColumns(sql, agent)}, m.canonical from agents t join manifests m on m.agent_id = t.id and m.version = t.manifest_version
    where t.org_id = ${orgId} and t.id = ${agentId}`;
  return row === undefined ? null : { view: toAgent(row), manifest: JSON.parse(row.canonical) as Manifest };
}

function toCanonical({ hash: _hash, id: _id, slot: _slot, receivedAt: _at, submittedBy: _by, ...trade }: OutsideReceipt): string {
  return canonicalJson(trade);
}

function toReceipt({ id, slot, received_at: receivedAt, submitted_by: submittedBy, hash, canonical }: Row): OutsideReceipt {
  return { ...(JSON.parse(canonical) as ProposedTrade), hash, id, slot, receivedAt, submittedBy };
}

function toView(row: DecidedRow): OutsideView {
  const receipt = toReceipt(row);
  const { disposition, reason = null, instrument = null, outcome } = row;
  const decision = disposition == null || outcome === undefined ? null : { disposition, reason, instrument, outcome };
  const state = row.passed ? outsideState(receipt, decision, row.moved) : 'pending';
  const isOn = decision !== null && state !== 'pending' && state !== 'missed';
  return {
    ...receipt,
    state,
    decision: isOn ? { id: decisionId(receipt.agentId, row.slot), disposition: decision.disposition, reason } : null,
  };
}

/** Returns the last uncorrected cut, restricted to the instruments of the mandate. */
async function lastCut(sql: Sql, { universe }: Manifest, at: EpochMs): Promise<Cut | null> {
  const [last] = await sql<{ slot: EpochMs }[]>`select slot from judged_cuts where slot <= ${at} order by slot desc limit 1`;
  if (last === undefined) return null;
  return readWrittenCut(
    sql,
    last.slot,
    universe.map(({ key }) => key),
  );
}

/** Reads the outside proposals for ticks. */
export async function readOutsideProposals(
  sql: Sql,
  agentIds: readonly string[],
  slot: EpochMs,
): Promise<ReadonlyMap<string, OutsideProposal>> {
  const rows = await sql<{ agent_id: string; hash: string; canonical: string }[]>`
    select agent_id, hash, canonical from outside_proposals where agent_id = any(${agentIds as string[]}::uuid[]) and slot = ${slot}`;
  return new Map(rows.map(({ agent_id, hash, canonical }) => [agent_id, { ...(JSON.parse(canonical) as ProposedTrade), hash }]));
}
