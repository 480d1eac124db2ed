// Layers of a chart: the premium over the reference known at each bar, and shaded closed sessions.
import { expect, test } from 'vitest';
import { premiumPoints, joinStretches } from '../../web/terminal/chart/layer-points.ts';

const bar = (hour: number, close: string) => ({ openTime: `2026-11-20T${String(hour).padStart(2, '0')}:00:00.000Z`, close });

test('a bar is compared with the reference of its time, and with the last one while the exchange is closed', () => {
  const bars = [bar(13, '99'), bar(14, '101'), bar(15, '102'), bar(16, '110'), bar(20, '90')];
  const references = [bar(14, '100'), bar(15, '100'), bar(17, '120')];
  expect(premiumPoints(bars, references).map(({ at, value }) => [new Date(at).getUTCHours(), Number(value.toFixed(6))])).toEqual([
    [14, 1],
    [15, 2],
    [16, 10],
    [20, -25],
  ]);
  expect(premiumPoints(bars, [])).toEqual([]);
});

test('neighbouring bars of one colour are one stretch, and a bar without a colour separates them', () => {
  const bars = ['a', 'a', null, 'a', 'b', 'b', null].map((colour, time) => ({ time, colour }));
  expect(joinStretches(bars)).toEqual([
    { from: 0, to: 1, colour: 'a' },
    { from: 3, to: 3, colour: 'a' },
    { from: 4, to: 5, colour: 'b' },
  ]);
});
