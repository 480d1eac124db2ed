/**
 * Cost of durability: the runtime's step and a whole delivery compared with XState's bare transition, and the compiled ordinary tick
 * compared with the live machine.
 */
import assert from 'node:assert/strict';
import { type AnyMachineSnapshot, createActor, transition } from 'xstate';
import { agentKind } from '../actors/agent/effects.ts';
import { agentMachine } from '../actors/agent/machine.ts';
import { createDirectory } from '../actors/runtime/directory.ts';
import { createMemoryStore } from '../actors/runtime/memory-store.ts';
import { createRuntime } from '../actors/runtime/runtime.ts';
import { eventStep, startStep } from '../actors/runtime/step.ts';
import { type ChainEnd, decisionRow } from '../actors/ticking/decision-chain.ts';
import type { ActorEvent, ActorState } from '../src/domain/agents/actor-step.ts';
import type { Cut } from '../src/domain/market/cut.ts';
import { type CompiledManifest, compileManifest, needsRisk } from '../src/domain/agents/decide.ts';
import { EMPTY_BOOK, GENESIS_HASH, type Verdict } from '../src/domain/agents/decision.ts';
import { CutHashes } from '../src/domain/agents/observed-state.ts';
import { createVirtualClock } from '../streams/clock/virtual-clock.ts';
import { SLOT, sampleCut, sampleManifest } from '../test/actors/agent/sample.ts';
import { bench, type Contender, cpuMicroseconds, repeated, sink } from './harness.ts';

const SUBJECT = { actorId: '00000000-0000-7000-8000-00000000000a', orgId: '00000000-0000-7000-8000-000000000001', now: SLOT };
const compiled = compileManifest(sampleManifest());
const INPUT = { autonomy: 'suggest', manifestVersion: 1, manifestHash: compiled.hash } as const;

/** Sequence of events that ends in its initial state. Each changes the state or the context, sets timers, records and announces. */
const LIFE: readonly ActorEvent[] = [
  { type: 'feed.degraded', venue: 'spotchain' },
  { type: 'feed.restored', venue: 'spotchain' },
  { type: 'pause', cause: 'operator' },
  { type: 'autonomy.set', autonomy: 'confirm' },
  { type: 'resume', subject: 'ann', createdBy: 'bob' },
  { type: 'autonomy.set', autonomy: 'suggest' },
];

/** Scope as XState creates for every call, created once to measure the cost of its public functions. XState internal. */
const self = createActor(agentMachine, { input: INPUT });
const scope = {
  self,
  id: '',
  sessionId: '',
  logger: () => {},
  defer: () => {},
  stopChild: () => {},
  system: self.system,
  emit: () => {},
  actionExecutor: () => {},
};
const started = startStep(agentKind, SUBJECT, INPUT).state;
const directory = createDirectory([agentKind]);

/** Runs the bare machine: reuses the scope, passes snapshots on, and discards the actions. */
function bareLife(): AnyMachineSnapshot {
  let snapshot = agentMachine.resolveState({ value: started.value as never, context: started.context as never }) as AnyMachineSnapshot;
  for (const event of LIFE) {
    snapshot = agentMachine.transition(snapshot as never, event as never, scope as never) as AnyMachineSnapshot;
  }
  return snapshot;
}

/** Runs XState's own pure function, which creates an inert actor for every call. */
function pureLife(): AnyMachineSnapshot {
  let snapshot = agentMachine.resolveState({ value: started.value as never, context: started.context as never }) as AnyMachineSnapshot;
  for (const event of LIFE) snapshot = transition(agentMachine, snapshot as never, event as never)[0] as AnyMachineSnapshot;
  return snapshot;
}

/** Runs the runtime's work between load and commit: fit and restore, assess, can, step, plan. */
function steppedLife(): ActorState {
  let state = started;
  for (const event of LIFE) {
    const fit = directory.fit({ kind: 'agent', machine: 'agent@1', state });
    if (fit === null) throw new Error('the state does not fit');
    if (fit.kind.validate(fit.state, event) !== null || !fit.snapshot.can(event as never)) throw new Error(`${event.type} was refused`);
    state = eventStep(fit.kind, SUBJECT, fit.snapshot, event).state;
  }
  return state;
}

assert.deepEqual(steppedLife(), started);
for (const snapshot of [bareLife(), pureLife()]) {
  assert.deepEqual([snapshot.value, snapshot.context], [started.value, started.context]);
}

/** Runs whole deliveries: load, step, compare-and-set and JSON on the in-memory store. It keeps everything, so each round starts anew. */
function delivered(name: string, lives: number): Contender {
  return {
    name,
    async round() {
      const runtime = createRuntime({ store: createMemoryStore(), directory, clock: createVirtualClock(SLOT) });
      await runtime.start('agent', SUBJECT.actorId, SUBJECT.orgId, INPUT, { cause: 'bench' });
      const began = cpuMicroseconds();
      for (let life = 0; life < lives; life++) {
        for (const event of LIFE) {
          const outcome = await runtime.deliver(SUBJECT.actorId, event, { cause: 'bench' });
          if (!outcome.ok) throw new Error(outcome.refusal.detail);
        }
      }
      return { operations: lives * LIFE.length, microseconds: cpuMicroseconds() - began };
    },
  };
}

/** Verdict without rules, so that only the mechanics of a tick are measured. */
const VERDICT: Verdict = { disposition: 'hold', reason: null, instrument: null, outcome: '[]', risk: null };
const unruled: CompiledManifest = { ...compiled, evaluate: () => VERDICT, decide: () => VERDICT };
const CUTS = Array.from({ length: 256 }, (_, index) =>
  sampleCut(SLOT + index * 60_000, { premiumPct: Math.sin(index) * 2, rsi: 50 + Math.cos(index) * 30 }),
);
const HASHED = CUTS.map((cut) => new CutHashes(cut));
const OBSERVED = HASHED.map((cut) => cut.observed(compiled.reading));

const END: ChainEnd = { id: SUBJECT.actorId, manifestVersion: 1, manifestHash: compiled.hash, bookText: null, previousHash: GENESIS_HASH };

function decided(rules: CompiledManifest, cut: Cut): Verdict {
  const evaluated = rules.evaluate(cut, EMPTY_BOOK, 'suggest');
  return needsRisk(evaluated) ? evaluated.answeredBy(undefined) : evaluated;
}

function liveActor() {
  const actor = createActor(agentMachine, { input: INPUT });
  actor.start();
  return actor;
}

function sent(rules: CompiledManifest): () => void {
  const actor = liveActor();
  return () => {
    for (const cut of CUTS) actor.send({ type: 'tick', slot: cut.slot, cut, compiled: rules, book: EMPTY_BOOK });
  };
}

function ticked(rules: CompiledManifest): () => void {
  return () => {
    for (const cut of CUTS) sink.value = decided(rules, cut);
  };
}

function chained(rules: CompiledManifest): () => void {
  return () => {
    for (let index = 0; index < CUTS.length; index++) {
      const { cut } = HASHED[index] as CutHashes;
      sink.value = decisionRow(END, cut.slot, decided(rules, cut), OBSERVED[index] as string);
    }
  };
}

await bench({
  title: `durable steps of the agent's machine: a life of ${LIFE.length} events; ticks on ${CUTS.length} cuts`,
  contenders: [
    repeated('transition, one scope', LIFE.length, () => (sink.value = bareLife())),
    repeated('transition() of XState', LIFE.length, () => (sink.value = pureLife())),
    repeated('step of the runtime', LIFE.length, () => (sink.value = steppedLife())),
    delivered('deliver, memory store', 400),
    repeated('actor.send, no rules', CUTS.length, sent(unruled)),
    repeated('tick, no rules', CUTS.length, ticked(unruled)),
    repeated('actor.send', CUTS.length, sent(compiled)),
    repeated('tick', CUTS.length, ticked(compiled)),
    repeated('tick, chained', CUTS.length, chained(compiled)),
  ],
  comparisons: [
    { what: 'what the public functions cost', ours: 'transition() of XState', reference: 'transition, one scope', goal: null },
    { what: 'durable step', ours: 'step of the runtime', reference: 'transition, one scope', goal: null },
    { what: 'durable step', ours: 'step of the runtime', reference: 'transition() of XState', goal: null },
    { what: 'whole delivery', ours: 'deliver, memory store', reference: 'transition() of XState', goal: null },
    { what: 'tick, mechanics alone', ours: 'tick, no rules', reference: 'actor.send, no rules', goal: null },
    { what: 'tick, with its rules', ours: 'tick', reference: 'actor.send', goal: null },
    { what: 'tick, rules and hash chain', ours: 'tick, chained', reference: 'actor.send', goal: null },
  ],
  notes: [
    'both sides of "with its rules" evaluate the same five rules; the machine records no decision and chains no hash',
    'that the compiled tick equals the machine is proven by test/actors/agent/tick.test.ts',
  ],
});
