/**
 * The compiled ordinary tick: what the agent's machine does with a tick that changes no state, without the machine.
 * `test/actors/agent/tick.test.ts` proves it equal to `machine.transition` over random lives.
 */
import type { Autonomy } from '../../src/domain/agent.ts';
import type { Cut } from '../../src/domain/cut.ts';
import { observationHash } from '../../src/domain/cut.ts';
import type { CompiledManifest, RiskAssessor } from '../../src/domain/decide.ts';
import { type AgentBook, combineObservationHashes, type DecisionRow, decisionHash, type Verdict } from '../../src/domain/decision.ts';
import type { EpochMs } from '../../src/domain/time.ts';
import type { InstrumentKey } from '../../src/domain/venue.ts';

/** What every decision row of an agent carries, whatever the tick comes to. */
export interface ChainEnd {
  readonly id: string;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  /** The book as canonical JSON; null for the book of an agent that has not traded. */
  readonly bookText: string | null;
  /** The hash of the agent's last decision. */
  readonly previousHash: string;
}

/** An agent on duty as an ordinary tick needs it. */
export interface TickedAgent extends ChainEnd {
  readonly autonomy: Autonomy;
  readonly compiled: CompiledManifest;
  readonly book: AgentBook;
  /** The pre-trade risk function over the agent's mandate and book; without it nothing is proposed. */
  readonly assess?: RiskAssessor;
  /** Instruments with an open proposal. */
  readonly pending?: ReadonlySet<InstrumentKey>;
}

/** A cut together with the hash of each of its observations. */
export interface HashedCut {
  readonly cut: Cut;
  readonly hashes: ReadonlyMap<InstrumentKey, string>;
}

export function hashCut(cut: Cut): HashedCut {
  return { cut, hashes: new Map([...cut.observations].map(([instrument, observation]) => [instrument, observationHash(observation)])) };
}

/** What an agent on duty decides on a cut. Pure. */
export function ordinaryTick(agent: TickedAgent, cut: Cut): Verdict {
  return agent.compiled.decide(cut, agent.book, agent.autonomy, agent.assess, agent.pending);
}

/** The decision row of an ordinary tick, chained to the agent's last. */
export function tickAgent(agent: TickedAgent, cut: HashedCut, observedHash: string): DecisionRow {
  return chained(agent, cut.cut.slot, ordinaryTick(agent, cut.cut), observedHash);
}

/** A slot that was missed or came too late: held, on nothing observed, never a proposal from old data (decisions "A missed tick"). */
export function lateTick(agent: ChainEnd, slot: EpochMs): DecisionRow {
  return chained(agent, slot, LATE, '');
}

const LATE: Verdict = { disposition: 'hold', reason: 'late_tick', instrument: null, outcome: '[]', risk: null };

/** A tick that threw or took its worker down. */
export function crashedTick(agent: ChainEnd, slot: EpochMs): DecisionRow {
  return chained(agent, slot, CRASHED, '');
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

/** The observed hash of a universe at a cut; the same for every agent with that universe. */
export function observedHashOf(instruments: readonly InstrumentKey[], { hashes }: HashedCut): string {
  const found: string[] = [];
  for (const instrument of instruments) {
    const hash = hashes.get(instrument);
    if (hash !== undefined) found.push(hash);
  }
  return combineObservationHashes(found);
}

function chained(agent: ChainEnd, slot: EpochMs, verdict: Verdict, observedHash: string): DecisionRow {
  const row = {
    agentId: agent.id,
    slot,
    manifestVersion: agent.manifestVersion,
    manifestHash: agent.manifestHash,
    disposition: verdict.disposition,
    reason: verdict.reason,
    instrument: verdict.instrument,
    outcome: verdict.outcome,
    risk: verdict.risk,
    observedHash,
    book: agent.bookText,
    previousHash: agent.previousHash,
    hash: '',
  };
  row.hash = decisionHash(row);
  return row;
}
