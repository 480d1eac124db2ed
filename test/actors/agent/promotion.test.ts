// The agent's chart at its gates and breakers: every transition and every rejected event, old snapshots, random lives.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentContext, agentKind, agentValue, validateAgent } from '../../../actors/agent/effects.ts';
import type { AgentContext } from '../../../actors/agent/machine.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import { eventStep, restore, startStep } from '../../../actors/runtime/step.ts';
import type { ActorEvent, ActorState } from '../../../src/domain/agents/actor-step.ts';
import { STAGES, type Stage } from '../../../src/domain/agents/agent.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { SLOT } from './sample.ts';

const HASH = 'a'.repeat(64);
const AT = SLOT + 5_000;
const subject = { actorId: '019a5b1e-7c00-7000-8000-000000000001', orgId: 'org', now: AT };

function stateAt(
  stage: Stage,
  over: { readonly duty?: string; readonly feed?: string; readonly context?: Partial<AgentContext> } = {},
): ActorState {
  const { state } = startStep(agentKind, subject, { autonomy: 'confirm', manifestVersion: 1, manifestHash: HASH });
  return {
    value: { stage, duty: over.duty ?? 'active', feed: over.feed ?? 'live' },
    context: { ...state.context, ...(over.context as ActorState['context']) },
    status: 'active',
  };
}

/** Returns the result of an event exactly as the runtime delivers it: refused, not taken, or a step. */
function told(state: ActorState, event: ActorEvent) {
  const refusal = validateAgent(state, event);
  if (refusal) return { refusal, plan: null };
  const snapshot = restore(agentKind.machine, state);
  if (!snapshot.can(event as never)) return { refusal: { code: 'state_conflict', detail: 'not taken' }, plan: null };
  return { refusal: null, plan: eventStep(agentKind, subject, snapshot, event) };
}

const passed = (gate: Stage, over: object = {}): ActorEvent => ({
  type: 'gate.passed',
  gate,
  manifestHash: HASH,
  evidenceId: 'e1',
  askedBy: 'tina',
  ...over,
});
const tripped = (breaker: string, at = AT): ActorEvent => ({ type: 'breaker.tripped', breaker, at, observed: 9, limit: 3 });

describe('gates', () => {
  test('each gate leads one stage up, and the step records the stage with its evidence and requester', () => {
    for (const [place, from] of STAGES.slice(0, -1).entries()) {
      const { plan } = told(stateAt(from), passed(from));
      expect(agentValue(plan?.state as ActorState).stage).toBe(STAGES[place + 1]);
      expect(plan?.records.find(({ type }) => type === 'agent_projection')).toMatchObject({
        stage: STAGES[place + 1],
        stageEvidence: 'e1',
        stageAskedBy: 'tina',
      });
      expect(plan?.announcements.map(({ body }) => body['what'])).toContain('promoted');
      expect(plan?.records.some(({ type }) => type === 'proposals_cancelled')).toBe(from === 'shadow');
    }
  });

  test('no gate opens for another stage, another manifest, a paused agent or at live', () => {
    for (const at of STAGES) {
      for (const gate of STAGES) if (gate !== at) expect(told(stateAt(at), passed(gate)).plan, `${gate} at ${at}`).toBe(null);
      expect(told(stateAt(at), passed(at, { manifestHash: 'b'.repeat(64) })).plan).toBe(null);
      expect(told(stateAt(at, { duty: 'paused', context: { pauseCause: 'operator' } }), passed(at)).refusal).toMatchObject({
        code: 'state_conflict',
      });
    }
    expect(told(stateAt('live'), passed('live')).plan).toBe(null);
  });

  test('a changed manifest leads back to draft from every stage and drops its evidence', () => {
    for (const at of STAGES) {
      const before = stateAt(at, { context: { promotion: { evidenceId: 'e1', askedBy: 'tina' } } });
      const { plan } = told(before, { type: 'manifest.changed', manifestVersion: 2, manifestHash: 'c'.repeat(64) });
      expect(agentValue(plan?.state as ActorState).stage).toBe('draft');
      expect(plan?.records.filter(({ type }) => type === 'agent_projection').at(-1)).toMatchObject({ stage: 'draft', stageEvidence: null });
    }
  });
});

describe('breakers', () => {
  test('the daily drawdown pauses and slippage demotes to paper; both cancel proposals and raise an alert with the figures', () => {
    for (const at of ['limited_live', 'live'] as const) {
      const paused = told(stateAt(at), tripped('daily_drawdown')).plan;
      expect(paused?.state).toMatchObject({
        value: { stage: at, duty: 'paused' },
        context: { pauseCause: 'daily_drawdown', breaker: { breaker: 'daily_drawdown', at: AT } },
      });
      const demoted = told(stateAt(at), tripped('slippage')).plan;
      expect(demoted?.state).toMatchObject({
        value: { stage: 'paper', duty: 'active' },
        context: { promotion: { evidenceId: null, askedBy: 'breaker slippage' } },
      });
      for (const plan of [paused, demoted]) {
        expect(plan?.records.some(({ type }) => type === 'proposals_cancelled')).toBe(true);
        expect(plan?.announcements.find(({ channel }) => channel === 'alerts')?.body).toMatchObject({ observed: '9', limit: '3' });
      }
      expect(paused?.records.some(({ type }) => type === 'tick_window')).toBe(true);
    }
  });

  test('neither breaker applies without capital at risk; a paused agent with capital is still demoted', () => {
    for (const at of STAGES.slice(0, 5))
      for (const breaker of ['daily_drawdown', 'slippage']) expect(told(stateAt(at), tripped(breaker)).plan).toBe(null);
    const paused = stateAt('live', { duty: 'paused', context: { pauseCause: 'operator' } });
    expect(told(paused, tripped('daily_drawdown')).plan).toBe(null);
    expect(told(paused, tripped('slippage')).plan?.state.value).toMatchObject({ stage: 'paper', duty: 'paused' });
  });

  test('after a drawdown another person must resume, and not on the same UTC day', () => {
    const DAY = 86_400_000;
    const midnight = Math.floor(AT / DAY) * DAY + DAY;
    const paused = told(stateAt('live'), tripped('daily_drawdown')).plan?.state as ActorState;
    const resume = (at: number, by = 'rita'): ActorEvent => ({ type: 'resume', subject: by, createdBy: 'creator', at });
    expect(told(paused, resume(midnight - 1)).refusal).toMatchObject({
      code: 'cause_persists',
      detail: expect.stringContaining(isoTime(midnight)),
    });
    expect(told(paused, resume(midnight, 'creator')).refusal).toMatchObject({ code: 'resume_by_creator' });
    expect(told(paused, resume(midnight)).plan?.state).toMatchObject({
      value: { stage: 'live', duty: 'active' },
      context: { pauseCause: null },
    });
  });

  test('a pause by an operator or a halt can be resumed by anybody at any time, at the same stage; a changed manifest is at draft', () => {
    for (const cause of ['operator', 'emergency_halt'] as const) {
      const paused = told(stateAt('shadow'), { type: 'pause', cause }).plan?.state as ActorState;
      const resume = { type: 'resume', subject: 'creator', createdBy: 'creator', at: AT };
      expect(told(paused, resume).plan?.state.value).toMatchObject({ stage: 'shadow', duty: 'active' });
      const changed = told(paused, { type: 'manifest.changed', manifestVersion: 2, manifestHash: 'd'.repeat(64) }).plan
        ?.state as ActorState;
      expect(told(changed, resume).plan?.state.value).toMatchObject({ stage: 'draft', duty: 'active' });
    }
  });
});

describe('lost data and live capital', () => {
  const paused = (stage: Stage, feed: string): ActorState =>
    stateAt(stage, { duty: 'paused', feed, context: { pauseCause: 'operator', degradedVenues: ['spotchain'] } });
  const resume = { type: 'resume', subject: 'rita', createdBy: 'creator', at: AT };

  test('data lost while an operator had paused the agent holds it like the breaker would', () => {
    for (const stage of ['limited_live', 'live'] as const) {
      expect(told(paused(stage, 'lost'), resume).refusal).toMatchObject({ code: 'cause_persists' });
      const back = told(paused(stage, 'lost'), { type: 'feed.restored', venue: 'spotchain' }).plan?.state as ActorState;
      expect(told(back, resume).plan?.state.value).toMatchObject({ stage, duty: 'active', feed: 'live' });
    }
    expect(told(paused('paper', 'lost'), resume).plan?.state.value).toMatchObject({ duty: 'active' });
  });

  test('no gate to live capital opens while the data is degraded or lost', () => {
    for (const feed of ['degraded', 'lost']) {
      for (const stage of ['shadow', 'limited_live'] as const) {
        expect(told(stateAt(stage, { feed }), passed(stage)).refusal).toMatchObject({ code: 'state_conflict' });
      }
      expect(told(stateAt('paper', { feed }), passed('paper')).plan?.state.value).toMatchObject({ stage: 'shadow' });
    }
  });
});

describe('snapshots from before there were gates to pass', () => {
  const golden = JSON.parse(readFileSync(new URL('../../fixtures/agent-snapshots/agent-1.json', import.meta.url), 'utf8')) as {
    name: string;
    state: ActorState;
  }[];

  test('are continued unchanged, and take every event that they took', () => {
    for (const { name, state } of golden) {
      const fit = createDirectory([agentKind]).fit({ kind: 'agent', machine: 'agent@1', state });
      expect(fit, name).not.toBe(null);
      expect(fit?.state).toEqual(state);
      const version = agentContext(state).manifestVersion + 1;
      const changed = told(state, { type: 'manifest.changed', manifestVersion: version, manifestHash: HASH }).plan?.state;
      expect(agentValue(changed as ActorState).stage).toBe('draft');
      const back =
        agentValue(state).duty === 'paused' ? told(state, { type: 'resume', subject: 'x', createdBy: 'x', at: AT }).plan?.state : state;
      const { manifestHash } = agentContext(state);
      const on = told(back as ActorState, passed('draft', { manifestHash })).plan;
      expect(on?.state).toMatchObject({ value: { stage: 'backtest' }, context: { promotion: { evidenceId: 'e1', askedBy: 'tina' } } });
      expect(on?.state.context).toMatchObject({ autonomy: state.context['autonomy'], degradedVenues: state.context['degradedVenues'] });
    }
  });

  test('an unknown state is not continued', () => {
    const strange = { ...(golden[0]?.state as ActorState), value: { stage: 'gone', duty: 'active', feed: 'live' } };
    expect(createDirectory([agentKind]).fit({ kind: 'agent', machine: 'agent@1', state: strange })).toBe(null);
  });
});

test('no random life reaches a stage without passing each earlier gate for this manifest since the last demotion', () => {
  const anyEvent = fc.oneof(
    { weight: 6, arbitrary: fc.constant<ActorEvent>({ type: 'the right gate' }) },
    fc.record({
      type: fc.constant('gate.passed'),
      gate: fc.constantFrom(...STAGES),
      manifestHash: fc.constantFrom(HASH, 'b'.repeat(64)),
      evidenceId: fc.uuid(),
      askedBy: fc.constant('x'),
    }),
    fc.record({
      type: fc.constant('breaker.tripped'),
      breaker: fc.constantFrom('slippage', 'daily_drawdown'),
      at: fc.constant(AT),
      observed: fc.double({ min: 0, max: 9, noNaN: true }),
      limit: fc.constant(3),
    }),
    fc.record({ type: fc.constant('pause'), cause: fc.constantFrom('operator', 'emergency_halt', 'tick_crash') }),
    fc.constant<ActorEvent>({ type: 'resume', subject: 'rita', createdBy: 'c', at: AT + 86_400_000 * 2 }),
    fc.constant<ActorEvent>({ type: 'new version' }),
    fc.record({ type: fc.constantFrom('feed.degraded', 'feed.restored'), venue: fc.constantFrom('spotchain', 'reference') }),
    fc.constant<ActorEvent>({ type: 'xstate.after.degradedFor.agent@1.feed.degraded' }),
  );
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 60 }), (events) => {
      let state = stateAt('draft');
      let earned = 0;
      for (const drawn of events) {
        const { manifestHash, manifestVersion } = agentContext(state);
        const at = agentValue(state).stage as Stage;
        const event =
          drawn.type === 'the right gate'
            ? passed(at, { manifestHash })
            : drawn.type === 'new version'
              ? {
                  type: 'manifest.changed',
                  manifestVersion: manifestVersion + 1,
                  manifestHash: manifestHash === HASH ? 'b'.repeat(64) : HASH,
                }
              : drawn;
        const { plan } = told(state, event as ActorEvent);
        if (plan === null) continue;
        const to = agentValue(plan.state).stage as Stage;
        if (event.type === 'manifest.changed') earned = 0;
        if (event.type === 'breaker.tripped' && to === 'paper' && at !== 'paper') earned = STAGES.indexOf('paper');
        if (event.type === 'gate.passed') {
          const { gate, manifestHash: validated } = event as unknown as { gate: Stage; manifestHash: string };
          expect([gate, validated]).toEqual([at, manifestHash]);
          earned++;
        }
        expect(STAGES.indexOf(to)).toBe(earned);
        state = plan.state;
      }
    }),
    { numRuns: 400 },
  );
});
