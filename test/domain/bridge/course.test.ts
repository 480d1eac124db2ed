// Timeline of a transfer: the observations of its steps, folded into the moments of change.
import { expect, test } from 'vitest';
import { NO_ARRIVAL, type Sighting } from '../../../src/domain/bridge/axes.ts';
import { transferCourse } from '../../../src/domain/bridge/course.ts';

const NOTHING: Sighting = { at: 0, provider: null, source: null, destination: null, refund: null };
const included = { state: 'included', confirmations: 1, detail: null } as const;
const paid = (amount: string, state: 'included' | 'final') => ({ ...NO_ARRIVAL, state, hash: 'h', amount });

test('each change is one point; an unchanged check, or one begun before the last, is none', () => {
  const points = transferCourse(1_000, [
    { at: 2_000, state: 'submitted', sighting: null },
    { at: 3_000, state: 'submitted', sighting: { ...NOTHING, at: 2_900 } },
    { at: 4_000, state: 'source_confirmed', sighting: { ...NOTHING, at: 3_900, source: included } },
    { at: 5_000, state: 'source_confirmed', sighting: { ...NOTHING, at: 4_900, source: { ...included, confirmations: 9 } } },
    { at: 6_000, state: 'filling', sighting: { ...NOTHING, at: 5_900, destination: paid('39000000', 'included') } },
    { at: 7_000, state: 'filling', sighting: { ...NOTHING, at: 3_000, destination: paid('1', 'final') } },
    { at: 8_000, state: 'completed', sighting: { ...NOTHING, at: 7_900, destination: paid('39000000', 'final') } },
  ]);
  expect(points.map(({ at, state, source, arrived }) => [at, state, source, arrived])).toEqual([
    [1_000, 'quoted', 'unseen', null],
    [2_000, 'submitted', 'unseen', null],
    [4_000, 'source_confirmed', 'included', null],
    [6_000, 'filling', 'included', '39000000'],
    [8_000, 'completed', 'included', '39000000'],
  ]);
});

test('a provider’s silence is no point, and a refund is shown next to the arrival', () => {
  const points = transferCourse(0, [
    { at: 1, state: 'submitted', sighting: NOTHING },
    { at: 2, state: 'refunded', sighting: { ...NOTHING, at: 1, refund: paid('40000000', 'final') } },
  ]);
  expect(points.map(({ state, arrived, refunded }) => [state, arrived, refunded])).toEqual([
    ['quoted', null, null],
    ['submitted', null, null],
    ['refunded', null, '40000000'],
  ]);
});
