/** Creates proposals from decisions. A proposal's first step is committed in the transaction of its decision. */
import type { ActorStart, Announcement } from '../../src/domain/agents/actor-step.ts';
import { type Autonomy, EXECUTES_BY_ITSELF } from '../../src/domain/agents/agent.ts';
import type { Cut } from '../../src/domain/market/cut.ts';
import { type DecisionRow, decisionId, type RiskAttribution } from '../../src/domain/agents/decision.ts';
import { AT_ONCE, type ExecutionPlan } from '../../src/domain/orders/execution-plan.ts';
import type { Order } from '../../src/domain/orders/order.ts';
import { AGENT_TICK_MS, type EpochMs, startOfSlot } from '../../src/domain/values/time.ts';
import { startStep } from '../runtime/step.ts';
import type { ProposalStart } from '../ticking/tick-store.ts';
import { proposalKind } from './effects.ts';
import type { ProposalBeginning, ProposalInput } from './protocol.ts';

interface ProposalDraft {
  readonly duty: {
    readonly id: string;
    readonly orgId: string;
    readonly autonomy: Autonomy;
    readonly manifestVersion: number;
    readonly manifestHash: string;
  };
  readonly row: Pick<DecisionRow, 'slot' | 'disposition'> & { readonly risk: RiskAttribution | null };
  readonly order: Order;
  readonly execution: ExecutionPlan;
  readonly cut: Cut;
  readonly readsReference: boolean;
  /** Control epoch of the organization that the tick read. */
  readonly epoch: number;
  readonly approvalMs: number;
  /** Ids of open entries that it replaces. */
  readonly ends: readonly string[];
  readonly at: EpochMs;
}

/** Levels at which a proposal executes without approval. At `risk_only` only reductions do. */
const BY_ITSELF: ReadonlySet<Autonomy> = new Set<Autonomy>([...EXECUTES_BY_ITSELF, 'risk_only']);

function toInput(from: ProposalDraft, begins: ProposalBeginning, reason: string | null): ProposalInput & { readonly createdAt: EpochMs } {
  const { duty, row, order } = from;
  return {
    agentId: duty.id,
    decisionId: decisionId(duty.id, row.slot),
    slot: row.slot,
    side: order.side === 'buy' ? 'entry' : 'exit',
    manifestVersion: duty.manifestVersion,
    manifestHash: duty.manifestHash,
    autonomy: duty.autonomy,
    epoch: from.epoch,
    order,
    execution: from.execution,
    decisionPrice: readDecisionPrice(from),
    readsReference: from.readsReference,
    risk: row.risk as RiskAttribution,
    begins,
    reason,
    approvalMs: from.approvalMs,
    createdAt: from.at,
  };
}

/** Returns the executable price at the cut: the ask for a buy, the bid for a sell. */
function readDecisionPrice({ order, cut }: ProposalDraft): string {
  const quote = cut.observations.get(order.instrument)?.quote;
  return (order.side === 'buy' ? quote?.ask : quote?.bid) ?? order.limitPrice;
}

function initialStep(from: ProposalDraft, begins: ProposalBeginning, reason: string | null): ActorStart {
  const { duty, order, at } = from;
  return buildStart(toInput(from, begins, reason), order.id, duty.orgId, at, 'decision');
}

function buildStart(
  input: ProposalInput & { readonly createdAt: EpochMs },
  id: string,
  orgId: string,
  at: EpochMs,
  cause: string,
): ActorStart {
  const plan = startStep(proposalKind, { actorId: id, orgId, now: at }, input);
  return {
    id,
    orgId,
    kind: proposalKind.kind,
    machine: proposalKind.machine.id,
    at,
    input,
    plan,
    also: [],
    cause,
    tickPeriodMs: null,
  };
}

/** Returns the proposal of a decision, and its initial state in case it is superseded before its commit. */
export function startedProposal(from: ProposalDraft): ProposalStart {
  const { duty, order } = from;
  const byItself = BY_ITSELF.has(duty.autonomy);
  return {
    agentId: duty.id,
    orgId: duty.orgId,
    permit: { epoch: from.epoch, manifestHash: duty.manifestHash, mode: order.mode, reduceOnly: order.reduceOnly, byItself },
    start: initialStep(from, byItself ? 'approved' : 'pending_approval', null),
    superseded: (reason) => initialStep(from, 'cancelled', reason),
    ends: from.ends,
  };
}

interface Flattening {
  readonly agent: {
    readonly id: string;
    readonly orgId: string;
    readonly autonomy: Autonomy;
    readonly manifestVersion: number;
    readonly manifestHash: string;
  };
  readonly order: Order;
  readonly decisionPrice: string;
  readonly risk: RiskAttribution;
  readonly epoch: number;
  readonly at: EpochMs;
}

/** Returns a reduction that executes by itself under the breaker's own pause. */
export function startedFlattening(from: Flattening): ActorStart {
  const { agent, order, at } = from;
  const input: ProposalInput & { readonly createdAt: EpochMs } = {
    agentId: agent.id,
    decisionId: null,
    slot: startOfSlot(at, AGENT_TICK_MS),
    side: 'exit',
    manifestVersion: agent.manifestVersion,
    manifestHash: agent.manifestHash,
    autonomy: agent.autonomy,
    epoch: from.epoch,
    order,
    execution: AT_ONCE,
    decisionPrice: from.decisionPrice,
    readsReference: false,
    risk: from.risk,
    flattens: true,
    begins: 'approved',
    reason: null,
    approvalMs: 0,
    createdAt: at,
  };
  return buildStart(input, order.id, agent.orgId, at, 'kill switch');
}

/** Returns the recommendation of an agent at autonomy `suggest`. It creates nothing; an operator places the order. */
export function recommendation(from: ProposalDraft): Announcement & { readonly orgId: string; readonly agentId: string } {
  const { duty, row, order } = from;
  return {
    orgId: duty.orgId,
    agentId: duty.id,
    channel: 'proposals',
    body: {
      what: 'recommended',
      agentId: duty.id,
      decisionId: decisionId(duty.id, row.slot),
      side: order.side === 'buy' ? 'entry' : 'exit',
      mode: order.mode,
      instrument: order.instrument,
      quantity: order.quantity,
      limitPrice: order.limitPrice,
      notionalUsd: order.notionalUsd,
    },
  };
}
