/** The decision record: its parts, its packed stored form and its hash chain. */
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
  /** Reason why the input was unknown. Present only if `observed` is null and the rules are read with the observation. */
  readonly unknown?: UnknownInput;
}

/** Context for reading an outcome, so that unknown inputs get their causes. */
export interface RulesSeen {
  readonly observations: readonly Observation[];
  readonly book: AgentBook;
}

/** Smallest change by which a refused order would pass its limit, as data. */
export type RiskChange =
  /** Largest quantity that fits, in whole lots. */
  | { readonly kind: 'quantity'; readonly quantity: DecimalString }
  /** Worst limit price that fits. */
  | { readonly kind: 'limit_price'; readonly limitPrice: DecimalString }
  /** No lot fits: this much of the limit, in US dollars, must become free first, by closing or cancelling something. */
  | { readonly kind: 'free_capacity'; readonly usd: DecimalString }
  /** Number of positions to close first. */
  | { readonly kind: 'close_positions'; readonly count: number }
  /** Time at which it passes, if known, in milliseconds since the epoch. */
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

/** One rejection of the pre-trade risk function. */
export interface RiskRejection {
  readonly code: string;
  readonly limit: string | null;
  readonly before: string | null;
  readonly after: string | null;
  /** Smallest change that would pass, as a sentence. `change` gives it as data. */
  readonly suggestion: string | null;
  /** Smallest change of this order that would pass, or null. Absent if the order was not sized. */
  readonly change?: RiskChange | null;
}

/** Order that an attribution refers to. */
export interface AssessedOrder {
  readonly side: 'buy' | 'sell';
  readonly quantity: DecimalString;
  readonly limitPrice: DecimalString;
  readonly notionalUsd: DecimalString;
}

/** Headroom of an order: the largest passing quantity, and the code by which one more lot would be rejected. */
export interface RiskHeadroom {
  readonly quantity: DecimalString;
  readonly code: string;
}

/** Risk assessment of a proposal. Null in a record without a proposal. */
export interface RiskAttribution {
  readonly verdict: 'passed' | 'blocked';
  readonly rejections: readonly RiskRejection[];
  /** Absent if the order was refused before it could be sized. */
  readonly order?: AssessedOrder;
  readonly headroom?: RiskHeadroom;
}

/** An open position of an agent's isolated book. Quantities and money are decimal strings. */
export interface BookPosition {
  readonly instrument: InstrumentKey;
  readonly quantity: DecimalString;
  readonly averageEntryPrice: DecimalString;
  readonly openedAt: EpochMs;
}

/** The agent's isolated book at a decision. */
export interface AgentBook {
  readonly positions: readonly BookPosition[];
  readonly openProposals: number;
  readonly fills: number;
  readonly realizedPnlUsd: DecimalString;
  readonly slippageBps: number | null;
}

/** Book of an agent that has not traded. */
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
  /** Reason such as `late_tick`, `research_only` or `quote_not_live`, if the disposition alone does not say. */
  readonly reason: string | null;
  /** Instrument of the proposal, or null. */
  readonly instrument: InstrumentKey | null;
  readonly outcome: string;
  readonly risk: RiskAttribution | null;
}

/** A decision as stored, in typed columns. It refers to observations by slot and instrument. */
export interface DecisionRow extends Verdict {
  readonly agentId: string;
  readonly slot: EpochMs;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  /** Hash of the part of the slot's cut that the manifest reads (`CutHashes`). Empty if nothing was read. */
  readonly observedHash: string;
  /** Book at the decision as canonical JSON, or null if the agent has not traded. */
  readonly book: string | null;
  readonly previousHash: string;
  readonly hash: string;
}

/** Previous hash of an agent's first decision. */
export const GENESIS_HASH = '0'.repeat(64);

/**
 * Builds the text whose SHA-256 is a decision's hash: its parts in this order, one per line. Parts that could contain a line break
 * (outcome, risk, book) are JSON, which escapes it.
 */
export function decisionChainText(row: Omit<DecisionRow, 'hash'>): string {
  return `sevengate-decision-1\n${row.agentId}\n${row.slot}\n${row.manifestHash}\n${row.observedHash}\n${row.disposition}\n${row.reason ?? ''}\n${row.instrument ?? ''}\n${row.outcome}\n${row.risk === null ? '' : JSON.stringify(row.risk)}\n${row.book ?? ''}\n${row.previousHash}`;
}

/** Returns the hash of a decision: SHA-256 of its chain text in lower-case hexadecimal. */
export function decisionHash(row: Omit<DecisionRow, 'hash'>): string {
  return sha256Hex(decisionChainText(row));
}

/** Returns a decision's id: a UUID derived from (agent, slot), so that a replay repeats it. */
export function decisionId(agentId: string, slot: EpochMs): string {
  return contentId(`decision\n${agentId}\n${slot}`);
}

/** Returns the id of a decision's proposal. */
export function deriveProposalId(decision: string): string {
  return contentId(`proposal\n${decision}`);
}

/**
 * Assembles the record from the row, the part of the cut that its manifest reads (`observedBy`) and its compiled manifest. `at` is the
 * observed instant.
 */
export function assembleDecision(
  row: DecisionRow,
  observations: readonly Observation[],
  manifest: { unpack(outcome: string, seen: RulesSeen): readonly RuleOutcome[] },
) {
  const book = row.book === null ? EMPTY_BOOK : (JSON.parse(row.book) as AgentBook);
  return {
    id: decisionId(row.agentId, row.slot),
    agentId: row.agentId,
    slot: isoTime(row.slot),
    at: isoTime(row.slot),
    manifestHash: row.manifestHash,
    observed: Object.fromEntries(observations.map((observation): [string, Observation] => [observation.instrument, observation])),
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

/** Full record as read. */
export type DecisionRecord = Readonly<ReturnType<typeof assembleDecision>>;
