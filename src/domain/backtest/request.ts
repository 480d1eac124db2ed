/** Request of a backtest with every default resolved. The same request gives the same result at any time. */

import { GATE_LIMITS, yearsAfter } from '../agents/evidence.ts';
import type { Problem } from '../values/field.ts';
import { canonicalTimeframe } from '../values/field.ts';
import { DAY_MS, type EpochMs, MINUTE_MS, isoTime, startOfSlot } from '../values/time.ts';
import { type Assumptions, readAssumptions } from './assumptions.ts';

/** Request as stored with the run. Plain JSON. Times are ISO 8601. */
export type BacktestRequest = {
  /** Bars open from `from` (inclusive) to `to` (exclusive). */
  readonly from: string;
  readonly to: string;
  /** Timeframe of the decisions, or null for the manifest's own. */
  readonly timeframe: string | null;
  /** True for a look, which is no evidence. See `isLook`. */
  readonly look: boolean;
  readonly assumptions: Assumptions;
};

/** Null or missing fields take their defaults. */
export interface GivenRequest {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly timeframe?: string | undefined;
  readonly look?: boolean | undefined;
  readonly assumptions?: Readonly<Partial<Record<keyof Assumptions, number>>> | undefined;
}

/** Spare days beyond the five years, so that bars that start a little late still cover them. */
const SPARE_DAYS = 8;
/** Maximum time in milliseconds between reading a request and recording its run. */
const READ_BEFORE_MS = MINUTE_MS;

/** Reads a request. The default window ends with the last whole UTC day and covers a little more than five years. */
export function readBacktestRequest(given: GivenRequest, now: EpochMs): BacktestRequest | readonly Problem[] {
  const problems: Problem[] = [];
  const instant = (text: string | undefined, name: string, otherwise: EpochMs): EpochMs => {
    if (text === undefined) return otherwise;
    const at = Date.parse(text);
    if (Number.isNaN(at))
      problems.push({
        path: `$.${name}`,
        problem: `${JSON.stringify(text)} is not a time`,
        allowed: 'ISO 8601, such as 2020-01-01T00:00:00Z',
      });
    return at;
  };
  const to = instant(given.to, 'to', gateStretch(now).to);
  const from = instant(given.from, 'from', stretchBefore(to));
  if (from >= to)
    problems.push({ path: '$.from', problem: `${isoTimeOr(from)} is not before ${isoTimeOr(to)}`, allowed: 'a time before `to`' });
  if (to > now) problems.push({ path: '$.to', problem: `${isoTimeOr(to)} is in the future`, allowed: `at most ${isoTime(now)}` });
  const timeframe = given.timeframe === undefined ? null : canonicalTimeframe(given.timeframe);
  if (given.timeframe !== undefined && timeframe === null) {
    problems.push({
      path: '$.timeframe',
      problem: `${JSON.stringify(given.timeframe)} is not a timeframe`,
      allowed: 'minutes or hours from 1 to 999, such as 5m or 1h',
    });
  }
  const assumptions = readAssumptions(given.assumptions ?? {}, problems);
  if (problems.length > 0) return problems;
  return { from: isoTime(from), to: isoTime(to), timeframe, look: given.look === true, assumptions };
}

/**
 * True for a run that is no evidence: it asks to be a look, or its timeframe is not the manifest's, or its period is not the gate's. The
 * database function `is_look` decides the same. @param at Time of the request.
 */
export function isLook({ from, to, timeframe, look }: BacktestRequest, manifestTimeframe: string, at: EpochMs): boolean {
  if (look || (timeframe ?? manifestTimeframe) !== manifestTimeframe) return true;
  // A request that was read just before midnight ends a day earlier.
  return ![at, at - READ_BEFORE_MS].some((now) => {
    const gate = gateStretch(now);
    return Date.parse(from) === gate.from && Date.parse(to) === gate.to;
  });
}

/** Returns the period that the backtest gate requires: a little more than five years up to the last whole UTC day. */
function gateStretch(now: EpochMs): { readonly from: EpochMs; readonly to: EpochMs } {
  const to = startOfSlot(now, DAY_MS);
  return { from: stretchBefore(to), to };
}

function stretchBefore(to: EpochMs): EpochMs {
  return startOfSlot(yearsAfter(to, -GATE_LIMITS.historyYears), DAY_MS) - SPARE_DAYS * DAY_MS;
}

function isoTimeOr(at: EpochMs): string {
  return Number.isNaN(at) ? 'what is given' : isoTime(at);
}
