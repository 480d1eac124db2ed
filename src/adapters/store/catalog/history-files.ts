/** Imports files of marks, liquidity or spreads over time, with the columns time and value; every row is checked. */
import { basename } from 'node:path';
import { parse } from 'csv-parse/sync';
import { readNamedFile } from '../../named-file.ts';
import { CATALOG } from '../../../domain/catalog/catalog.ts';
import { isDecimalString, isPositive } from '../../../domain/values/decimal.ts';
import { instant, isoTime } from '../../../domain/values/time.ts';
import type { Fact } from '../../../domain/backtest/fact.ts';
import type { WorkProgress } from '../../../domain/values/work-progress.ts';
import type { Clock } from '../../../../streams/clock/clock.ts';
import { databaseNow } from '../agents/dispatch-store.ts';
import type { Sql } from '../database.ts';
import { createWorkRecorder, nameSource } from '../long-work-store.ts';
import { type HistoryKind, keepHistory, listHistory } from './market-history-store.ts';
import { listArchives } from '../intelligence/event-archive-store.ts';

const VALUE_WORDS: Readonly<Record<HistoryKind, string>> = {
  issuer_mark: 'price above zero',
  pool_liquidity: 'amount of US dollars',
  half_spread: 'number of basis points',
};

export interface HistoryFile {
  readonly file: string;
  readonly kind: HistoryKind;
  readonly instrument: string;
  /** Token name, or key of the instrument. */
  readonly key: string;
  /** Values, ascending, at least one. */
  readonly facts: readonly Fact[];
}

/** @throws Error with one sentence that names file, line and problem */
export function readHistoryFile(file: string, kind: HistoryKind, instrument: string): HistoryFile {
  const entry = CATALOG.entries.find(({ venue, instrument: name }) => venue === 'spotchain' && name === instrument);
  if (entry === undefined) throw new Error(`--instrument: ${JSON.stringify(instrument)} is not a token of the catalog`);
  if (kind === 'issuer_mark' && entry.benchmarkKind !== 'issuer_mark')
    throw new Error(`${instrument} has no issuer that publishes marks of it`);
  return { file, kind, instrument, key: kind === 'issuer_mark' ? instrument : entry.key, facts: readFacts(file, kind) };
}

/**
 * Stores all values or none and records the progress; existing values are not changed. @param sql a pool with at least two connections.
 * @throws Error with one sentence if a value is of the future
 */
export async function importHistoryFile(
  sql: Sql,
  { file, kind, instrument, key, facts }: HistoryFile,
  clock: Pick<Clock, 'now' | 'deadline'>,
  onProgress: (progress: WorkProgress) => void = () => {},
) {
  const [first, last] = [facts[0] as Fact, facts.at(-1) as Fact];
  const now = await databaseNow(sql);
  if (last.receivedAt > now) throw new Error(`${file}: ${isoTime(last.receivedAt)} is in the future: no value of it can be known yet`);
  const inserted = await createWorkRecorder(sql, clock, 'sevengate history import-facts').during(
    {
      kind: 'fact_import',
      subject: `${kind} of ${instrument}`,
      source: nameSource([file]),
      unit: 'values',
      recorded: 'always',
      failureOf: () => null,
      thrownFailureOf: () => 'it failed for a reason that its terminal tells; nothing of it was kept',
      onProgress,
    },
    (tell) => keepHistory(sql, kind, key, facts, basename(file), (done, total) => tell.progress(done, total)),
  );
  return { kind, instrument, values: facts.length, inserted, from: isoTime(first.receivedAt), to: isoTime(last.receivedAt) };
}

function readFacts(file: string, kind: HistoryKind): readonly Fact[] {
  const rows = parse(readNamedFile(file), { bom: true, skip_empty_lines: true, trim: true }) as string[][];
  const [header, ...values] = rows;
  if (header?.join(',') !== 'time,value') throw new Error(`${file}: the first line is no "time,value"`);
  if (values.length === 0) throw new Error(`${file} has no values`);
  const facts = values.map(([time = '', value = ''], index): Fact => {
    const place = `${file}: line ${index + 2}`;
    if (!isDecimalString(value) || value.startsWith('-') || (kind === 'issuer_mark' && !isPositive(value)))
      throw new Error(`${place}: ${JSON.stringify(value)} is not a ${VALUE_WORDS[kind]}`);
    return { receivedAt: instant(time, place), value };
  });
  for (let i = 1; i < facts.length; i++) {
    if ((facts[i] as Fact).receivedAt <= (facts[i - 1] as Fact).receivedAt)
      throw new Error(`${file}: line ${i + 2} is not later than the line before it`);
  }
  return facts;
}

/** Lists stored events, marks and liquidity for backtests. */
export async function keptHistory(sql: Sql) {
  return { archives: await listArchives(sql), facts: await listHistory(sql) };
}

/** Formats one line per archive and series. */
export function keptHistoryText({ archives, facts }: Awaited<ReturnType<typeof keptHistory>>): string {
  const lines = [
    ...archives.map(
      ({ source, underlyings, from, to, reports, file }) =>
        `${source} of ${underlyings.join(', ')} from ${isoTime(from)} to ${isoTime(to)}: ${reports} reports (${file})`,
    ),
    ...facts.map(
      ({ what, instrument, values, from, to }) => `${what} of ${instrument}: ${values} values, ${isoTime(from)} to ${isoTime(to)}`,
    ),
  ];
  return lines.length === 0 ? 'nothing is kept: history import-events and import-facts bring it' : lines.join('\n');
}
