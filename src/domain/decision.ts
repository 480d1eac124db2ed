/** The decision record of spec section 2.8: its parts, its packed form at rest and its hash chain. */
import type { Disposition } from './agent.ts';
import { sha256Hex } from './canonical-json.ts';
import type { Observation } from './cut.ts';
import type { DecimalString } from './decimal.ts';
import { type EpochMs, isoTime } from './time.ts';
import type { InstrumentKey } from './venue.ts';

/** One cell of the rule evaluation matrix. An unknown input fails the rule with `observed: null`. */
export interface RuleOutcome {
  readonly instrument: InstrumentKey;
  readonly side: 'entry' | 'exit';
  readonly type: string;
  readonly passed: boolean;
  readonly observed: number | string | null;
  readonly threshold: number | string | null;
}

/** One refusal of the pre-trade risk function (decisions "Risk rejection codes"). */
export interface RiskRejection {
  readonly code: string;
  readonly limit: string | null;
  readonly before: string | null;
  readonly after: string | null;
  readonly suggestion: string | null;
}

/** What the risk engine said of a proposal; null in a record that proposed nothing. */
export interface RiskAttribution {
  readonly verdict: 'passed' | 'blocked';
  readonly rejections: readonly RiskRejection[];
}

/** One open position of an agent's isolated book. Quantities and money are decimal strings. */
export interface BookPosition {
  readonly instrument: InstrumentKey;
  readonly quantity: DecimalString;
  readonly averageEntryPrice: DecimalString;
  readonly openedAt: EpochMs;
}

/** The agent's isolated book as a decision saw it (spec section 2.8). */
export interface AgentBook {
  readonly positions: readonly BookPosition[];
  readonly openProposals: number;
  readonly fills: number;
  readonly realizedPnlUsd: DecimalString;
  readonly slippageBps: number | null;
}

/** The book of an agent that has not traded. */
export const EMPTY_BOOK: AgentBook = Object.freeze({
  positions: Object.freeze([]) as readonly BookPosition[],
  openProposals: 0,
  fills: 0,
  realizedPnlUsd: '0',
  slippageBps: null,
});

/**
 * What `decide` returns: everything of the record that is not already known.
 * `outcome` is the rule matrix packed as text, one `[passed, observed]` pair per rule in the manifest's order
 * (instrument by instrument, entry rules then exit rules); the rule's type and threshold come from the manifest.
 */
export interface Verdict {
  readonly disposition: Disposition;
  /** A word for why, where the disposition alone does not say: `late_tick`, `research_only`, `quote_not_live`... */
  readonly reason: string | null;
  /** The instrument that the proposal is about. */
  readonly instrument: InstrumentKey | null;
  readonly outcome: string;
  readonly risk: RiskAttribution | null;
}

/** A decision as it lies at rest: typed columns; observations are referred to by slot and instrument. */
export interface DecisionRow extends Verdict {
  readonly agentId: string;
  readonly slot: EpochMs;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  /** Hash over the hashes of the observations of the manifest's universe at this slot; empty where none was looked at. */
  readonly observedHash: string;
  /** The book at the decision, as canonical JSON; null for the book of an agent that has not traded. */
  readonly book: string | null;
  readonly previousHash: string;
  readonly hash: string;
}

/** The previous hash of an agent's first decision. */
export const GENESIS_HASH = '0'.repeat(64);

/** Joins the hashes of the observations that a decision looked at, in the universe's order. */
export function combineObservationHashes(hashes: readonly string[]): string {
  return hashes.length === 0 ? '' : hashes.length === 1 ? (hashes[0] as string) : sha256Hex(hashes.join(''));
}

/**
 * The text whose SHA-256 is a decision's hash: its parts, each on a line of its own, in this order. A part that could
 * hold a line break (outcome, risk, book) is JSON, in which a line break is always escaped.
 */
export function decisionChainText(row: Omit<DecisionRow, 'hash'>): string {
  return `sevengate-decision-1\n${row.agentId}\n${row.slot}\n${row.manifestHash}\n${row.observedHash}\n${row.disposition}\n${row.reason ?? ''}\n${row.instrument ?? ''}\n${row.outcome}\n${row.risk === null ? '' : JSON.stringify(row.risk)}\n${row.book ?? ''}\n${row.previousHash}`;
}

/** The hash of a decision: SHA-256 of its chain text, in lower-case hexadecimal. */
export function decisionHash(row: Omit<DecisionRow, 'hash'>): string {
  return sha256Hex(decisionChainText(row));
}

/** A decision's id: a UUID derived from (agent, slot), so that a replay repeats it. */
export function decisionId(agentId: string, slot: EpochMs): string {
  const hex = sha256Hex(`decision\n${agentId}\n${slot}`);
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The full record of spec section 2.8 as it is read (contract "HTTP"). */
export interface DecisionRecord {
  readonly id: string;
  readonly agentId: string;
  readonly slot: string;
  readonly at: string;
  readonly manifestHash: string;
  readonly observed: { readonly [instrument: string]: Observation };
  readonly rules: readonly RuleOutcome[];
  readonly disposition: Disposition;
  readonly reason: string | null;
  readonly instrument: InstrumentKey | null;
  readonly risk: RiskAttribution | null;
  readonly book: AgentBook;
  readonly previousHash: string;
  readonly hash: string;
}

/** Assembles the record from the row, the slot's observations and the unpacked rule matrix. `at` is the instant that was observed. */
export function assembleDecision(row: DecisionRow, observations: readonly Observation[], rules: readonly RuleOutcome[]): DecisionRecord {
  return {
    id: decisionId(row.agentId, row.slot),
    agentId: row.agentId,
    slot: isoTime(row.slot),
    at: isoTime(row.slot),
    manifestHash: row.manifestHash,
    observed: Object.fromEntries(observations.map((observation) => [observation.instrument, observation])),
    rules,
    disposition: row.disposition,
    reason: row.reason,
    instrument: row.instrument,
    risk: row.risk,
    book: row.book === null ? EMPTY_BOOK : (JSON.parse(row.book) as AgentBook),
    previousHash: row.previousHash,
    hash: row.hash,
  };
}
