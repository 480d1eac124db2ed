/** Handles agent commands: asks the actor, and writes the audit entry and the answer in the transaction of its step. */
import type { ActorRecord, ActorRow, StepPlan } from '../../src/domain/agents/actor-step.ts';
import type { Autonomy } from '../../src/domain/agents/agent.ts';
import { canonicalJson } from '../../src/domain/values/canonical-json.ts';
import { type Manifest, manifestHash } from '../../src/domain/manifest/manifest.ts';
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import { AGENT_TICK_MS, isoTime } from '../../src/domain/values/time.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { cancelOpen } from '../proposal/cancel-open.ts';
import type { DeliverOptions, Runtime } from '../runtime/runtime.ts';
import { answeredMeanwhile, answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';
import { type HaltView, createEmergencyHalt, type HaltStore } from './emergency-halt.ts';
import { type AgentView, agent, agentNames } from './resource.ts';
import { agentChanges } from './effects.ts';
import type { AgentEvent } from './machine.ts';

/** Store ports of the command handler, besides the actors themselves. */
export interface AgentDirectory extends Omit<HaltStore, 'cancellable' | 'leasesEnded'> {
  /** Returns null if the organization has no such agent. */
  find(orgId: string, agentId: string): Promise<AgentView | null>;
  /** Closable positions of an agent: those of its live book and of the paper book of its active version. */
  held(agentId: string): Promise<readonly InstrumentKey[]>;
  /** Writes rows outside an actor's step. */
  write(records: readonly ActorRecord[]): Promise<void>;
  /** Open trade proposals whose execution has not begun, of one agent, or of all if null. */
  cancellable(orgId: string, agentId: string | null): Promise<readonly { readonly id: string; readonly reduceOnly: boolean }[]>;
  /** Resolves once every order that was under way at the call has ended, for one agent, or for all if null. */
  leasesEnded(orgId: string, agentId: string | null): Promise<void>;
}

/** Maximum attempts to add a version while other requests add versions at the same time. */
const VERSION_RACES = 8;

interface CommandHandlerDeps {
  readonly runtime: Runtime;
  readonly agents: AgentDirectory;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly newId: () => string;
}

export function createCommandHandler(deps: CommandHandlerDeps) {
  const { runtime, agents, clock } = deps;
  const halts = createEmergencyHalt({ runtime, store: agents, clock });

  return {
    /** Creates a draft agent. `also` returns further rows to write in the same transaction. */
    create: (
      context: CommandContext,
      manifest: Manifest,
      also?: (agentId: string) => readonly ActorRecord[],
    ): Promise<Outcome<AgentView>> => create(deps, context, manifest, also),
    addVersion: (context: CommandContext, agentId: string, manifest: Manifest): Promise<Outcome<AgentView>> =>
      addVersion(deps, context, agentId, manifest),

    async setAutonomy(context: CommandContext, agentId: string, autonomy: Autonomy): Promise<Outcome<AgentView>> {
      const raise = context.permissions.includes('risk:manage') ? {} : ({ mayRaise: false } as const);
      const outcome = await command(deps, context, agentId, 'agent.set_autonomy', { type: 'autonomy.set', autonomy, ...raise });
      if (autonomy === 'research' || autonomy === 'suggest') return settled(deps, context, outcome, 'autonomy_lowered');
      if (autonomy === 'risk_only') return settled(deps, context, outcome, 'autonomy_lowered', ({ reduceOnly }) => !reduceOnly);
      return outcome;
    },

    pause: async (context: CommandContext, agentId: string): Promise<Outcome<AgentView>> =>
      settled(deps, context, await command(deps, context, agentId, 'agent.pause', { type: 'pause', cause: 'operator' }), 'paused'),

    resume: (context: CommandContext, agentId: string): Promise<Outcome<AgentView>> =>
      command(deps, context, agentId, 'agent.resume', (view) => ({
        type: 'resume',
        subject: context.subject,
        createdBy: view.createdBy,
        at: clock.now(),
      })),

    /**
     * Pauses the agent and sells its positions, in its live book and in the paper book of its active version, until it holds
     * nothing or a person resumes it. A null instrument closes all positions. A null limit sells at the market.
     */
    async close(
      context: CommandContext,
      agentId: string,
      { instrument, limitPrice }: { readonly instrument: InstrumentKey | null; readonly limitPrice: DecimalString | null },
    ): Promise<Outcome<AgentView>> {
      const found = await agents.find(context.orgId, agentId);
      if (!found) return refuse('not_found', 'there is no such agent');
      const held = await agents.held(agentId);
      if (held.length === 0) return refuse('state_conflict', 'the agent holds nothing to close');
      if (instrument !== null && !held.includes(instrument))
        return refuse('state_conflict', `the agent holds no ${instrument}; it holds ${held.join(', ')}`);
      const closing = { instrument, limitPrice, subject: context.subject, at: clock.now() };
      return settled(deps, context, await command(deps, context, agentId, 'agent.close', { type: 'positions.close', closing }), 'closing');
    },

    /** Releases the agent from quarantine. It is paused afterwards and must be resumed. */
    release: (context: CommandContext, agentId: string): Promise<Outcome<AgentView>> =>
      command(deps, context, agentId, 'agent.release', { type: 'quarantine.released' }, undefined, { releases: true }),

    /** Pauses all running agents of the organization, cancels their pending proposals and raises the control epoch. */
    async emergencyHalt(context: CommandContext, reason: string | null = null): Promise<Outcome<HaltView>> {
      const { orgId } = context;
      const audit = auditRow(context, 'agents.emergency_halt', orgId, null, null);
      const view = await halts.halt(orgId, { ...context, reason }, [audit]);
      try {
        const answer = answerRows(context, view);
        if (answer.length > 0) await agents.write(answer);
      } catch (error) {
        return answeredMeanwhile(error);
      }
      return { ok: true, value: view };
    },
  };
}

/** Commands of agents. Each answers after its transaction has committed. Agents of another organization are `not_found`. */
export type AgentCommands = ReturnType<typeof createCommandHandler>;

async function command(
  deps: CommandHandlerDeps,
  context: CommandContext,
  agentId: string,
  action: string,
  event: AgentEvent | ((view: AgentView) => AgentEvent),
  rows: (view: AgentView) => readonly ActorRecord[] = () => [],
  options: Pick<DeliverOptions, 'releases'> = {},
): Promise<Outcome<AgentView>> {
  const { runtime, agents } = deps;
  const before = await agents.find(context.orgId, agentId);
  if (!before) return refuse('not_found', 'there is no such agent');
  const after = (plan: StepPlan): AgentView => ({ ...before, ...agentChanges(plan.state) });
  try {
    const outcome = await runtime.deliver(agentId, typeof event === 'function' ? event(before) : event, {
      cause: `${context.subject} ${context.requestId}`,
      orgId: context.orgId,
      ...options,
      also: (row: ActorRow, plan: StepPlan) => [
        ...rows(before),
        auditRow(context, action, agentId, row.state, plan.state),
        ...answerRows(context, after(plan)),
      ],
    });
    return outcome.ok ? { ok: true, value: after(outcome.value.plan) } : outcome;
  } catch (error) {
    return answeredMeanwhile(error);
  }
}

/**
 * Cancels an agent's proposals before a command that ends them answers, and waits until work under way has ended. If this process dies
 * first, the agent's own step cancels them.
 */
async function settled(
  deps: CommandHandlerDeps,
  context: CommandContext,
  outcome: Outcome<AgentView>,
  reason: string,
  which: (open: { readonly reduceOnly: boolean }) => boolean = () => true,
): Promise<Outcome<AgentView>> {
  const { runtime, agents } = deps;
  if (!outcome.ok) return outcome;
  const open = (await agents.cancellable(context.orgId, outcome.value.id)).filter(which);
  await cancelOpen(runtime, context.orgId, open, { reason, cause: `${context.subject} ${context.requestId}` });
  await agents.leasesEnded(context.orgId, outcome.value.id);
  return outcome;
}

/** Creates a draft agent with its first version. */
async function create(
  deps: CommandHandlerDeps,
  context: CommandContext,
  manifest: Manifest,
  more?: (agentId: string) => readonly ActorRecord[],
): Promise<Outcome<AgentView>> {
  const { runtime, clock } = deps;
  const id = deps.newId();
  const at = clock.now();
  const hash = manifestHash(manifest);
  const { name, description } = manifest;
  const fixed = { id, name, description, createdBy: context.subject, createdAt: isoTime(at) };
  const after = (plan: StepPlan): AgentView => ({ ...fixed, ...agentChanges(plan.state) });
  try {
    const plan = await runtime.start(
      'agent',
      id,
      context.orgId,
      { autonomy: 'research', manifestVersion: 1, manifestHash: hash },
      {
        cause: `${context.subject} ${context.requestId}`,
        tickPeriodMs: AGENT_TICK_MS,
        also: (plan) => [
          manifestRow(id, 1, manifest, context.subject),
          { type: 'agent_created', ...agent.record(context.orgId, agent.pick(fixed, agentChanges(plan.state))) },
          ...(more?.(id) ?? []),
          auditRow(context, 'agent.create', id, null, plan.state),
          ...answerRows(context, after(plan)),
        ],
      },
    );
    return { ok: true, value: after(plan) };
  } catch (error) {
    return answeredMeanwhile(error);
  }
}

/** Adds a version. If another request added one at the same time, tries again on top of it. */
async function addVersion(
  deps: CommandHandlerDeps,
  context: CommandContext,
  agentId: string,
  manifest: Manifest,
): Promise<Outcome<AgentView>> {
  const { agents } = deps;
  const hash = manifestHash(manifest);
  let conflicting: { readonly version: number; readonly outcome: Outcome<AgentView> } | undefined;
  for (let race = 0; race < VERSION_RACES; race++) {
    const before = await agents.find(context.orgId, agentId);
    if (!before) return refuse('not_found', 'there is no such agent');
    // No other request was faster: the agent itself refuses.
    if (conflicting !== undefined && conflicting.version === before.manifestVersion) return conflicting.outcome;
    if (before.manifestHash === hash)
      return refuse(
        'state_conflict',
        `the manifest is the active version ${before.manifestVersion} unchanged; a new version changes at least one parameter`,
      );
    const version = before.manifestVersion + 1;
    const outcome = await command(
      deps,
      context,
      agentId,
      'agent.add_version',
      { type: 'manifest.changed', manifestVersion: version, manifestHash: hash },
      () => [
        manifestRow(agentId, version, manifest, context.subject),
        {
          type: 'agent_renamed',
          ...agentNames.record(context.orgId, { id: agentId, name: manifest.name, description: manifest.description }),
        },
      ],
    );
    if (outcome.ok) {
      await settled(deps, context, outcome, 'manifest_changed');
      return { ok: true, value: { ...outcome.value, name: manifest.name, description: manifest.description } };
    }
    if (outcome.refusal.code !== 'state_conflict') return outcome;
    conflicting = { version: before.manifestVersion, outcome };
  }
  return refuse('unavailable', 'others keep adding versions to this agent: try again');
}

function manifestRow(agentId: string, version: number, manifest: Manifest, createdBy: string): ActorRecord {
  return { type: 'manifest', agentId, version, hash: manifestHash(manifest), canonical: canonicalJson(manifest), createdBy };
}
