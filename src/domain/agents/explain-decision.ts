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
  research_only: 'its rules ask for a trade, but an agent at research proposes nothing',
  reduce_only: 'its rules ask for an entry, but an agent at risk_only may only reduce what it holds',
  no_observation: 'nothing was received of at least one of its instruments at this slot, and unknown is not good',
  late_tick: 'the slot was ticked too late, and an old picture of the market is never traded on',
  tick_crash: 'the tick did not complete; nothing was evaluated',
  proposal_pending: 'a proposal for the same instrument is still open',
  quote_not_live: 'the rules would ask for a trade, but its quote is not live, and only a live quote may become an order',
  stale_reference_feed: 'the rules would ask for a trade, but the reference price is stale or carried forward',
  no_proposal: 'its strategy is code outside of the service, which proposed nothing for this slot',
  fence_not_passed: 'an outside proposal came, and the conditions of the mandate did not let it pass',
  limit_price_not_reached: 'an outside proposal came, and the market did not meet its limit price at this slot',
  manifest_changed: 'an outside proposal came under another manifest than the active one',
  outside_universe: 'an outside proposal came for an instrument that the mandate does not name',
  position_open: 'an outside proposal came to buy what the agent holds already',
  risk_engine_absent: 'no pre-trade risk function was at hand, and without one nothing is proposed',
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
      return `${at} was kept from ${record.instrument === null ? 'trading' : `trading ${on}`}: ${record.reason ?? 'blocked'}.`;
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
  if (isProposedOutside(record)) why.push('An outside proposal asked for it, and it keeps to every rule of the mandate.');
  else if (record.disposition === 'propose_entry') why.push('Every entry rule of the instrument held.');
  else if (record.disposition === 'propose_exit') {
    const held = record.rules.filter(({ side, passed, instrument }) => side === 'exit' && passed && instrument === record.instrument);
    why.push(`Exit rules are alternatives; ${held.map(({ type }) => type).join(' and ')} held.`);
  }
  if (record.risk?.verdict === 'passed') why.push('The pre-trade risk function let it pass.');
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
    limit === null ? '' : `the limit is ${limit}`,
    before === null ? '' : `it stood at ${withAgesInWords(before)}`,
    after === null || after === before ? '' : `the order would have made it ${withAgesInWords(after)}`,
  ].filter((part) => part !== '');
  return `Risk refused with ${code}${numbers.length === 0 ? '' : `: ${numbers.join(', ')}`}${suggestion === null ? '' : `; ${suggestion}`}.`;
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
      ? `it observed ${observed}`
      : unknown?.cause === 'no_position'
        ? unknownInWords(unknown)
        : `its input was unknown${unknown === undefined ? '' : `, for ${unknownInWords(unknown)}`}`;
  const asked = threshold === null ? '' : `, asked for was ${threshold}`;
  return `${type}: ${saw}${asked}. ${DESCRIPTIONS.get(type) ?? ''}`.trimEnd();
}

function seenInWords(observation: Observation | undefined): string {
  if (observation === undefined) return 'nothing was observed';
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
  if (observation.events === null) parts.push('events unknown, for not all of their sources were received');
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
