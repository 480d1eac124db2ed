/** Takes the commands for agents: asks the actor, and writes audit and answer together with its step. */
import type { ActorRecord, ActorRow, ActorState, StepPlan } from '../../src/domain/actor-step.ts';
import type { Stage } from '../../src/domain/agent.ts';
import { canonicalHash, canonicalJson } from '../../src/domain/canonical-json.ts';
import { type Manifest, manifestHash } from '../../src/domain/manifest.ts';
import { type Outcome, refuse } from '../../src/domain/refusal.ts';
import { AGENT_TICK_MS, isoTime } from '../../src/domain/time.ts';
import type { Clock } from '../../streams/clock.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { AgentCommands, AgentView, CommandContext, HaltView } from './commands.ts';
import { agentContext, agentValue } from './effects.ts';
import type { AgentEvent } from './protocol.ts';

/** What the desk asks of the store besides the actors themselves. */
export interface AgentDirectory {
  /** Null where the organization has no such agent. */
  find(orgId: string, agentId: string): Promise<AgentView | null>;
  /** Ids of the organization's agents that are not paused. */
  onDuty(orgId: string): Promise<readonly string[]>;
  /** Bumps the organization's control epoch and marks the halt; from its commit on nothing begins that leads to a venue. */
  beginHalt(orgId: string): Promise<number>;
  /** Writes rows that belong to no actor's step. */
  write(records: readonly ActorRecord[]): Promise<void>;
}

/** How often a new version is tried again when somebody else added one at the same moment. */
const VERSION_RACES = 8;
const HALT_BATCH = 500;

export function createCommandDesk(deps: {
  readonly runtime: Runtime;
  readonly agents: AgentDirectory;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
}): AgentCommands {
  const { runtime, agents, clock } = deps;

  async function command(
    context: CommandContext,
    agentId: string,
    action: string,
    event: AgentEvent | ((view: AgentView) => AgentEvent),
    rows: (view: AgentView) => readonly ActorRecord[] = () => [],
  ): Promise<Outcome<AgentView>> {
    const before = await agents.find(context.orgId, agentId);
    if (!before) return refuse('not_found', 'there is no such agent');
    const after = (plan: StepPlan): AgentView => changed(before, plan.state);
    try {
      const outcome = await runtime.deliver(agentId, typeof event === 'function' ? (event(before) as never) : (event as never), {
        cause: `${context.subject} ${context.requestId}`,
        orgId: context.orgId,
        also: (row: ActorRow, plan: StepPlan) => [
          ...rows(before),
          audit(context, action, agentId, row.state, plan.state),
          ...answer(context, after(plan)),
        ],
      });
      return outcome.ok ? { ok: true, value: after(outcome.value.plan) } : outcome;
    } catch (error) {
      return answeredMeanwhile(error);
    }
  }

  return {
    async create(context, manifest) {
      const id = deps.newId();
      const at = clock.now();
      const hash = manifestHash(manifest);
      const view: AgentView = {
        id,
        name: manifest.name,
        description: manifest.description,
        stage: 'draft',
        paused: false,
        pauseCause: null,
        autonomy: 'research',
        manifestHash: hash,
        manifestVersion: 1,
        createdBy: context.subject,
        createdAt: isoTime(at),
      };
      try {
        await runtime.start(
          'agent',
          id,
          context.orgId,
          { autonomy: 'research', manifestVersion: 1, manifestHash: hash },
          {
            cause: `${context.subject} ${context.requestId}`,
            tickPeriodMs: AGENT_TICK_MS,
            also: (plan) => [
              manifestRow(id, 1, manifest, context.subject),
              {
                type: 'agent_created',
                agentId: id,
                orgId: context.orgId,
                name: manifest.name,
                description: manifest.description,
                autonomy: 'research',
                manifestVersion: 1,
                manifestHash: hash,
                createdBy: context.subject,
                createdAt: view.createdAt,
              },
              audit(context, 'agent.create', id, null, plan.state),
              ...answer(context, view),
            ],
          },
        );
      } catch (error) {
        return answeredMeanwhile(error);
      }
      return { ok: true, value: view };
    },

    async addVersion(context, agentId, manifest) {
      const hash = manifestHash(manifest);
      let conflicting: { readonly version: number; readonly outcome: Outcome<AgentView> } | undefined;
      for (let race = 0; race < VERSION_RACES; race++) {
        const before = await agents.find(context.orgId, agentId);
        if (!before) return refuse('not_found', 'there is no such agent');
        // Nobody was faster: what stands in the way is the agent itself.
        if (conflicting !== undefined && conflicting.version === before.manifestVersion) return conflicting.outcome;
        if (before.manifestHash === hash)
          return refuse(
            'state_conflict',
            `the manifest is the active version ${before.manifestVersion} unchanged; a new version changes at least one parameter`,
          );
        const version = before.manifestVersion + 1;
        const outcome = await command(
          context,
          agentId,
          'agent.add_version',
          { type: 'manifest.changed', manifestVersion: version, manifestHash: hash },
          () => [
            manifestRow(agentId, version, manifest, context.subject),
            { type: 'agent_renamed', agentId, name: manifest.name, description: manifest.description },
          ],
        );
        if (outcome.ok) return { ok: true, value: { ...outcome.value, name: manifest.name, description: manifest.description } };
        if (outcome.refusal.code !== 'state_conflict') return outcome;
        conflicting = { version: before.manifestVersion, outcome };
      }
      return refuse('unavailable', 'others keep adding versions to this agent: try again');
    },

    setAutonomy(context, agentId, autonomy) {
      const raise = context.permissions.includes('risk:manage') ? {} : ({ mayRaise: false } as const);
      return command(context, agentId, 'agent.set_autonomy', { type: 'autonomy.set', autonomy, ...raise });
    },

    pause: (context, agentId) => command(context, agentId, 'agent.pause', { type: 'pause', cause: 'operator' }),

    resume: (context, agentId) =>
      command(context, agentId, 'agent.resume', (view) => ({ type: 'resume', subject: context.subject, createdBy: view.createdBy })),

    async emergencyHalt(context) {
      const epoch = await agents.beginHalt(context.orgId);
      const paused: string[] = [];
      const ids = await agents.onDuty(context.orgId);
      const failures: unknown[] = [];
      for (let from = 0; from < ids.length; from += HALT_BATCH) {
        try {
          const outcomes = await runtime.deliverMany(
            ids.slice(from, from + HALT_BATCH),
            { type: 'pause', cause: 'emergency_halt' },
            { cause: `${context.subject} ${context.requestId}`, orgId: context.orgId },
          );
          for (const [id, outcome] of outcomes) if (outcome.ok) paused.push(id);
        } catch (error) {
          // The other batches are paused all the same; whoever halts hears that this was not all.
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
      const view: HaltView = { paused, cancelledProposals: 0, epoch };
      try {
        await agents.write([audit(context, 'agents.emergency_halt', context.orgId, null, null), ...answer(context, view)]);
      } catch (error) {
        return answeredMeanwhile(error);
      }
      return { ok: true, value: view };
    },
  };
}

/** The agent as it is after a step: what the step can change comes from the step. */
function changed(before: AgentView, state: ActorState): AgentView {
  const context = agentContext(state);
  const value = agentValue(state);
  return {
    ...before,
    stage: value.stage as Stage,
    paused: value.duty === 'paused',
    pauseCause: context.pauseCause,
    autonomy: context.autonomy,
    manifestHash: context.manifestHash,
    manifestVersion: context.manifestVersion,
  };
}

function manifestRow(agentId: string, version: number, manifest: Manifest, createdBy: string): ActorRecord {
  return { type: 'manifest', agentId, version, hash: manifestHash(manifest), canonical: canonicalJson(manifest as never), createdBy };
}

function audit(context: CommandContext, action: string, target: string, before: ActorState | null, after: ActorState | null): ActorRecord {
  return {
    type: 'audit',
    orgId: context.orgId,
    subject: context.subject,
    permission: context.permissions.join(','),
    action,
    requestId: context.requestId,
    target,
    beforeHash: before && canonicalHash(before as never),
    afterHash: after && canonicalHash(after as never),
  };
}

function answer(context: CommandContext, view: AgentView | HaltView): readonly ActorRecord[] {
  if (!context.remember) return [];
  const { route, key, requestHash } = context.remember;
  const { status, body } = context.remember.answer(view);
  return [{ type: 'answer', orgId: context.orgId, subject: context.subject, route, key, requestHash, status, body }];
}

/** The same Idempotency-Key was answered by another request between the look-up and the commit; that one's effect stands. */
function answeredMeanwhile(error: unknown): {
  readonly ok: false;
  readonly refusal: { readonly code: 'idempotency_in_flight'; readonly detail: string };
} {
  const { code, constraint_name: constraint } = error as { code?: string; constraint_name?: string };
  if (code === '23505' && constraint === 'idempotency_keys_pkey') {
    return {
      ok: false,
      refusal: { code: 'idempotency_in_flight', detail: 'a request with this Idempotency-Key is being answered: ask again for its answer' },
    };
  }
  throw error;
}
