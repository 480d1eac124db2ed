/** Builds the rows of ticks, each chained to the last decision of its actor. */
import { type DecisionRow, decisionHash, type Verdict } from '../../src/domain/agents/decision.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';

/** Fields of every decision row of an actor, whatever the tick's result. */
export interface ChainEnd {
  readonly id: string;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  /** Book as canonical JSON, or null if the actor has not traded. */
  readonly bookText: string | null;
  /** Hash of the actor's last decision. */
  readonly previousHash: string;
}

/** Returns the row of a verdict on the slot's cut. */
export function decisionRow(end: ChainEnd, slot: EpochMs, verdict: Verdict, observedHash: string): DecisionRow {
  const row = {
    agentId: end.id,
    slot,
    manifestVersion: end.manifestVersion,
    manifestHash: end.manifestHash,
    disposition: verdict.disposition,
    reason: verdict.reason,
    instrument: verdict.instrument,
    outcome: verdict.outcome,
    risk: verdict.risk,
    observedHash,
    book: end.bookText,
    previousHash: end.previousHash,
    hash: '',
  };
  row.hash = decisionHash(row);
  return row;
}

/** Returns the row of a slot that was missed or late: held without observations, never a proposal from old data. */
export function lateTick(end: ChainEnd, slot: EpochMs): DecisionRow {
  return decisionRow(end, slot, LATE, '');
}

const LATE: Verdict = { disposition: 'hold', reason: 'late_tick', instrument: null, outcome: '[]', risk: null };

/** Returns the row of a tick that threw or killed its worker. */
export function crashedTick(end: ChainEnd, slot: EpochMs): DecisionRow {
  return decisionRow(end, slot, CRASHED, '');
}

const CRASHED: Verdict = {
  disposition: 'blocked_by_risk',
  reason: 'tick_crash',
  instrument: null,
  outcome: '[]',
  risk: {
    verdict: 'blocked',
    rejections: [
      { code: 'halted', limit: 'a tick that completes', before: null, after: null, suggestion: 'see the incidents of this agent' },
    ],
  },
};
