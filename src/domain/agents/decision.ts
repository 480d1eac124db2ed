/** The decision record: its parts, its packed form at rest and its hash chain. */
import type { Disposition } from './agent.ts';
import { sha256Hex } from '../values/canonical-json.ts';
import type { UnknownInput } from '../conditions/unknown-input.ts';
import type { Observation } from '../market/cut.ts';
import type { DecimalString } from '../values/decimal.ts';
import { contentId } from '../values/ids.ts';
import { type EpochMs, isoTime } from '../values/time.ts';
import type { InstrumentKey } from '../market/venue.ts';

/** One cell of the rule evaluation matrix. An unknown input fails the rule with `observed: null`. */
export interface RuleOutcome {
  readonly instrument: InstrumentKey;
  readonly side: 'entry' | 'exit';
  readonly type: string;
  readonly passed: boolean;
  readonly observed: number | string | null;
  readonly threshold: number | string | null;
  /** Reason why the input was unknown; present only if `observed` is null and the rules are read with the observation. */
  readonly unknown?: UnknownInput;
}

/** Context with which an outcome is read, so that unknown inputs get their causes. */
export interface RulesSeen {
  readonly observations: readonly Observation[];
  readonly book: AgentBook;
}

/** The smallest change under which a refused order would pass the limit that refused it, as data. */
export type RiskChange =
  /** The largest quantity that fits, a whole number of lots. */
  | { readonly kind: 'quantity'; readonly quantity: DecimalString }
  /** The worst limit price that fits. */
  | { readonly kind: 'limit_price'; readonly limitPrice: DecimalString }
  /** No lot fits: this much of the limit must become free (by closing or cancelling something) first. */
  | { readonly kind: 'free_capacity'; readonly usd: DecimalString }
  /** Number of positions to close first. */
  | { readonly kind: 'close_positions'; readonly count: number }
  /** `at` is when, if that is known (milliseconds since the epoch). */
  | {
      readonly kind: 'wait_for';
      readonly what: 'live_quote' | 'live_reference' | 'pool_liquidity' | 'utc_day';
      readonly instrument: InstrumentKey | null;
      readonly at: EpochMs | null;
    }
  /** The order must be priced by a quote of this venue and instrument. */
  | { readonly kind: 'quote_of'; readonly instrument: InstrumentKey }
  | { readonly kind: 'lift_halt' }
  | { readonly kind: 'enable_feature'; readonly feature: string };

/** One refusal of the pre-trade risk function. */
export interface RiskRejection {
  readonly code: string;
  readonly limit: string | null;
  readonly before: string | null;
  readonly after: string | null;
  /** The smallest change that would pass, as a sentence; `change` says the same as data. */
  readonly suggestion: string | null;
  /** Smallest change of this order that would pass, or null. Absent in refusals for which no order was sized. */
  readonly change?: RiskChange | null;
}

/** The order that an attribution is about. */
export interface AssessedOrder {
  readonly side: 'buy' | 'sell';
  readonly quantity: DecimalString;
  readonly limitPrice: DecimalString;
  readonly notionalUsd: DecimalString;
}

/** Headroom of an order: the largest passing quantity, and the code that one more lot would meet. */
export interface RiskHeadroom {
  readonly quantity: DecimalString;
  readonly code: string;
}

/** Risk assessment of a proposal; null in a record that proposed nothing. */
export interface RiskAttribution {
  readonly verdict: 'passed' | 'blocked';
  readonly rejections: readonly RiskRejection[];
  /** Absent if the order was refused before it could be sized. */
  readonly order?: AssessedOrder;
  readonly headroom?: RiskHeadroom;
}

/** One open position of an agent's isolated book. Quantities and money are decimal strings. */
export interface BookPosition {
  readonly instrument: InstrumentKey;
  readonly quantity: DecimalString;
  readonly averageEntryPrice: DecimalString;
  readonly openedAt: EpochMs;
}

/** The agent's isolated book as a decision saw it. */
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
 * Result of `decide`: everything of the record that is not already known. `outcome` is the rule matrix packed as text, one `[passed,
 * observed]` pair per rule in the manifest's order (instrument by instrument, entry rules then exit rules); the rule's type and threshold
 * come from the manifest.
 */
export interface Verdict {
  readonly disposition: Disposition;
  /** A word for why, if the disposition alone does not say: `late_tick`, `research_only`, `quote_not_live`... */
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
  /** Hash of what the manifest reads of the slot's cut (`CutHashes`); empty if nothing was looked at. */
  readonly observedHash: string;
  /** The book at the decision, as canonical JSON; null for the book of an agent that has not traded. */
  readonly book: string | null;
  readonly previousHash: string;
  readonly hash: string;
}

/** The previous hash of an agent's first decision. */
export const GENESIS_HASH = '0'.repeat(64);

/**
 * Builds the text whose SHA-256 is a decision's hash: its parts, each on a line of its own, in this order. A part that could hold a line
 * break (outcome, risk, book) is JSON, in which a line break is always escaped.
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
  return contentId(`decision\n${agentId}\n${slot}`);
}

/** The id of the proposal that a decision makes. */
export function proposalIdOf(decision: string): string {
  return contentId(`proposal\n${decision}`);
}

/** The full record as it is read. */
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

/**
 * Assembles the record from the row, the part of the cut that its manifest reads (`observedBy`) and its compiled manifest. `at` is the
 * observed instant.
 */
export function assembleDecision(
  row: DecisionRow,
  observations: readonly Observation[],
  manifest: { unpack(outcome: string, seen: RulesSeen): readonly RuleOutcome[] },
): DecisionRecord {
  const book = row.book === null ? EMPTY_BOOK : (JSON.parse(row.book) as AgentBook);
  return {
    id: decisionId(row.agentId, row.slot),
    agentId: row.agentId,
    slot: isoTime(row.slot),
    at: isoTime(row.slot),
    manifestHash: row.manifestHash,
    observed: Object.fromEntries(observations.map((observation) => [observation.instrument, observation])),
    rules: manifest.unpack(row.outcome, { observations, book }),
    disposition: row.disposition,
    reason: row.reason,
    instrument: row.instrument,
    risk: row.risk,
    book,
    previousHash: row.previousHash,
    hash: row.hash,
  };
}
