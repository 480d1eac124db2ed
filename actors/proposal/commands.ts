/** Handles proposal commands: approves or declines a proposal once, with audit and answer in the step's transaction. */
import type { ActorState, StepPlan } from '../../src/domain/agents/actor-step.ts';
import { PermitLost, type SupersededReason } from '../../src/domain/orders/execution.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import { answeredMeanwhile, answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { proposalContext, proposalState } from './effects.ts';
import { shownExecution } from './parts.ts';
import { isHalted, isPassing, type PreTrade } from './present-verdict.ts';
import type { ProposalEvent } from './protocol.ts';
import type { ProposalView } from './resource.ts';

/** Store ports of the command handler, besides the actors themselves. */
interface ProposalDirectory {
  /** Returns null if the organization has no such proposal. */
  find(orgId: string, proposalId: string): Promise<ProposalView | null>;
}

const NO_PROPOSAL = 'there is no proposal with this id';

const SUPERSEDED: Readonly<Record<SupersededReason, string>> = {
  halted: 'an emergency halt came after the proposal',
  paused: 'the agent is paused',
  manifest_changed: 'the manifest has changed since the proposal',
  stage_changed: 'the agent trades in another mode since the proposal',
  autonomy_lowered: 'the autonomy of the agent has been lowered since the proposal',
};

export function createProposalHandler(deps: {
  readonly runtime: Runtime;
  readonly proposals: ProposalDirectory;
  readonly preTrade: PreTrade;
  readonly clock: Pick<Clock, 'now'>;
}) {
  const { runtime, proposals } = deps;

  async function command(
    context: CommandContext,
    before: ProposalView,
    action: string,
    event: ProposalEvent,
  ): Promise<Outcome<ProposalView>> {
    const after = (plan: StepPlan): ProposalView => changed(before, plan.state);
    try {
      const outcome = await runtime.deliver(before.id, event, {
        cause: `${context.subject} ${context.requestId}`,
        orgId: context.orgId,
        also: (row, plan) => [auditRow(context, action, before.id, row.state, plan.state), ...answerRows(context, after(plan))],
      });
      return outcome.ok ? { ok: true, value: after(outcome.value.plan) } : outcome;
    } catch (error) {
      if (error instanceof PermitLost) return superseded(error.reason);
      return answeredMeanwhile(error);
    }
  }

  function undecidable(view: ProposalView): Outcome<never> | null {
    // Its timer ends it a moment later, or much later if no worker runs.
    if (view.state === 'pending_approval' && deps.clock.now() >= view.expiresAt)
      return refuse('state_conflict', 'the proposal has expired (approval_window_over); only a pending one can be decided');
    if (view.state === 'pending_approval') return null;
    return refuse(
      'state_conflict',
      `the proposal is ${view.state}${view.reason === null ? '' : ` (${view.reason})`}; only a pending one can be decided`,
    );
  }

  return {
    /** Approves a proposal: assesses risk again on the present quotes, and starts the execution. */
    async approve(context: CommandContext, proposalId: string): Promise<Outcome<ProposalView>> {
      const before = await proposals.find(context.orgId, proposalId);
      if (before === null) return refuse('not_found', NO_PROPOSAL);
      const ended = undecidable(before);
      if (ended !== null) return ended;
      const verdict = await deps.preTrade.assess(context.orgId, before);
      if (verdict.ok)
        return command(context, before, 'proposal.approve', { type: 'approve', subject: context.subject, risk: verdict.risk });
      // The only halt that risk sees for a waiting proposal is its agent's pause. The proposal stays unchanged.
      if (isHalted(verdict.risk)) return superseded('paused');
      const refusal = {
        code: 'blocked_by_risk',
        detail: `risk refuses it now: ${verdict.risk.rejections.map(({ code }) => code).join(', ')}`,
        rejections: verdict.risk.rejections,
      } as const;
      // A proposal blocked by the present data stays pending. It may be approved once the data is back.
      if (!isPassing(verdict.risk)) {
        const blocked = await runtime.deliver(
          before.id,
          { type: 'block', risk: verdict.risk },
          { cause: `${context.subject} ${context.requestId}`, orgId: context.orgId },
        );
        if (!blocked.ok) return blocked;
      }
      return { ok: false, refusal };
    },

    async decline(context: CommandContext, proposalId: string, reason: string | null): Promise<Outcome<ProposalView>> {
      const before = await proposals.find(context.orgId, proposalId);
      if (before === null) return refuse('not_found', NO_PROPOSAL);
      return undecidable(before) ?? command(context, before, 'proposal.decline', { type: 'decline', subject: context.subject, reason });
    },
  };
}

/** Commands of proposals. Each answers after its transaction has committed. Proposals of another organization are `not_found`. */
export type ProposalCommands = ReturnType<typeof createProposalHandler>;

function superseded(reason: SupersededReason): Outcome<never> {
  return refuse(reason === 'halted' ? 'halted' : 'state_conflict', `${SUPERSEDED[reason]}; it will not be executed`);
}

/** Returns the proposal after a step. Fields that the step can change come from the step. */
function changed(before: ProposalView, state: ActorState): ProposalView {
  const context = proposalContext(state);
  const { reason, decidedBy, risk } = context;
  return { ...before, state: proposalState(state), reason, decidedBy, risk, execution: shownExecution(context, state.value as string) };
}
