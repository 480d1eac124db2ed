/** `sevengate tape`: records foreign recordings as tapes, tells what is on a tape, replays and converts it. */
import { type Command, Option } from 'commander';
import { parseStrictYaml } from '../../../api/strict-yaml.ts';
import { createLiveRunReads } from '../../adapters/store/agents/live-run-reads.ts';
import { openDatabase } from '../../adapters/store/database.ts';
import { IMPORTERS, type ImportReport, importTape } from '../../adapters/tape/import-tape.ts';
import { type TapeInfo, tapeInfo } from '../../adapters/tape/tape-info.ts';
import { openTape, type TapeReader } from '../../adapters/tape/tape-reader.ts';
import { convertTape, mergeTapes } from '../../adapters/tape/tape-writer.ts';
import { openWholeFile } from '../../adapters/tape/whole-file.ts';
import { AUTONOMY_LEVELS, type Autonomy } from '../../domain/agent.ts';
import { readManifest } from '../../domain/manifest/reader.ts';
import type { TapeAgent } from '../../domain/tape.ts';
import { isoTime } from '../../domain/time.ts';
import { VENUES, type Venue } from '../../domain/venue.ts';
import { createRecordWriter, type ReplayOptions, type ReplayResult, replayTape } from '../../simulation/replay.ts';
import { replayAgent } from '../../simulation/replay-agent.ts';
import { type Comparison, createComparison } from '../../simulation/replay-comparison.ts';
import { progressBar } from './progress.ts';
import { readNamedFile } from './read-file.ts';
import { serviceDatabase } from './service-database.ts';

/** Adds `tape` and its commands. Their actions throw errors in one sentence; a difference found by `--compare` sets exit code 1. */
export function tapeCommands(tape: Command): void {
  recordCommand(tape);
  infoCommand(tape);
  replayCommand(tape);
  mergeCommand(tape);
  convertCommand(tape);
}

function recordCommand(tape: Command): void {
  tape
    .command('record')
    .description("import a recording in a venue's own format as a tape")
    .requiredOption('--from <file>', 'the recording; gzip is unpacked on the way')
    .addOption(new Option('--venue <venue>', 'the venue that it stands for').choices(VENUES).makeOptionMandatory())
    .option('--to <file>', 'the tape: *.tape.ndjson, *.tape.ndjson.gz or *.tape (default: beside the recording)')
    .option('--instrument <name>', 'what it prices, where the recording does not say')
    .option('--timeframe <timeframe>', 'length of its bars, such as 1h')
    .option('--date <YYYY-MM-DD>', 'the day of recordings whose times count from midnight')
    .option('--overwrite', 'replace the tape where it exists')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `\nAccepted recordings:\n${IMPORTERS.map(({ accepts, venues }) => `  - ${accepts} [--venue ${venues.join('|')}]`).join('\n')}`,
    )
    .action(
      async (options: {
        from: string;
        venue: Venue;
        to?: string;
        instrument?: string;
        timeframe?: string;
        date?: string;
        overwrite?: true;
        json?: true;
      }) => {
        const bar = progressBar('importing', 'bytes');
        try {
          const report = await importTape({
            from: options.from,
            to: options.to ?? `${options.from.replace(/(\.gz)?$/, '').replace(/\.(csv|json|jsonl|log)$/, '')}.tape.ndjson`,
            venue: options.venue,
            instrument: options.instrument ?? null,
            timeframe: options.timeframe ?? null,
            date: options.date ?? null,
            overwrite: options.overwrite === true,
            progress: bar.update,
          });
          bar.stop();
          print(options.json ? JSON.stringify(report) : importText(report));
        } finally {
          bar.stop();
        }
      },
    );
}

function infoCommand(tape: Command): void {
  tape
    .command('info')
    .description('tell what is on a tape, reading all of it')
    .argument('<file>', 'the tape')
    .option('--json', 'print the result as JSON')
    .action(async (file: string, options: { json?: true }) => {
      const info = await readInfo(file);
      print(options.json ? JSON.stringify(info) : infoText(info));
    });
}

function replayCommand(tape: Command): void {
  tape
    .command('replay')
    .description('replay a tape under virtual time: the same tape gives the same decisions, byte for byte')
    .argument('<files...>', 'the tapes of one recording, in the order of time')
    .option('--agent <manifest...>', 'manifests (YAML or JSON) of agents to replay besides those on the tape')
    .addOption(new Option('--autonomy <level>', 'of the agents given by --agent').choices(AUTONOMY_LEVELS).default('confirm'))
    .option('--out <file>', 'write the full decision records here, one JSON object per line')
    .option('--compare', 'compare with what the live run wrote to the database of these settings')
    .option('--json', 'print the result as JSON')
    .action(async (files: string[], options: { agent?: string[]; autonomy: Autonomy; out?: string; compare?: true; json?: true }) => {
      const summary = await replayFiles(files, options);
      print(options.json ? JSON.stringify(summary) : replayText(summary));
      if (summary.comparison !== null && summary.comparison.different > 0) process.exitCode = 1;
    });
}

function mergeCommand(tape: Command): void {
  tape
    .command('merge')
    .description('write the events of several tapes as one, in the order of their receipt')
    .argument('<to>', 'the new tape')
    .argument('<from...>', 'the tapes; of events received at the same time those of the tape named first come first')
    .option('--overwrite', 'replace the new tape where it exists')
    .option('--json', 'print the result as JSON')
    .action(async (to: string, from: string[], options: { overwrite?: true; json?: true }) => {
      const readers: TapeReader[] = [];
      try {
        for (const file of from) readers.push(await openTape(file));
        const { events, bytes } = await mergeTapes(readers, to, { overwrite: options.overwrite === true });
        const cuts = readers.flatMap((reader) => (reader.cut === null ? [] : [`${cutText(reader.cut)} (${reader.file})`]));
        print(
          options.json
            ? JSON.stringify({ from, to, events, bytes, cuts: readers.map(({ cut }) => cut) })
            : `${to}: ${events} events, ${bytes} bytes${cuts.join('')}`,
        );
      } finally {
        for (const reader of readers) await reader.close();
      }
    });
}

function convertCommand(tape: Command): void {
  tape
    .command('convert')
    .description('write a tape in another form; nothing of it changes, and converting back gives the same bytes')
    .argument('<from>', 'the tape')
    .argument('<to>', 'the new tape; its name says the form: *.tape.ndjson, *.tape.ndjson.gz or *.tape')
    .option('--overwrite', 'replace the new tape where it exists')
    .option('--json', 'print the result as JSON')
    .action(async (from: string, to: string, options: { overwrite?: true; json?: true }) => {
      const reader = await openTape(from, { lines: true });
      const bar = progressBar('converting', 'bytes');
      try {
        const { events, bytes } = await convertTape(reader, to, {
          overwrite: options.overwrite === true,
          progress: () => bar.update(reader.bytesRead, reader.bytesTotal),
        });
        bar.stop();
        const result = { from, to, events, bytesBefore: reader.bytesTotal, bytes, cut: reader.cut };
        print(
          options.json
            ? JSON.stringify(result)
            : `${to}: ${events} events, ${bytes} bytes (${from}: ${reader.bytesTotal})${cutText(reader.cut)}`,
        );
      } finally {
        bar.stop();
        await reader.close();
      }
    });
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function cutText(cut: TapeReader['cut']): string {
  return cut === null ? '' : `\ncut off at ${cut.place}: ${cut.detail}; everything before it is used`;
}

function importText(report: ImportReport): string {
  const skipped = Object.entries(report.skipped).map(([reason, count]) => `  skipped ${count} ${reason}`);
  const rejected = Object.entries(report.rejected).map(([reason, { count, first }]) => `  rejected ${count} ${reason}, first ${first}`);
  return [
    `${report.file}: ${report.events} events of ${report.read} records (${report.format}), ${report.from} to ${report.to}, ${report.bytes} bytes`,
    `  instruments ${report.instruments.slice(0, 12).join(', ')}${report.instruments.length > 12 ? ` and ${report.instruments.length - 12} more` : ''}`,
    ...skipped,
    ...rejected,
  ].join('\n');
}

async function readInfo(file: string): Promise<TapeInfo> {
  const bar = progressBar('reading', 'bytes');
  try {
    return await tapeInfo(file, bar.update);
  } finally {
    bar.stop();
  }
}

function infoText(info: TapeInfo): string {
  const list = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([name, count]) => `  ${String(count).padStart(10)}  ${name}`)
      .join('\n');
  return [
    `${info.file}: ${info.form} tape, ${info.events} events, ${info.from ?? 'empty'}${info.to === null ? '' : ` to ${info.to}`}, ${info.bytes} bytes${cutText(info.cut)}`,
    ...(info.source === null ? [] : [`${info.source}${info.recordedAt === null ? '' : `, recorded at ${info.recordedAt}`}`]),
    list(info.kinds),
    list(info.instruments),
    ...(info.agents.length === 0 ? [] : [`${info.agents.length} agents`]),
  ].join('\n');
}

/** A manifest file as an agent of a replay; its id follows from the manifest and its place. @throws Error naming everything wrong with it. */
async function agentFromFile(file: string, place: number, autonomy: Autonomy): Promise<TapeAgent> {
  const text = readNamedFile(file);
  let value: unknown;
  try {
    value = parseStrictYaml(text);
  } catch (error) {
    throw new Error(`the manifest ${file} cannot be read: ${(error as Error).message.split('\n')[0]}`, { cause: error });
  }
  const read = readManifest(value);
  if (!read.ok) {
    throw new Error(
      `the manifest ${file} is refused: ${read.problems.map(({ path, problem, allowed }) => `${path}: ${problem} (allowed: ${allowed})`).join('; ')}`,
    );
  }
  return replayAgent(read.manifest, place, autonomy);
}

interface ReplaySummary extends Omit<ReplayResult, 'decisions' | 'firstSlot' | 'lastSlot'> {
  readonly tapes: readonly string[];
  readonly firstSlot: string | null;
  readonly lastSlot: string | null;
  readonly out: string | null;
  readonly comparison: Comparison | null;
}

async function replayFiles(
  files: readonly string[],
  options: { readonly agent?: readonly string[]; readonly autonomy: Autonomy; readonly out?: string; readonly compare?: true },
): Promise<ReplaySummary> {
  const agents = await Promise.all((options.agent ?? []).map((file, place) => agentFromFile(file, place, options.autonomy)));
  const database = options.compare === true ? await serviceDatabase() : null;
  const sql = database === null ? null : openDatabase({ url: database.url, connections: 2, name: 'sevengate tape replay' });
  const readers: TapeReader[] = [];
  const out = options.out === undefined ? null : openWholeFile(options.out);
  const bar = progressBar('replaying', 'bytes');
  try {
    for (const file of files) readers.push(await openTape(file));
    const comparison = sql === null ? null : await createComparison(createLiveRunReads(sql));
    const write = createRecordWriter();
    const replay: ReplayOptions = {
      tapes: readers,
      agents,
      ...(comparison === null ? {} : { missed: comparison.missed }),
      onDecisions: async (rows, cut, manifestOf) => {
        await out?.write(write(rows, cut, manifestOf));
        await comparison?.take(rows, cut);
      },
      progress: () =>
        bar.update(
          readers.reduce((sum, { bytesRead }) => sum + bytesRead, 0),
          readers.reduce((sum, { bytesTotal }) => sum + bytesTotal, 0),
        ),
    };
    const result = await replayTape(replay);
    if (result.counts.agents === 0)
      throw new Error('there is nobody to replay: the tape holds no agents, and no manifest was given with --agent');
    await out?.finish();
    const { decisions: _, firstSlot, lastSlot, ...rest } = result;
    return {
      ...rest,
      tapes: files,
      firstSlot: firstSlot === null ? null : isoTime(firstSlot),
      lastSlot: lastSlot === null ? null : isoTime(lastSlot),
      out: options.out ?? null,
      comparison: comparison?.result() ?? null,
    };
  } catch (error) {
    await out?.abandon();
    throw error;
  } finally {
    bar.stop();
    for (const reader of readers) await reader.close();
    await sql?.end({ timeout: 3 });
    await database?.close();
  }
}

function replayText(summary: ReplaySummary): string {
  const { counts, comparison } = summary;
  return [
    `${summary.events} events, ${summary.cuts} slots, ${counts.agents} agents, ${counts.decisions} decisions${summary.firstSlot === null ? '' : `, ${summary.firstSlot} to ${summary.lastSlot}`}`,
    `  hold ${counts.hold}, propose_entry ${counts.propose_entry}, propose_exit ${counts.propose_exit}, blocked_by_risk ${counts.blocked_by_risk}`,
    ...(counts.refusedCommands > 0
      ? [`  ${counts.refusedCommands} of ${counts.commands} agent events were refused, which the live agents took`]
      : []),
    `  result ${summary.resultHash}${cutText(summary.cut)}`,
    ...(summary.out === null ? [] : [`  records in ${summary.out}`]),
    ...(comparison === null
      ? []
      : comparison.firstDifference === null
        ? [`  all ${comparison.compared} decisions equal what the live run wrote (${comparison.missedLive} of them were missed live)`]
        : [
            `  ${comparison.different} of ${comparison.compared} decisions differ from what the live run wrote; first: ${comparison.firstDifference}`,
          ]),
  ].join('\n');
}
