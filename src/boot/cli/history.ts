/** `sevengate history`: imports archives of events, marks and liquidity for backtests, and tells what is kept. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { parse } from 'csv-parse/sync';
import { type EventFiles, readEventFiles } from '../../adapters/intelligence/event-files.ts';
import { HISTORY_KINDS, type HistoryKind, keepHistory, listHistory } from '../../adapters/store/catalog/market-history-store.ts';
import { keepArchive, listArchives } from '../../adapters/store/intelligence/event-archive-store.ts';
import { CATALOG } from '../../domain/catalog.ts';
import { isDecimalString, isPositive } from '../../domain/decimal.ts';
import { entityNamesOf } from '../../domain/intelligence/entities.ts';
import { nearestNames } from '../../domain/nearest-name.ts';
import { isoTime } from '../../domain/time.ts';
import type { Fact } from '../../simulation/backtest/history.ts';
import { instant } from './instant.ts';
import { withWriterDatabase } from './writer-database.ts';

interface EventOptions {
  readonly from: string;
  readonly to: string;
  readonly of?: string;
  readonly json?: true;
}

interface FactOptions {
  readonly kind: HistoryKind;
  readonly instrument: string;
  readonly json?: true;
}

/** Adds `history` and its commands. */
export function historyCommands(history: Command): void {
  history
    .command('import-events')
    .description('import an archive of events: within its times it holds all that its source told')
    .argument('<files...>', 'lines of wire items, or the submissions of a filer to the regulator with their older pages')
    .requiredOption('--from <time>', 'the archive is complete from here on')
    .requiredOption('--to <time>', 'and up to here')
    .option('--of <underlyings>', 'what wire items are complete for, such as AAPL,TSLA; all: every underlying of the catalog')
    .option('--json', 'print the result as JSON')
    .action(async (files: string[], options: EventOptions) => {
      const report = await importEvents(files, options);
      const kept = report.isNew ? 'kept' : 'known already';
      print(
        options.json
          ? JSON.stringify(report)
          : `${report.source} of ${report.underlyings.join(', ')} from ${report.from} to ${report.to}: ${report.reports} reports ${kept}, ${report.outside} outside of these times`,
      );
    });

  history
    .command('import-facts')
    .description('import marks or liquidity from a CSV file with the columns time and value')
    .argument('<file>', 'rows such as 2025-03-02,125000.50; a time is when the value was known')
    .addOption(new Option('--kind <kind>', 'what the values are').choices(HISTORY_KINDS).makeOptionMandatory())
    .requiredOption('--instrument <name>', 'the token, such as SPACEX or AAPLx')
    .option('--json', 'print the result as JSON')
    .action(async (file: string, options: FactOptions) => {
      const report = await importFacts(file, options);
      print(
        options.json
          ? JSON.stringify(report)
          : `${report.kind} of ${report.instrument}: ${report.values} values, ${report.from} to ${report.to}, ${report.inserted} new`,
      );
    });

  history
    .command('coverage')
    .description('tell what is kept of events, marks and liquidity')
    .option('--json', 'print the result as JSON')
    .action(async (options: { json?: true }) => {
      const kept = await withWriterDatabase('sevengate history', async (sql) => ({
        archives: await listArchives(sql),
        facts: await listHistory(sql),
      }));
      print(options.json ? JSON.stringify(kept) : coverageText(kept));
    });
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function importEvents(files: readonly string[], options: EventOptions) {
  const [from, to] = [instant(options.from, '--from'), instant(options.to, '--to')];
  if (to <= from) throw new Error('--from is the earlier time, --to the later one');
  const read = readEventFiles(files, entityNamesOf(CATALOG), from);
  const underlyings = underlyingsOf(read, options.of);
  const reports = read.reports.filter(({ publishedAt }) => publishedAt >= from && publishedAt < to);
  const { source, sha256 } = read;
  const file = files.map((name) => basename(name)).join(' ');
  const isNew = await withWriterDatabase('sevengate history', (sql) =>
    keepArchive(sql, { source, underlyings, from, to, reports, file, sha256, at: Date.now() }),
  );
  return {
    source,
    underlyings,
    from: isoTime(from),
    to: isoTime(to),
    reports: reports.length,
    outside: read.reports.length - reports.length,
    isNew,
  };
}

/** What the files are complete for. @throws Error in one sentence where nobody said it, or it is in no catalog. */
function underlyingsOf({ source, underlyings }: EventFiles, of: string | undefined): readonly string[] {
  if (source === 'news:filings') {
    if (of !== undefined) throw new Error('--of is for wire items: filings say whose they are');
    return underlyings;
  }
  if (of === undefined) throw new Error('--of is missing: wire items do not say which underlyings they are complete for');
  const known = [...new Set(CATALOG.entries.map(({ underlying }) => underlying))].sort();
  if (of === 'all') return known;
  return of.split(',').map((name) => {
    if (known.includes(name)) return name;
    const [near] = nearestNames(name, known, 1);
    throw new Error(`--of: ${JSON.stringify(name)} is no underlying of the catalog${near === undefined ? '' : `: did you mean ${near}?`}`);
  });
}

async function importFacts(file: string, { kind, instrument }: FactOptions) {
  const entry = CATALOG.entries.find(({ venue, instrument: name }) => venue === 'spotchain' && name === instrument);
  if (entry === undefined) throw new Error(`--instrument: ${JSON.stringify(instrument)} is no token of the catalog`);
  if (kind === 'issuer_mark' && entry.benchmarkKind !== 'issuer_mark')
    throw new Error(`${instrument} has no issuer that publishes marks of it`);
  const facts = factsOf(file, kind);
  const inserted = await withWriterDatabase('sevengate history', (sql) =>
    keepHistory(sql, kind, kind === 'issuer_mark' ? instrument : entry.key, facts, basename(file)),
  );
  const [first, last] = [facts[0] as Fact, facts.at(-1) as Fact];
  return { kind, instrument, values: facts.length, inserted, from: isoTime(first.receivedAt), to: isoTime(last.receivedAt) };
}

/** The rows of a file, ascending. @throws Error that names the file, the line and what is wrong. */
function factsOf(file: string, kind: HistoryKind): readonly Fact[] {
  const rows = parse(readFileSync(file, 'utf8'), { bom: true, skip_empty_lines: true, trim: true }) as string[][];
  const [header, ...values] = rows;
  if (header?.join(',') !== 'time,value') throw new Error(`${file}: the first line is no "time,value"`);
  if (values.length === 0) throw new Error(`${file} holds no values`);
  const facts = values.map(([time = '', value = ''], index): Fact => {
    const place = `${file}: line ${index + 2}`;
    if (!isDecimalString(value) || value.startsWith('-') || (kind === 'issuer_mark' && !isPositive(value)))
      throw new Error(`${place}: ${JSON.stringify(value)} is no ${kind === 'issuer_mark' ? 'price above zero' : 'amount of US dollars'}`);
    return { receivedAt: instant(time, place), value };
  });
  for (let i = 1; i < facts.length; i++) {
    if ((facts[i] as Fact).receivedAt <= (facts[i - 1] as Fact).receivedAt)
      throw new Error(`${file}: line ${i + 2} is not later than the line before it`);
  }
  return facts;
}

function coverageText({
  archives,
  facts,
}: {
  archives: Awaited<ReturnType<typeof listArchives>>;
  facts: Awaited<ReturnType<typeof listHistory>>;
}): string {
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
