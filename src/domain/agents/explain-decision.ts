/** Explains a decision in words: the observations, the rules that passed, the result and its reason. Every number comes from the record. */

import { CATALOG, type InstrumentKind } from '../catalog/catalog.ts';
import { CONDITIONS } from '../conditions/index.ts';
import { unknownInWords } from '../conditions/unknown-input.ts';
import type { Observation } from '../market/cut.ts';
import type { DecisionRecord, RiskRejection, RuleOutcome } from './decision.ts';
import { ageInWords, withAgesInWords } from '../values/words.ts';

/** Instrument kinds that trade around the clock. */
const ALWAYS_OPEN: ReadonlySet<InstrumentKind> = new Set(['spot', 'perp', 'pre_ipo', 'agent_token']);

export interface RuleInWords {
  readonly type: string;
  readonly passed: boolean;
  readonly sentence: string;
}

/** Observation of one instrument, and the results of its rules. */
export interface InstrumentInWords {
  readonly instrument: string;
  readonly seen: string;
  readonly entry: readonly RuleInWords[];
  readonly exit: readonly RuleInWords[];
}

export interface Explanation {
  /** Decision in one sentence. */
  readonly summary: string;
  readonly why: readonly string[];
  readonly instruments: readonly InstrumentInWords[];
  /** Conditions missing for a trade, nearest first. Empty if a trade was proposed. */
  readonly missing: readonly string[];
}

/** Explanations of a disposition's reason. Risk codes are explained by their rejections. */
export const REASONS_IN_WORDS: Readonly<Record<string, string>> = {
  research_only: 'its rules asked for a trade, but an agent at autonomy research proposes nothing',
  reduce_only: 'its rules asked for an entry, but an agent at autonomy risk_only can only reduce its positions',
  no_observation: 'no market data was received for at least one of its instruments, so it did not trade',
  late_tick: 'it was late, and an agent never trades on old market data',
  tick_crash: 'it failed before a rule was evaluated',
  proposal_pending: 'a proposal for the same instrument is still open',
  quote_not_live: 'the rules asked for a trade, but the quote is not live, and orders need a live quote',
  stale_reference_feed: 'the rules asked for a trade, but the reference price is stale or carried forward',
  no_proposal: 'its strategy is outside code, which proposed nothing for this minute',
  fence_not_passed: 'its code proposed a trade, but a condition of the mandate did not hold',
  limit_price_not_reached: 'its code proposed a trade, but the market did not reach the limit price',
  manifest_changed: 'its code proposed a trade under a manifest that is not the active one',
  outside_universe: 'its code proposed a trade in an instrument outside the mandate',
  position_open: 'its code proposed to buy an instrument that the agent already holds',
  risk_engine_absent: 'the pre-trade risk check was not available, and no order is proposed without it',
};

const DESCRIPTIONS: ReadonlyMap<string, string> = new Map(CONDITIONS.map(({ type, description }) => [type, description]));

/**
 * Explains a decision. Pure: the same record gives the same sentences, and every number in them is in the record. Times are ISO 8601 in
 * UTC. Prices are in the instrument's quote currency.
 */
export function explainDecision(record: DecisionRecord): Explanation {
  const instruments = listInstruments(record).map((instrument) => inWords(record, instrument));
  return { summary: summarize(record), why: explainReasons(record), instruments, missing: listMissing(record) };
}

/** Returns the explanation as plain text, for a terminal. */
export function explanationText(explanation: Explanation): string {
  const lines = [explanation.summary, ...explanation.why.map((sentence) => `  ${sentence}`)];
  for (const { instrument, seen, entry, exit } of explanation.instruments) {
    lines.push('', `${instrument}: ${seen}`);
    for (const { passed, sentence } of entry) lines.push(`  entry ${passed ? 'held  ' : 'failed'} ${sentence}`);
    for (const { passed, sentence } of exit) lines.push(`  exit  ${passed ? 'held  ' : 'failed'} ${sentence}`);
  }
  if (explanation.missing.length > 0) lines.push('', 'What was missing for a trade:', ...explanation.missing.map((line) => `  ${line}`));
  return lines.join('\n');
}

function summarize(record: DecisionRecord): string {
  const at = `At ${record.slot} the agent`;
  const on = record.instrument ?? 'its instruments';
  switch (record.disposition) {
    case 'propose_entry':
      return `${at} proposed to buy ${on}.`;
    case 'propose_exit':
      return `${at} proposed to sell its ${on}.`;
    case 'blocked_by_risk':
      return `${at} was blocked from ${record.instrument === null ? 'trading' : `trading ${on}`}: ${record.reason ?? 'blocked'}.`;
    case 'hold':
      return `${at} held${record.reason === null ? '' : `: ${record.reason}`}.`;
  }
}

function explainReasons(record: DecisionRecord): string[] {
  const why: string[] = [];
  const reason = record.reason === null ? undefined : REASONS_IN_WORDS[record.reason];
  if (reason !== undefined) why.push(`${capital(reason)}.`);
  else if (record.disposition === 'hold' && record.reason === null) why.push('No instrument met its rules.');
  const { book } = record;
  why.push(
    book.positions.length === 0
      ? 'Its book held no position.'
      : `Its book held ${book.positions.map(({ quantity, instrument, averageEntryPrice }) => `${quantity} ${instrument} bought at ${averageEntryPrice}`).join(', ')}.`,
  );
  if (isProposedOutside(record)) why.push('Its code proposed the trade, and the trade meets every rule of the mandate.');
  else if (record.disposition === 'propose_entry') why.push('Every entry rule held.');
  else if (record.disposition === 'propose_exit') {
    const held = record.rules.filter(({ side, passed, instrument }) => side === 'exit' && passed && instrument === record.instrument);
    why.push(`Exit rules are alternatives; ${held.map(({ type }) => type).join(' and ')} held.`);
  }
  if (record.risk?.verdict === 'passed') why.push('The pre-trade risk check passed.');
  for (const rejection of record.risk?.rejections ?? []) why.push(rejectionInWords(rejection));
  return why;
}

/** True for a trade that the outside proposal of the slot asked for, rather than a rule of the mandate. */
function isProposedOutside({ disposition, instrument, rules }: DecisionRecord): boolean {
  const named = rules.find(({ type }) => type === 'outside_proposal');
  return (disposition === 'propose_entry' || disposition === 'propose_exit') && named?.passed === true && named.instrument === instrument;
}

/** Describes a rejection of the pre-trade risk function as a sentence. */
export function rejectionInWords({ code, limit, before, after, suggestion }: RiskRejection): string {
  const numbers = [
    limit === null ? '' : `limit ${limit}`,
    before === null ? '' : `before the order ${withAgesInWords(before)}`,
    after === null || after === before ? '' : `after it ${withAgesInWords(after)}`,
  ].filter((part) => part !== '');
  return `Rejected by the risk check (${code})${numbers.length === 0 ? '' : `: ${numbers.join(', ')}`}${suggestion === null ? '' : `; ${suggestion}`}.`;
}

function listInstruments(record: DecisionRecord): string[] {
  return [...new Set([...Object.keys(record.observed), ...record.rules.map(({ instrument }) => instrument)])];
}

function inWords(record: DecisionRecord, instrument: string): InstrumentInWords {
  const rules = record.rules.filter((rule) => rule.instrument === instrument);
  const side = (wanted: 'entry' | 'exit'): RuleInWords[] =>
    rules.filter((rule) => rule.side === wanted).map((rule) => ({ type: rule.type, passed: rule.passed, sentence: ruleInWords(rule) }));
  return { instrument, seen: seenInWords(record.observed[instrument]), entry: side('entry'), exit: side('exit') };
}

function ruleInWords({ type, observed, threshold, unknown }: RuleOutcome): string {
  const saw =
    observed !== null
      ? `observed ${observed}`
      : unknown?.cause === 'no_position'
        ? unknownInWords(unknown)
        : `its input was unknown${unknown === undefined ? '' : ` because ${unknownInWords(unknown)}`}`;
  const asked = threshold === null ? '' : `, threshold ${threshold}`;
  return `${type}: ${saw}${asked}. ${DESCRIPTIONS.get(type) ?? ''}`.trimEnd();
}

function seenInWords(observation: Observation | undefined): string {
  if (observation === undefined) return 'no market data';
  const { quote, reference } = observation;
  const parts = [
    quote === null
      ? 'no quote'
      : `bid ${quote.bid ?? 'none'}, ask ${quote.ask ?? 'none'} from ${quote.source}, ${ageInWords(quote.ageMs)} old, ${[quote.quality, ...quote.flags].join(' ')}`,
  ];
  if (reference !== null)
    parts.push(
      `reference ${reference.referencePrice} (${[reference.instrument, ...(reference.source === undefined ? [] : [reference.source])].join(', ')}), ${ageInWords(reference.ageMs)} old, ${[reference.quality, ...reference.flags].join(' ')}`,
    );
  if (observation.premiumPct !== null) parts.push(`premium ${observation.premiumPct} %`);
  if (observation.gapToMarkPct !== null) parts.push(`gap to mark ${observation.gapToMarkPct} %`);
  if (observation.basisPct !== null) parts.push(`basis ${observation.basisPct} %`);
  // Everything but shares trades around the clock, so the stock exchange's session does not apply.
  if (!ALWAYS_OPEN.has(CATALOG.byKey(observation.instrument)?.kind ?? 'tokenized_equity')) parts.push(`session ${observation.session}`);
  if (observation.events === null) parts.push('events unknown, because not all of their sources were received');
  else if (observation.events.length > 0) parts.push(`${observation.events.length} active events`);
  return parts.join('; ');
}

/** Returns the failed entry rules of each instrument without a position, fewest failures first. */
function listMissing(record: DecisionRecord): string[] {
  if (record.disposition === 'propose_entry' || record.disposition === 'propose_exit') return [];
  const held = new Set(record.book.positions.map(({ instrument }) => instrument as string));
  return listInstruments(record)
    .filter((instrument) => !held.has(instrument))
    .map((instrument) => ({
      instrument,
      failed: record.rules.filter((rule) => rule.instrument === instrument && rule.side === 'entry' && !rule.passed),
    }))
    .filter(({ failed }) => failed.length > 0)
    .sort((a, b) => a.failed.length - b.failed.length)
    .map(
      ({ instrument, failed }) =>
        `${instrument}: ${failed.map(({ type, observed, threshold, unknown }) => `${type} (${observed ?? 'unknown'}${threshold === null ? '' : ` against ${threshold}`}${unknown === undefined ? '' : `: ${unknownInWords(unknown)}`})`).join(', ')}`,
    );
}

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
