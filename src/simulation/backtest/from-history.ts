/** Backtest of the stored history, which is read through a port in batches of bars and events. */

import { cameInTime, type EventStretch, knownEvents } from '../../domain/backtest/known-events.ts';
import type { BacktestRequest } from '../../domain/backtest/request.ts';
import type { Candle, CandleSeries } from '../../domain/candles/candle.ts';
import { rebuildEventVersions } from '../../domain/intelligence/event-versions.ts';
import { listEventSources } from '../../domain/intelligence/listening.ts';
import type { Report } from '../../domain/intelligence/report.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import type { NewsEvent } from '../../domain/market/market-event.ts';
import { sharedStretches } from '../../domain/values/stretches.ts';
import { HOUR_MS, timeframeMs } from '../../domain/values/time.ts';
import type { ThreadPost } from '../evaluation-thread.ts';
import type { BacktestReads } from '../../adapters/store/candles/backtest-reads.ts';
import type { EventArchive } from '../../adapters/store/intelligence/event-archive-store.ts';
import type { FinerReads } from './finer-bars.ts';
import { type HistoryChanges, rescaledReads, withRescaledBenchmark } from './rescaled-bars.ts';
import type { MultiplierChange } from '../../domain/books/book.ts';
import type { InstrumentKey } from '../../domain/market/venue.ts';
import { type BacktestOutcome, workBacktest } from './backtest-work.ts';
import type { Fact } from '../../domain/backtest/fact.ts';
import type { EventHistory, InstrumentInput } from './history.ts';
import { type Bars, KeptBars } from './kept-bars.ts';
import { backtestNeeds, listBarSeries, type InstrumentNeeds, toInstrumentInputs, seriesName } from './needs.ts';
import type { TrialsAsked } from './run.ts';

/** Request for a backtest of the stored history. */
export interface BacktestJob {
  readonly manifest: Manifest;
  readonly request: BacktestRequest;
  readonly trials: TrialsAsked;
  /** Hourly funding by perpetual, as reported by the venue. */
  readonly funding: readonly (readonly [perpetual: string, rates: readonly Fact[]])[];
  /** Time of the request, in Unix milliseconds. */
  readonly createdAt: number;
}

/** Number of bars per read. */
const BARS_A_READING = 50_000;

/** Reads the history that a manifest needs, and computes the backtest. Reports progress to `post`. */
export async function workFromHistory(
  reads: BacktestReads,
  asked: BacktestJob,
  post: (message: ThreadPost<BacktestOutcome>) => void,
): Promise<BacktestOutcome> {
  const { manifest, request } = asked;
  const timeframe = request.timeframe ?? manifest.timeframe;
  const needs = backtestNeeds(manifest, timeframe);
  const history = await readHistory(reads, needs, asked, (done, total) => post({ kind: 'progress', done, total, what: 'reading bars' }));
  return workBacktest({
    manifest,
    request,
    timeframe,
    ...history,
    trials: asked.trials,
    onProgress: (done, total) => post({ kind: 'progress', done, total, what: 'simulating' }),
  });
}

type InputsAsked = Pick<BacktestJob, 'request' | 'funding' | 'createdAt'>;
type OnRead = (done: number, total: number) => void;

/** Reads the inputs of a history. Calls `onRead` with the number of series read and the total. */
export async function readInputs(
  reads: BacktestReads,
  needs: readonly InstrumentNeeds[],
  asked: InputsAsked,
  onRead: OnRead,
): Promise<readonly InstrumentInput[]> {
  return (await readHistory(reads, needs, asked, onRead)).inputs;
}

/** Reads the inputs of a history, and returns with them the reads of its finer bars, in the same units. */
async function readHistory(
  reads: BacktestReads,
  needs: readonly InstrumentNeeds[],
  { request, funding, createdAt }: InputsAsked,
  onRead: OnRead,
): Promise<{ readonly inputs: readonly InstrumentInput[]; readonly finer: FinerReads }> {
  const [from, to] = [Date.parse(request.from), Date.parse(request.to)];
  const changes = await readChanges(reads, needs, request);
  const finer = rescaledReads(reads, changes);
  const bars = new Map<string, Bars>();
  const wanted = listBarSeries(needs);
  for (const [index, series] of wanted.entries()) {
    bars.set(seriesName(series), await readBars(finer, series, from, to));
    onRead(index + 1, wanted.length);
  }
  const inputs = toInstrumentInputs(needs, {
    bars,
    funding: new Map(funding),
    events: await readEvents(reads, needs, createdAt),
    marks: await readFacts(
      needs.map(({ mark }) => mark),
      reads.marks,
    ),
    liquidity: await readFacts(
      needs.map(({ pool }) => pool),
      reads.liquidity,
    ),
    halfSpreads: await readFacts(
      needs.map(({ entry }) => entry.key),
      reads.halfSpreads,
    ),
  });
  return { inputs: inputs.map((input) => withRescaledBenchmark(input, changes.get(input.entry.key) ?? [])), finer };
}

/** Reads the changes of the tokens' multipliers before the end of a request. */
async function readChanges(
  reads: Pick<BacktestReads, 'multiplierChanges'>,
  needs: readonly InstrumentNeeds[],
  { to }: Pick<BacktestRequest, 'to'>,
): Promise<HistoryChanges> {
  const tokens = needs.filter(({ entry }) => entry.venue === 'spotchain').map(({ entry }) => entry.key);
  const changes = new Map<InstrumentKey, MultiplierChange[]>();
  const found = tokens.length === 0 ? [] : await reads.multiplierChanges(tokens, Date.parse(to) - 1);
  for (const change of found) changes.set(change.instrument, [...(changes.get(change.instrument) ?? []), change]);
  return changes;
}

/** Reads the bars of a series that open at or after `from` and close by `to`. Prefetches the next batch. */
async function readBars(reads: Pick<BacktestReads, 'bars'>, series: CandleSeries, from: number, to: number): Promise<Bars> {
  const barMs = timeframeMs(series.timeframe) as number;
  const end = to - barMs + 1;
  const ask = async (begin: number): Promise<readonly Candle[]> =>
    begin < end ? reads.bars({ ...series, from: begin, to: Math.min(end, begin + BARS_A_READING * barMs) }) : [];
  const read = new KeptBars();
  let next = ask(from);
  for (let begin = from; begin < end; begin += BARS_A_READING * barMs) {
    const stretch = next;
    next = ask(begin + BARS_A_READING * barMs);
    // If one read fails, the other may fail too. The first error is thrown.
    next.catch(() => {});
    read.add(await stretch);
  }
  return read;
}

/** Reads events by underlying: received ones, and those in archives. */
async function readEvents(reads: BacktestReads, needs: readonly InstrumentNeeds[], createdAt: number): Promise<Map<string, EventHistory>> {
  const events = new Map<string, EventHistory>();
  const asked = needs.filter(({ eventHours }) => eventHours !== null);
  if (asked.length === 0) return events;
  const reports = (await reads.reports()).filter(({ receivedAt }) => receivedAt <= createdAt);
  const versions = rebuildEventVersions(reports);
  for (const { entry, eventHours } of asked) {
    const { underlying } = entry;
    const [received, archives] = await Promise.all([reads.received(underlying), reads.archives(underlying)]);
    if (received.length + archives.length === 0) continue;
    const known = listEventSources(underlying).map((source) =>
      knownEvents(source, (eventHours as number) * HOUR_MS, { received, archives }, createdAt),
    );
    events.set(underlying, {
      known: known.reduce(sharedStretches),
      events: [...versions, ...archivedVersions(archives, reports, received)]
        .filter(({ symbols }) => symbols.includes(underlying))
        .sort((a, b) => a.receivedAt - b.receivedAt || (a.id < b.id ? -1 : 1))
        .map(({ id, severity, negative, rumor, observedAt, receivedAt, headline }) => {
          return { id, severity, negative, rumor, observedAt, receivedAt, headline };
        }),
    });
  }
  return events;
}

/** Returns the archives' events, without those of reports received in time. A report in several archives counts once. */
function archivedVersions(
  archives: readonly EventArchive[],
  reports: readonly Report[],
  received: readonly EventStretch[],
): readonly NewsEvent[] {
  const byId = new Map(archives.flatMap((archive) => archive.reports).map((report) => [report.id, report]));
  const inTime = new Set(reports.filter((report) => byId.has(report.id) && cameInTime(report, received)).map(({ id }) => id));
  return rebuildEventVersions([...byId.values()], ({ id }) => !inTime.has(id));
}

async function readFacts<Name extends string>(
  names: readonly (Name | null)[],
  read: (name: Name) => Promise<readonly Fact[]>,
): Promise<ReadonlyMap<string, readonly Fact[]>> {
  const facts = new Map<string, readonly Fact[]>();
  for (const name of new Set(names)) {
    const found = name === null ? [] : await read(name);
    if (name !== null && found.length > 0) facts.set(name, found);
  }
  return facts;
}
