// The precomputed tick (rules, then risk) equals the machine's tick: same verdict, same untouched state, over random lives.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentKind, agentValue } from '../../../actors/agent/effects.ts';
import { eventStep, restore, startStep } from '../../../actors/runtime/step.ts';
import { type ChainEnd, crashedTick, decisionRow, lateTick } from '../../../actors/ticking/decision-chain.ts';
import type { Autonomy } from '../../../src/domain/agents/agent.ts';
import { compileManifest, needsRisk } from '../../../src/domain/agents/decide.ts';
import { decisionHash, EMPTY_BOOK, GENESIS_HASH } from '../../../src/domain/agents/decision.ts';
import { CutHashes } from '../../../src/domain/agents/observed-state.ts';
import { SLOT, sampleCut, sampleManifest } from './sample.ts';

const compiled = compileManifest(sampleManifest());
const subject = { actorId: '00000000-0000-7000-8000-00000000000a', orgId: '00000000-0000-7000-8000-000000000001', now: SLOT };

const CHAIN = { id: subject.actorId, manifestVersion: 1, manifestHash: compiled.hash, bookText: null } as const;

const numbers = fc.record({
  premiumPct: fc.option(fc.double({ min: -3, max: 3, noNaN: true }), { nil: null }),
  rsi: fc.option(fc.double({ min: 0, max: 100, noNaN: true }), { nil: null }),
  quality: fc.constantFrom('live' as const, 'stale' as const, 'degraded' as const),
});
const moment = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(numbers, fc.constantFrom('passed' as const, 'blocked' as const, null), fc.boolean())
      .map(([cut, risk, open]) => ({ type: 'tick' as const, cut, risk, open })),
  },
  fc.constantFrom<{ type: string; [key: string]: unknown }>(
    { type: 'pause', cause: 'operator' },
    { type: 'resume', subject: 'b', createdBy: 'a' },
    { type: 'autonomy.set', autonomy: 'confirm' },
    { type: 'autonomy.set', autonomy: 'risk_only' },
    { type: 'autonomy.set', autonomy: 'research' },
    { type: 'feed.degraded', venue: 'spotchain' },
    { type: 'feed.restored', venue: 'spotchain' },
    { type: 'manifest.changed', manifestVersion: 2, manifestHash: 'f'.repeat(64) },
  ),
);

test('over random lives, rules and risk evaluated separately give the verdict of the machine, and leave the machine unchanged', () => {
  fc.assert(
    fc.property(fc.array(moment, { maxLength: 40 }), (life) => {
      let state = startStep(agentKind, subject, { autonomy: 'research', manifestVersion: 1, manifestHash: compiled.hash }).state;
      for (const [index, event] of life.entries()) {
        const snapshot = restore(agentKind.machine, state);
        if (event.type !== 'tick') {
          if (agentKind.validate(state, event) === null && snapshot.can(event as never))
            state = eventStep(agentKind, subject, snapshot, event).state;
          continue;
        }
        const cut = sampleCut(SLOT + index * 60_000, (event as { cut: Parameters<typeof sampleCut>[1] }).cut);
        const { risk, open } = event as unknown as { risk: 'passed' | 'blocked' | null; open: boolean };
        const asked = {
          ...(risk === null ? {} : { assess: () => ({ verdict: risk, rejections: [] }) }),
          ...(open ? { pending: new Set(compiled.instruments) } : {}),
        };
        const tick = { type: 'tick', slot: cut.slot, cut, compiled, book: EMPTY_BOOK, ...asked };
        if (agentValue(state).duty === 'paused') {
          expect(snapshot.can(tick as never)).toBe(false);
          continue;
        }
        const plan = eventStep(agentKind, subject, snapshot, tick);
        const evaluated = compiled.evaluate(cut, EMPTY_BOOK, state.context['autonomy'] as Autonomy, asked.pending);
        const verdict = needsRisk(evaluated) ? evaluated.answeredBy(asked.assess) : evaluated;
        expect(plan.records).toEqual([{ type: 'decision', agentId: subject.actorId, slot: cut.slot, verdict }]);
        expect(plan.state).toEqual(state);
        expect([plan.timers, plan.activities, plan.announcements]).toEqual([[], [], []]);
      }
    }),
    { numRuns: 300 },
  );
});

test('decisions are chained: each has its predecessor and the hash of its observations', () => {
  const hashed = new CutHashes(sampleCut(SLOT, { premiumPct: -1.5, rsi: 30 }));
  const observedHash = hashed.observed(compiled.reading);
  const end: ChainEnd = { ...CHAIN, previousHash: GENESIS_HASH };
  const decided = () => decisionRow(end, SLOT, compiled.decide(hashed.cut, EMPTY_BOOK, 'suggest'), observedHash);
  const first = decided();
  expect(first).toMatchObject({ disposition: 'blocked_by_risk', reason: 'risk_engine_absent', previousHash: GENESIS_HASH, observedHash });
  expect(first.risk?.rejections[0]?.code).toBe('feature_disabled');
  const { hash, ...rest } = first;
  expect(decisionHash(rest)).toBe(hash);
  expect(decisionHash({ ...rest, outcome: rest.outcome.replace('-1.5', '-1.4') })).not.toBe(hash);
  expect(decided()).toEqual(first);
});

test('a late slot is a hold without observations, and a crashed one is blocked; both have a reason', () => {
  const agent: ChainEnd = { ...CHAIN, previousHash: 'b'.repeat(64) };
  expect(lateTick(agent, SLOT)).toMatchObject({ disposition: 'hold', reason: 'late_tick', observedHash: '', previousHash: 'b'.repeat(64) });
  expect(crashedTick(agent, SLOT)).toMatchObject({ disposition: 'blocked_by_risk', reason: 'tick_crash', observedHash: '' });
  expect(compiled.unpack(lateTick(agent, SLOT).outcome)).toEqual([]);
});
