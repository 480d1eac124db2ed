/**
 * Assesses a tokenized stock from observations: a bull case, a bear case, valuation context and a catalyst checklist. Deterministic. States
 * where evidence is thin.
 */
import type { CatalogEntry } from '../catalog/catalog.ts';
import { isCarriedReference } from '../conditions/carried-reference.ts';
import { isQuoteLive, isReferenceLive } from '../conditions/condition.ts';
import type { EventKind } from '../intelligence/report.ts';
import type { Observation } from '../market/cut.ts';
import type { Severity } from '../market/market-event.ts';
import { type ClosedBar, computeMomentum } from '../ranking/momentum.ts';
import type { DecimalString } from '../values/decimal.ts';
import { type EpochMs, isoTime } from '../values/time.ts';
import { ageInWords } from '../values/words.ts';

export const SOURCE_KINDS = ['quote', 'reference', 'filing', 'news', 'bars', 'pool', 'catalog', 'calendar'] as const;
type SourceKind = (typeof SOURCE_KINDS)[number];

/** Observation, by the id under which it can be looked up. */
interface Source {
  readonly id: string;
  readonly kind: SourceKind;
  readonly at: EpochMs;
}

/** A list of at least one source, by type. */
type Sources = readonly [Source, ...Source[]];

/** A claim. `id` is unique in its assessment, such as `bull.1`. Sources are ids of the assessment's list. */
export interface Claim {
  readonly id: string;
  readonly text: string;
  readonly sources: readonly [string, ...string[]];
}

/** Claims of one list, numbered. `sources` collects their sources. */
type ClaimList = ReturnType<typeof claimList>;

/** Creates a list. @param seen All sources of the assessment by id, shared by its lists. */
function claimList(name: string, seen: Map<string, Source>) {
  const claims: Claim[] = [];
  return {
    claims,
    /** Adds a claim with at least one source. */
    add(text: string, sources: Sources) {
      for (const source of sources) seen.set(source.id, source);
      const [first, ...others] = sources;
      claims.push({ id: `${name}.${claims.length + 1}`, text, sources: [first.id, ...others.map(({ id }) => id)] });
    },
  };
}

/** A stored event as an assessment reads it. */
export interface EvidenceEvent {
  readonly id: string;
  readonly kind: EventKind;
  readonly state: 'rumor' | 'confirmed' | 'retracted';
  readonly severity: Severity;
  readonly direction: 'negative' | 'neutral' | 'positive';
  readonly headline: string;
  readonly observedAt: EpochMs;
}

/** Evidence of an assessment. */
export interface Evidence {
  readonly at: EpochMs;
  /** Observation of the token at the newest cut, or null. */
  readonly seen: Observation | null;
  readonly events: readonly EvidenceEvent[];
  /** Stored hourly bars of the token, ascending. */
  readonly bars: readonly ClosedBar[];
  /** Upcoming releases of the macro calendar, ascending. */
  readonly releases: readonly { readonly id: string; readonly name: string; readonly at: EpochMs }[];
}

export interface Catalyst extends Claim {
  readonly status: 'observed' | 'unconfirmed' | 'scheduled';
}

interface Valuation {
  readonly tokenPrice: DecimalString | null;
  readonly referencePrice: DecimalString | null;
  readonly gapPct: number | null;
  readonly session: string | null;
  readonly claims: readonly Claim[];
}

export interface Assessment {
  readonly symbol: string;
  readonly at: EpochMs;
  readonly bull: readonly Claim[];
  readonly bear: readonly Claim[];
  readonly valuation: Valuation;
  readonly catalysts: readonly Catalyst[];
  /** Weak points of the evidence, one sentence each. */
  readonly thin: readonly string[];
  readonly sources: readonly Source[];
}

const LARGE_GAP_PCT = 0.25;
const THIN_POOL_USD = 100_000;
const MAX_EVENTS = 5;
const MAX_HEADLINE = 160;

interface Lists {
  readonly bull: ClaimList;
  readonly bear: ClaimList;
  readonly valuation: ClaimList;
  readonly catalysts: { readonly list: ClaimList; readonly status: Catalyst['status'][] };
  readonly thin: string[];
}

function quoteSource(seen: Observation): Source {
  return {
    id: `quote:${seen.instrument}@${isoTime(seen.quote?.observedAt ?? seen.slot)}`,
    kind: 'quote',
    at: seen.quote?.observedAt ?? seen.slot,
  };
}

function referenceSource(entry: CatalogEntry, seen: Observation): Source {
  const at = seen.reference?.feedUpdatedAt ?? seen.slot;
  return { id: `${entry.benchmark ?? `reference:${entry.underlying}`}@${isoTime(at)}`, kind: 'reference', at };
}

function eventSource(event: EvidenceEvent): Source {
  return { id: `event:${event.id}`, kind: event.kind === 'filing' ? 'filing' : 'news', at: event.observedAt };
}

/** Quotes a headline as data: one line, shortened, with plain quote marks. */
function quoted(headline: string): string {
  const line = headline
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .replace(/"/g, "'")
    .trim();
  return `"${line.length > MAX_HEADLINE ? `${line.slice(0, MAX_HEADLINE)}…` : line}"`;
}

function assessGap(entry: CatalogEntry, seen: Observation, lists: Lists): void {
  const gap = (entry.benchmarkKind === 'issuer_mark' ? seen.gapToMarkPct : seen.premiumPct) ?? null;
  const [quote, reference] = [seen.quote, seen.reference];
  const benchmark = entry.benchmarkKind === 'issuer_mark' ? 'issuer mark' : 'reference price';
  if (quote?.mid == null) lists.thin.push('The token has no two-sided quote.');
  if (reference === null) lists.thin.push(`There is no ${benchmark} of ${entry.underlying}.`);
  if (gap === null || quote === null || quote.mid === null || reference === null) return;
  const sources: Sources = [quoteSource(seen), referenceSource(entry, seen)];
  const side = gap < 0 ? 'below' : 'above';
  lists.valuation.add(
    `${entry.instrument} trades at ${quote.mid}, ${Math.abs(gap)}% ${side} its ${benchmark} of ${reference.referencePrice}.`,
    sources,
  );
  if (!isQuoteLive(seen)) lists.bear.add(`The quote of the token is ${quote.quality}, not live.`, [quoteSource(seen)]);
  if (!isReferenceLive(seen)) {
    const state = isCarriedReference(reference, seen.slot)
      ? `carried from the last session, ${ageInWords(reference.ageMs)} old`
      : reference.flags.includes('carried_forward')
        ? 'carried forward'
        : reference.quality;
    lists.bear.add(`The ${benchmark} is ${state}, so the gap may not exist.`, [referenceSource(entry, seen)]);
  } else if (isQuoteLive(seen) && gap <= -LARGE_GAP_PCT)
    lists.bull.add(`The token is ${Math.abs(gap)}% cheaper than its ${benchmark}, with both prices live.`, sources);
  else if (isQuoteLive(seen) && gap >= LARGE_GAP_PCT)
    lists.bear.add(`The token is ${gap}% dearer than its ${benchmark}, with both prices live.`, sources);
}

function assessPool(seen: Observation, lists: Lists): void {
  if (seen.liquidityUsd === null) {
    lists.thin.push('The liquidity of its pools is unknown.');
    return;
  }
  const source: Source = { id: `pool:${seen.instrument}@${isoTime(seen.slot)}`, kind: 'pool', at: seen.slot };
  const text = `Its pools hold ${seen.liquidityUsd} USD of both sides`;
  if (Number(seen.liquidityUsd) < THIN_POOL_USD) lists.bear.add(`${text}: a large position is hard to exit.`, [source]);
  else lists.bull.add(`${text}.`, [source]);
}

function assessMomentum(entry: CatalogEntry, evidence: Evidence, lists: Lists): void {
  const momentum = computeMomentum(evidence.bars, evidence.at);
  if (momentum === null) {
    lists.thin.push('Hourly bars of the last full week are missing.');
    return;
  }
  const [day, week] = momentum.terms;
  const source = (at: EpochMs): Source => ({ id: `bars:${entry.key}:1h@${isoTime(at)}`, kind: 'bars', at });
  const sources: Sources = [source(momentum.bars.last), source(momentum.bars.day), source(momentum.bars.week)];
  const text = `Over a day the token moved ${day?.value}%, over a week ${week?.value}%.`;
  if (Number(day?.points) + Number(week?.points) >= 0) lists.bull.add(text, sources);
  else lists.bear.add(text, sources);
}

function assessEvents(evidence: Evidence, lists: Lists): void {
  const told = evidence.events.filter(({ state }) => state !== 'retracted');
  if (told.length === 0) lists.thin.push('No filings or news were received in the last 30 days.');
  const confirmed = told.filter(({ state }) => state === 'confirmed');
  for (const [direction, list] of [
    ['positive', lists.bull],
    ['negative', lists.bear],
  ] as const) {
    for (const event of confirmed.filter((one) => one.direction === direction).slice(0, MAX_EVENTS)) {
      list.add(
        `A confirmed ${direction} event of ${event.severity} severity was observed on ${isoTime(event.observedAt).slice(0, 10)}: ${quoted(event.headline)}.`,
        [eventSource(event)],
      );
    }
  }
  for (const event of told.slice(0, MAX_EVENTS)) {
    const status = event.state === 'confirmed' ? 'observed' : 'unconfirmed';
    lists.catalysts.list.add(`${event.kind} (${status}): ${quoted(event.headline)}.`, [eventSource(event)]);
    lists.catalysts.status.push(status);
  }
}

function assessCalendar(evidence: Evidence, lists: Lists): void {
  for (const release of evidence.releases.slice(0, MAX_EVENTS)) {
    // The calendar has dates without a time of day.
    lists.catalysts.list.add(`${release.name} is scheduled for ${isoTime(release.at).slice(0, 10)}.`, [
      { id: `release:${release.id}`, kind: 'calendar', at: release.at },
    ]);
    lists.catalysts.status.push('scheduled');
  }
}

/** Assesses a token from its evidence. Deterministic. */
export function assessStock(entry: CatalogEntry, evidence: Evidence): Assessment {
  const sources = new Map<string, Source>();
  const lists: Lists = {
    bull: claimList('bull', sources),
    bear: claimList('bear', sources),
    valuation: claimList('valuation', sources),
    catalysts: { list: claimList('catalyst', sources), status: [] },
    thin: [],
  };
  const { seen } = evidence;
  if (seen === null) lists.thin.push('The newest market data does not contain the token.');
  else {
    assessGap(entry, seen, lists);
    if (entry.token !== null) assessPool(seen, lists);
  }
  assessMomentum(entry, evidence, lists);
  assessEvents(evidence, lists);
  assessCalendar(evidence, lists);
  if (lists.bull.claims.length === 0) lists.thin.push('No evidence supports it.');
  if (lists.bear.claims.length === 0) lists.thin.push('No evidence speaks against it.');
  return {
    symbol: entry.instrument,
    at: evidence.at,
    bull: lists.bull.claims,
    bear: lists.bear.claims,
    valuation: {
      tokenPrice: seen?.quote?.mid ?? null,
      referencePrice: seen?.reference?.referencePrice ?? null,
      gapPct: (entry.benchmarkKind === 'issuer_mark' ? seen?.gapToMarkPct : seen?.premiumPct) ?? null,
      session: seen?.session ?? null,
      claims: lists.valuation.claims,
    },
    catalysts: lists.catalysts.list.claims.map((claim, index) => ({
      ...claim,
      status: lists.catalysts.status[index] as Catalyst['status'],
    })),
    thin: lists.thin,
    sources: [...sources.values()],
  };
}
