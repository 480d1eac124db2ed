/** `sevengate tape`: imports recordings as tapes, and shows, replays, serves and converts tapes. */
import { type Command, Option } from 'commander';
import { IMPORTERS, importTape } from '../../adapters/tape/import/import-tape.ts';
import { tapeInfo } from '../../adapters/tape/tape-info.ts';
import { openTape } from '../../adapters/tape/tape-reader.ts';
import { importText, infoText } from '../../adapters/tape/tape-texts.ts';
import { convertTape, mergeTapes } from '../../adapters/tape/tape-writer.ts';
import { openWholeFile } from '../../adapters/tape/whole-file.ts';
import { AUTONOMY_LEVELS, type Autonomy } from '../../domain/agents/agent.ts';
import { cutText } from '../../domain/tape/tape.ts';
import { VENUES, type Venue } from '../../domain/market/venue.ts';
import type { LiveRunReads } from '../../adapters/store/agents/live-run-reads.ts';
import type { ReplaySummary, replayRecording } from '../../simulation/recorded-replay.ts';
import { withTapes } from './open-tapes.ts';
import { progressBar } from '../../adapters/terminal-progress.ts';
import type { Service } from '../ports.ts';
import { serveCommand } from './tape-serve.ts';
import { print } from '../words.ts';

/** Adds `tape` and its commands. A difference found by `--compare` sets exit code 1. */
export function tapeCommands(tape: Command, service: Service): void {
  recordCommand(tape);
  infoCommand(tape);
  replayCommand(tape, service);
  mergeCommand(tape);
  convertCommand(tape);
  serveCommand(tape, service);
}

interface RecordOptions {
  readonly from: string;
  readonly venue: Venue;
  readonly to?: string;
  readonly instrument?: string;
  readonly timeframe?: string;
  readonly date?: string;
  readonly overwrite?: true;
  readonly json?: true;
}

function recordCommand(tape: Command): void {
  tape
    .command('record')
    .description("import a recording in a venue's own format as a tape")
    .requiredOption('--from <file>', 'the recording, plain or gzip')
    .addOption(new Option('--venue <venue>', 'venue of the recording').choices(VENUES).makeOptionMandatory())
    .option('--to <file>', 'the tape: *.tape.ndjson, *.tape.ndjson.gz or *.tape (default: beside the recording)')
    .option('--instrument <name>', 'instrument, if the recording does not name it')
    .option('--timeframe <timeframe>', 'length of its bars, such as 1h')
    .option('--date <YYYY-MM-DD>', 'day of a recording whose times count from midnight')
    .option('--overwrite', 'overwrite an existing tape')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `\nAccepted recordings:\n${IMPORTERS.map(({ accepts, venues }) => `  - ${accepts} [--venue ${venues.join('|')}]`).join('\n')}`,
    )
    .action(async (options: RecordOptions) => {
      const { from, venue } = options;
      const bar = progressBar('importing', 'bytes');
      try {
        const report = await importTape({
          from,
          to: options.to ?? `${from.replace(/(\.gz)?$/, '').replace(/\.(csv|json|jsonl|log)$/, '')}.tape.ndjson`,
          venue,
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
    });
}

function infoCommand(tape: Command): void {
  tape
    .command('info')
    .description('summarize a tape')
    .argument('<file>', 'the tape')
    .option('--json', 'print the result as JSON')
    .action(async (file: string, options: { json?: true }) => {
      const bar = progressBar('reading', 'bytes');
      const info = await tapeInfo(file, bar.update).finally(() => bar.stop());
      print(options.json ? JSON.stringify(info) : infoText(info));
    });
}

interface ReplayChoice {
  readonly agent?: readonly string[];
  readonly autonomy: Autonomy;
  readonly out?: string;
  readonly compare?: true;
}

function replayCommand(tape: Command, service: Service): void {
  tape
    .command('replay')
    .description('replay a tape: the same tape gives the same decisions, byte for byte')
    .argument('<files...>', 'tapes of one recording, in time order')
    .option('--agent <manifest...>', 'manifests (YAML or JSON) of agents to replay besides those on the tape')
    .addOption(new Option('--autonomy <level>', 'of the agents given by --agent').choices(AUTONOMY_LEVELS).default('confirm'))
    .option('--out <file>', 'write the full decision records to this file, one JSON object per line')
    .option('--compare', 'compare with the records of the live run in the configured database')
    .option('--json', 'print the result as JSON')
    .action(async (files: string[], options: ReplayChoice & { json?: true }) => {
      const [{ replayText }, summary] = await Promise.all([
        import('../../simulation/recorded-replay.ts'),
        replayFiles(service, files, options),
      ]);
      const out = options.out ?? null;
      const { firstSlot, lastSlot, comparison, ...rest } = summary;
      print(options.json ? JSON.stringify({ ...rest, tapes: files, firstSlot, lastSlot, out, comparison }) : replayText(summary, out));
      if (comparison !== null && comparison.different > 0) process.exitCode = 1;
    });
}

async function replayFiles(service: Service, files: readonly string[], options: ReplayChoice): Promise<ReplaySummary> {
  // Loaded late: commands that only read a tape need neither agents nor a database.
  const [{ replayAgent }, { manifestFromFile }] = await Promise.all([
    import('../../simulation/replay/replay-agent.ts'),
    import('../backtest/manifest-file.ts'),
  ]);
  const agents = (options.agent ?? []).map((file, place) => replayAgent(manifestFromFile(file), place, options.autonomy));
  if (options.compare !== true) return replayed(files, agents, null, options.out);
  const [{ withDatabase }, { createLiveRunReads }] = await Promise.all([
    import('../service-database.ts'),
    import('../../adapters/store/agents/live-run-reads.ts'),
  ]);
  return withDatabase(service, { name: 'sevengate tape replay', connections: 2 }, (sql) =>
    replayed(files, agents, createLiveRunReads(sql), options.out),
  );
}

async function replayed(
  files: readonly string[],
  agents: Parameters<typeof replayRecording>[0]['agents'],
  live: LiveRunReads | null,
  target: string | undefined,
): Promise<ReplaySummary> {
  const { replayRecording } = await import('../../simulation/recorded-replay.ts');
  const out = target === undefined ? null : openWholeFile(target);
  const writeRecords = out === null ? null : out.write;
  try {
    const summary = await withTapes(files, 'replaying', (tapes, progress) =>
      replayRecording({ tapes, agents, live, writeRecords, progress }),
    );
    await out?.finish();
    return summary;
  } catch (error) {
    await out?.abandon();
    throw error;
  }
}

function mergeCommand(tape: Command): void {
  tape
    .command('merge')
    .description('merge several tapes into one, in order of receipt')
    .argument('<to>', 'file of the new tape')
    .argument('<from...>', 'the tapes; events received at the same time keep the order of the tapes')
    .option('--overwrite', 'overwrite an existing tape')
    .option('--json', 'print the result as JSON')
    .action((to: string, from: string[], options: { overwrite?: true; json?: true }) =>
      withTapes(from, 'merging', async (readers, progress) => {
        const { events, bytes } = await mergeTapes([...readers], to, { overwrite: options.overwrite === true, progress });
        const cuts = readers.flatMap((reader) => (reader.cut === null ? [] : [`${cutText(reader.cut)} (${reader.file})`]));
        print(
          options.json
            ? JSON.stringify({ from, to, events, bytes, cuts: readers.map(({ cut }) => cut) })
            : `${to}: ${events} events, ${bytes} bytes${cuts.join('')}`,
        );
      }),
    );
}

function convertCommand(tape: Command): void {
  tape
    .command('convert')
    .description('convert a tape to another form; converting back gives the same bytes')
    .argument('<from>', 'the tape')
    .argument('<to>', 'the new tape; its extension sets the form: *.tape.ndjson, *.tape.ndjson.gz or *.tape')
    .option('--overwrite', 'overwrite an existing tape')
    .option('--json', 'print the result as JSON')
    .action(async (from: string, to: string, options: { overwrite?: true; json?: true }) => {
      const reader = await openTape(from, { lines: true });
      const bar = progressBar('converting', 'bytes');
      const progress = () => bar.update(reader.bytesRead, reader.bytesTotal);
      try {
        const { events, bytes } = await convertTape(reader, to, { overwrite: options.overwrite === true, progress });
        bar.stop();
        const result = { from, to, events, bytesBefore: reader.bytesTotal, bytes, cut: reader.cut };
        const sentence = `${to}: ${events} events, ${bytes} bytes (${from}: ${reader.bytesTotal})${cutText(reader.cut)}`;
        print(options.json ? JSON.stringify(result) : sentence);
      } finally {
        bar.stop();
        await reader.close();
      }
    });
}
