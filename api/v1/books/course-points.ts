/** Points of an equity curve: their instants and fields. */
import { Type } from 'typebox';
import { type EpochMs, slotOf, timeframeMs } from '../../../src/domain/values/time.ts';
import { NullableDecimalText, nullable, Time } from '../../shapes.ts';

export const COURSE_TIMEFRAMES = ['1m', '5m', '15m', '1h', '4h', '24h'] as const;
export type CourseTimeframe = (typeof COURSE_TIMEFRAMES)[number];
export const MOST_POINTS = 200;

/** Returns the schema of a point. @param unknown Says when its equity is null. */
export function equityPoint(unknown: string) {
  return Type.Object({
    at: Time,
    equityUsd: { ...NullableDecimalText, description: unknown },
    pnlUsd: { ...NullableDecimalText, description: 'Equity minus net deposits so far.' },
    drawdownPct: nullable('number', 'Drawdown from the highest value so far. Deposits and withdrawals do not change it.'),
  });
}

/** Returns the instants of a curve from the opening until now, ascending, at the shortest timeframe with which all of them fit. */
export function courseTimes(
  openedAt: EpochMs,
  now: EpochMs,
  points: number,
): { readonly timeframe: CourseTimeframe; readonly barMs: number; readonly times: readonly EpochMs[] } {
  const timeframe = COURSE_TIMEFRAMES.find((name) => (now - openedAt) / (timeframeMs(name) as number) < points) ?? '24h';
  const barMs = timeframeMs(timeframe) as number;
  const to = slotOf(now, barMs);
  const first = Math.max(slotOf(openedAt, barMs) + barMs, to - (points - 1) * barMs);
  const times = Array.from({ length: Math.max(0, (to - first) / barMs + 1) }, (_, index) => first + index * barMs);
  return { timeframe, barMs, times };
}
