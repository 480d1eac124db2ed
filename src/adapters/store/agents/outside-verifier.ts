/**
 * Verifies outside proposals: each is based on the stored record of its slot with the same hash and was received before the slot. It does
 * not verify the code that sent them.
 */
import { canonicalJson, type Json, sha256Hex } from '../../../domain/values/canonical-json.ts';
import { proposalIn } from '../../../domain/outside/outside-proposal.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Transaction } from '../database.ts';
import type { GateComplaint } from '../gates/gate-verifier.ts';

const PART = 'outside proposal';
/** Decision outcomes of missed slots, whose proposals were missed too. */
const MISSED: ReadonlySet<string | null> = new Set(['late_tick', 'tick_crash']);

interface Row {
  readonly agent_id: string;
  readonly slot: EpochMs;
  readonly received_at: EpochMs;
  readonly hash: string;
  readonly canonical: string;
  readonly reason: string | null;
  readonly outcome: string | null;
  /** False if the agent did not have the proposal's token or signal hook at that time. */
  readonly valid: boolean;
}

/** Verifies all outside proposals and returns their number. */
export async function verifyOutsideProposals(sql: Transaction, complain: GateComplaint): Promise<number> {
  const [known] = await sql<
    { there: boolean }[]
  >`select to_regclass('outside_proposals') is not null and to_regclass('signal_hooks') is not null as there`;
  if (known?.there !== true) return 0;
  const rows = await sql<Row[]>`
    select p.agent_id, p.slot, p.received_at, p.hash, p.canonical, d.reason, d.outcome,
      (not starts_with(p.submitted_by, 'agent-token:') or exists (
        select 1 from agent_tokens t left join agent_token_revocations r on r.token_id = t.id
        where 'agent-token:' || t.id = p.submitted_by and t.agent_id = p.agent_id and t.created_at <= p.received_at
          and (r.revoked_at is null or p.received_at <= r.revoked_at)
      )) and (not starts_with(p.submitted_by, 'signal:') or exists (
        select 1 from signal_hooks h left join signal_hook_revocations r on r.hook_id = h.id
        where 'signal:' || h.id = p.submitted_by and h.agent_id = p.agent_id and h.created_at <= p.received_at
          and (r.revoked_at is null or p.received_at <= r.revoked_at)
      )) as valid
    from outside_proposals p left join decisions d on d.agent_id = p.agent_id and d.slot = p.slot order by p.slot, p.agent_id`;
  for (const row of rows) {
    const fault = findFault(row);
    if (fault !== null) complain(row.slot, row.agent_id, PART, fault);
  }
  const of = new Map(rows.map(({ agent_id, slot, hash }) => [`${agent_id} ${slot}`, hash]));
  const named = await sql<{ agent_id: string; slot: EpochMs; outcome: string }[]>`
    select agent_id, slot, outcome from decisions where outcome like '%"outside_proposal"]%' order by slot, agent_id`;
  for (const { agent_id: agentId, slot, outcome } of named) {
    const hash = proposalIn(outcome);
    if (of.get(`${agentId} ${slot}`) !== hash)
      complain(slot, agentId, PART, `the decision names ${hash}, which nobody proposed for this slot`);
  }
  return rows.length;
}

/** Returns the fault of a proposal as one sentence; null if there is none. */
function findFault({ slot, received_at: receivedAt, hash, canonical, reason, outcome, valid }: Row): string | null {
  const actual = sha256Hex(canonical);
  if (actual !== hash) return `its row hashes to ${actual} and says ${hash}`;
  if (canonicalize(canonical) !== canonical) return 'its text is not in RFC 8785 form';
  if (receivedAt >= slot) return 'it was received after its slot';
  if (!valid) return 'it came under a token or a signal hook that the agent did not have then';
  // Missing decisions are verified elsewhere.
  if (outcome === null || MISSED.has(reason)) return null;
  return proposalIn(outcome) === hash ? null : `the decision of its slot does not name ${hash}`;
}

function canonicalize(text: string): string | null {
  try {
    return canonicalJson(JSON.parse(text) as Json);
  } catch {
    return null;
  }
}
