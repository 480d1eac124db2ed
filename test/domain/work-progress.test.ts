// Progress of long work: share done, remaining time and cause of a wait, for every kind of record.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CURVE_LAUNCH_STATES } from '../../src/domain/launch/launch-state.ts';
import { LAUNCHER_LAUNCH_STATES } from '../../src/domain/launch/launcher.ts';
import {
  longWorkProgress,
  longWorkState,
  curveLaunchProgress,
  evaluationProgress,
  launcherLaunchProgress,
  NOTHING_LEFT,
  proposalProgress,
  replayProgress,
  type TrackedProposal,
  type TrackedTransfer,
  transferProgress,
  workProgress,
} from '../../src/domain/values/work-progress.ts';

const AT = 1_000_000;

test('remaining time follows from the progress, is never negative, and is unknown without progress', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1e6 }),
      fc.integer({ min: 1, max: 1e6 }),
      fc.integer({ min: 0, max: 1e6 }),
      (done, more, elapsed) => {
        const counted = { done, total: done + more, unit: 'bars' };
        const { remainingMs } = workProgress({ counted, begunAt: AT - elapsed, at: AT });
        if (done === 0) expect(remainingMs).toBeNull();
        else expect(Math.abs((remainingMs as number) - (elapsed / done) * more)).toBeLessThan(1);
      },
    ),
  );
  expect(workProgress({ endsAt: AT - 5, at: AT }).remainingMs).toBe(0);
  expect(workProgress({ counted: { done: 1, total: 2, unit: 'bars' }, at: AT }).remainingMs).toBeNull();
});

test('a run waits for a place, then for its venue; while simulated its remaining time is known; after its end none is left', () => {
  expect(evaluationProgress('queued', null, AT)).toMatchObject({ progress: null, remainingMs: null, waitingFor: { cause: 'queue' } });
  const fetching = { done: 3, total: 9, doing: 'fetching AAPLx 5m (1 of 2)', since: AT - 100 };
  expect(evaluationProgress('running', fetching, AT)).toMatchObject({
    remainingMs: null,
    waitingFor: { cause: 'venue' },
    progress: { done: 3, total: 9 },
  });
  // The sandbox computes prices of its own market without asking a venue.
  const making = { done: 3, total: 9, doing: 'making AAPLx 5m (1 of 2) by the seeded market', since: AT - 100 };
  expect(evaluationProgress('running', making, AT)).toEqual({
    progress: { done: 3, total: 9, unit: 'bars made by the seeded market' },
    remainingMs: null,
    waitingFor: null,
  });
  const simulating = { done: 250, total: 1_000, doing: 'simulating', since: AT - 100 };
  expect(evaluationProgress('running', simulating, AT)).toEqual({
    progress: { done: 250, total: 1_000, unit: 'bars' },
    remainingMs: 300,
    waitingFor: null,
  });
  const trying = { done: 2, total: 8, doing: 'trying variants', since: AT - 100 };
  expect(evaluationProgress('running', trying, AT)).toMatchObject({ progress: { done: 2, total: 8, unit: 'variants' }, remainingMs: 300 });
  for (const state of ['finished', 'refused', 'cancelled', 'failed'])
    expect(evaluationProgress(state, simulating, AT)).toEqual(NOTHING_LEFT);
});

test('an import has a remaining time while it reports; a silent one shows its progress; an ended one has none left', () => {
  const waitingFor = { cause: 'venue', detail: 'the venue answers' } as const;
  const work = { unit: 'bars', done: 250, total: 1_000, waitingFor, begunAt: AT - 100, seenAt: AT - 30_000, endedAt: null, error: null };
  const progress = { done: 250, total: 1_000, unit: 'bars' };
  expect([longWorkState(work, AT), longWorkProgress(work, AT)]).toEqual(['running', { progress, remainingMs: 300, waitingFor }]);
  expect([longWorkState(work, AT + 1), longWorkProgress(work, AT + 1)]).toEqual([
    'silent',
    { progress, remainingMs: null, waitingFor: null },
  ]);
  expect(longWorkProgress({ ...work, total: null }, AT)).toEqual({ progress: null, remainingMs: null, waitingFor });
  for (const [error, state] of [
    [null, 'done'],
    ['it was interrupted', 'failed'],
  ] as const) {
    const ended = { ...work, endedAt: AT, error };
    expect([longWorkState(ended, AT), longWorkProgress(ended, AT)]).toEqual([state, NOTHING_LEFT]);
  }
});

test('a proposal waits for its approval, its signature, a worker, the market and its slices', () => {
  const proposal = (over: Partial<TrackedProposal>): TrackedProposal => ({
    state: 'executing',
    order: { instrument: 'spotexchange:BTCUSDT', quantity: '1', limitPrice: '60000' },
    execution: {
      algorithm: 'twap',
      urgency: 'medium',
      phase: 'waiting',
      restingAt: null,
      parts: [{ dueAt: AT - 25_000 }, { dueAt: AT - 5_000 }],
    },
    transaction: null,
    expiresAt: AT + 60_000,
    ...over,
  });
  const cause = (over: Partial<TrackedProposal>) => proposalProgress(proposal(over), AT).waitingFor?.cause;
  expect(proposalProgress(proposal({ state: 'pending_approval' }), AT)).toMatchObject({
    remainingMs: 60_000,
    waitingFor: { cause: 'approval' },
  });
  expect(cause({ state: 'approved' })).toBe('queue');
  expect(cause({ transaction: { state: 'prepared', executor: 'user' } })).toBe('signature');
  expect(cause({ state: 'unknown' })).toBe('confirmation');
  // Six slices, twenty seconds apart: the last one is due 75 seconds from now.
  expect(proposalProgress(proposal({}), AT)).toEqual({
    progress: { done: 2, total: 6, unit: 'slices' },
    remainingMs: 75_000,
    waitingFor: { cause: 'slot', detail: expect.any(String) },
  });
  const resting = {
    algorithm: 'smart_order_routing_maker_first',
    urgency: 'low',
    phase: 'resting',
    restingAt: '59999',
    parts: [],
  } as const;
  expect(proposalProgress(proposal({ execution: resting }), AT)).toMatchObject({
    progress: null,
    remainingMs: null,
    waitingFor: { cause: 'market', detail: expect.stringContaining('59999') },
  });
  for (const state of ['filled', 'partially_filled', 'failed', 'expired', 'cancelled', 'declined', 'blocked_by_risk'] as const)
    expect(proposalProgress(proposal({ state }), AT)).toEqual(NOTHING_LEFT);
});

test('a transfer waits for its signature, both chains and the provider; the end of a late one is unknown', () => {
  const transfer = (over: Partial<TrackedTransfer>, axes: object = {}): TrackedTransfer => ({
    state: 'submitted',
    axes: {
      source: { state: 'unseen', confirmations: 0 },
      destination: { state: 'none' },
      provider: { silentSince: null },
      ...axes,
    },
    estimatedSeconds: 90,
    expiresAt: AT + 30_000,
    submittedAt: AT - 30_000,
    ...over,
  });
  expect(transferProgress(transfer({ state: 'quoted', submittedAt: null }), AT)).toMatchObject({
    remainingMs: 30_000,
    waitingFor: { cause: 'signature' },
  });
  expect(transferProgress(transfer({}), AT)).toMatchObject({ remainingMs: 60_000, waitingFor: { cause: 'confirmation' } });
  const deep = transferProgress(transfer({ state: 'source_confirmed' }, { source: { state: 'included', confirmations: 7 } }), AT);
  expect(deep.waitingFor).toEqual({ cause: 'confirmation', detail: expect.stringContaining('7 deep') });
  const paying = { source: { state: 'final', confirmations: 64 }, provider: { silentSince: AT - 1 } };
  expect(transferProgress(transfer({ state: 'filling', submittedAt: AT - 90_000 }, paying), AT)).toEqual({
    progress: null,
    remainingMs: null,
    waitingFor: { cause: 'provider', detail: expect.stringContaining('does not answer') },
  });
  for (const state of ['completed', 'refunded', 'failed', 'expired'] as const)
    expect(transferProgress(transfer({ state }), AT)).toEqual(NOTHING_LEFT);
});

test('a launch on a curve waits for its signature, the chain, buyers and a keeper; only the buyers’ part counts', () => {
  const causes = CURVE_LAUNCH_STATES.map((state) => [state, curveLaunchProgress(state, 37.5, AT).waitingFor?.cause ?? null]);
  expect(Object.fromEntries(causes)).toEqual({
    prepared: 'signature',
    submitted: 'confirmation',
    confirmed: 'confirmation',
    trading: 'market',
    graduating: 'provider',
    graduated: null,
    expired: null,
    failed: null,
  });
  expect(curveLaunchProgress('trading', 37.5, AT)).toMatchObject({ progress: { done: 37.5, total: 100 }, remainingMs: null });
  // A curve that was never read is not empty but unknown.
  expect(curveLaunchProgress('trading', null, AT).progress).toBeNull();
});

test('an unpaid launch by the launcher waits until its offer ends; the end of a paid one is unknown', () => {
  const progressOf = (state: (typeof LAUNCHER_LAUNCH_STATES)[number]) => launcherLaunchProgress(state, AT + 40_000, AT);
  expect(Object.fromEntries(LAUNCHER_LAUNCH_STATES.map((state) => [state, progressOf(state).waitingFor?.cause ?? null]))).toEqual({
    quoted: 'queue',
    prepared: 'signature',
    payment_submitted: 'confirmation',
    payment_confirmed: 'confirmation',
    launching: 'provider',
    launched: null,
    expired: null,
    failed: null,
    failed_paid: 'provider',
  });
  expect(progressOf('prepared').remainingMs).toBe(40_000);
  for (const state of ['payment_submitted', 'launching', 'failed_paid', 'launched', 'expired'] as const)
    expect(progressOf(state).remainingMs).toBeNull();
});

test('a replay has a remaining time while it plays, at its speed; the end of a paused or looping one is unknown', () => {
  const replay = { mode: 'playing', from: 0, at: 20_000, to: 80_000, speed: 10, loop: false, events: 3, moves: 0, failure: null } as const;
  const progress = { done: 20, total: 80, unit: 'seconds of the tape' };
  expect(replayProgress(replay)).toEqual({ progress, remainingMs: 6_000, waitingFor: null });
  expect(replayProgress({ ...replay, mode: 'paused' })).toEqual({ progress, remainingMs: null, waitingFor: null });
  expect(replayProgress({ ...replay, loop: true })).toEqual({ progress, remainingMs: null, waitingFor: null });
  expect(replayProgress({ ...replay, mode: 'ended' })).toEqual(NOTHING_LEFT);
});
