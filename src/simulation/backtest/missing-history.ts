/** Manifest rules whose inputs are unknown in a backtest over the gate's range, with the remedy. */

import { knownEvents } from '../../domain/backtest/known-events.ts';
import type { HistorySource, MissingHistory } from '../../domain/backtest/missing-history.ts';
import { readBacktestRequest } from '../../domain/backtest/request.ts';
import type { CatalogEntry } from '../../domain/catalog/catalog.ts';
import { listEventSources } from '../../domain/intelligence/listening.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { missingStretches, type Stretch, unitedStretches } from '../../domain/values/stretches.ts';
import { type EpochMs, HOUR_MS, isoTime } from '../../domain/values/time.ts';
import type { KnownHistoryReads } from '../../adapters/store/candles/backtest-reads.ts';
import type { Fact } from '../../domain/backtest/fact.ts';
import { LIQUIDITY_MAX_AGE_MS, MARK_MAX_AGE_MS } from './history.ts';
import { backtestNeeds, type InstrumentNeeds } from './needs.ts';

/**
 * Returns the missing history of a range by instrument and source. Bars and `obtainable` sources are fetched when a run needs them, so
 * they are never missing. Nothing is missing for outside code, which no backtest runs.
 */
export async function missingHistory(
  reads: KnownHistoryReads,
  manifest: Manifest,
  now: EpochMs,
  obtainable: ReadonlySet<HistorySource>,
  stretch: Stretch = gateStretch(now),
): Promise<readonly MissingHistory[]> {
  if (manifest.strategy !== undefined) return [];
  const missing: MissingHistory[] = [];
  for (const needs of backtestNeeds(manifest, manifest.timeframe)) {
    for (const looked of await lookedAt(reads, manifest, needs, now))
      if (!obtainable.has(looked.source)) missing.push(...findMissing(looked, needs.entry, stretch));
  }
  return missing;
}

/** Returns the default range of a backtest, which a gate requires. */
function gateStretch(now: EpochMs): Stretch {
  const request = readBacktestRequest({}, now);
  if (!('assumptions' in request)) throw new RangeError('the default period of a backtest cannot be read');
  return { from: Date.parse(request.from), to: Date.parse(request.to) };
}

/** History that rules use, with the ranges in which it is known. */
interface LookedAt {
  readonly source: HistorySource;
  readonly conditions: readonly string[];
  readonly known: readonly Stretch[];
  /** Time before a slot from which the history is needed, in milliseconds. */
  readonly beforeMs: number;
}

async function lookedAt(
  reads: KnownHistoryReads,
  manifest: Manifest,
  { entry, eventHours, mark, pool }: InstrumentNeeds,
  now: EpochMs,
): Promise<readonly LookedAt[]> {
  const looked: LookedAt[] = [];
  const events = listTypes(manifest, (type) => type === 'no_negative_event' || type === 'negative_event');
  if (eventHours !== null && events.length > 0) {
    const complete = { received: await reads.received(entry.underlying), archives: await reads.archived(entry.underlying) };
    const beforeMs = eventHours * HOUR_MS;
    for (const source of listEventSources(entry.underlying)) {
      const known = knownEvents(source, beforeMs, complete, now);
      looked.push({ source: source as HistorySource, conditions: events, known, beforeMs });
    }
  }
  const marked = listTypes(manifest, (type) => type.startsWith('gap_to_mark_'));
  if (mark !== null && marked.length > 0)
    looked.push({ source: 'issuer_mark', conditions: marked, known: knownFor(await reads.marks(mark), MARK_MAX_AGE_MS), beforeMs: 0 });
  const pooled = listTypes(manifest, (type) => type === 'liquidity_above');
  if (pool !== null && pooled.length > 0)
    looked.push({
      source: 'pool_liquidity',
      conditions: pooled,
      known: knownFor(await reads.liquidity(pool), LIQUIDITY_MAX_AGE_MS),
      beforeMs: 0,
    });
  return looked;
}

/** Returns the distinct types of a manifest's conditions that `isMeant` accepts. */
function listTypes({ entry, exit }: Manifest, isMeant: (type: string) => boolean): readonly string[] {
  return [...new Set([...entry, ...exit].map(({ type }) => type).filter(isMeant))];
}

function knownFor(facts: readonly Fact[], maxAgeMs: number): readonly Stretch[] {
  return unitedStretches(facts.map(({ receivedAt }) => ({ from: receivedAt, to: receivedAt + maxAgeMs + 1 })));
}

function findMissing(
  { source, conditions, known, beforeMs }: LookedAt,
  { key, instrument, underlying }: Pick<CatalogEntry, 'key' | 'instrument' | 'underlying'>,
  stretch: Stretch,
): readonly MissingHistory[] {
  const holes = missingStretches(stretch, known);
  const [first] = holes;
  if (first === undefined) return [];
  const length = ({ from, to }: Stretch): number => to - from;
  const longest = holes.reduce((most, hole) => (length(hole) > length(most) ? hole : most), first);
  const all = holes.reduce((sum, hole) => sum + length(hole), 0);
  return [
    {
      instrument: key,
      conditions,
      source,
      longest,
      missingPct: Math.round((all / length(stretch)) * 10_000) / 100,
      command: commandFor(source, instrument, underlying, { from: longest.from - beforeMs, to: longest.to }),
    },
  ];
}

/** Returns the command that imports a range. Values in angle brackets are the user's. */
function commandFor(source: HistorySource, instrument: string, underlying: string, { from, to }: Stretch): string {
  if (source === 'issuer_mark' || source === 'pool_liquidity')
    return `npx sevengate history import-facts <file.csv> --kind ${source} --instrument ${instrument}`;
  const times = `--from ${isoTime(from)} --to ${isoTime(to)}`;
  return source === 'news:wire'
    ? `npx sevengate history import-events <wire.ndjson> ${times} --of ${underlying}`
    : `npx sevengate history import-events <submissions.json> ${times}`;
}
