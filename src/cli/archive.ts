/** `sevengate archive`: moves old history to archive files, tells what was moved, and reads the steps of an actor from there. */
import type { Command } from 'commander';
import type { ActorKind } from '../../actors/runtime/actor-kind.ts';
import type { PastState } from '../../actors/runtime/actor-history.ts';
import { createLiveClock } from '../../streams/live-clock.ts';
import type { Sql } from '../adapters/store/database.ts';
import { createWorkRecorder } from '../adapters/store/long-work-store.ts';
import {
  type ArchivedStep,
  archiveFolder,
  KEPT_DAYS,
  type MovedStretch,
  movedStretches,
  readArchivedSteps,
  readStretch,
  recordedMove,
} from '../adapters/store/trail/history-archive.ts';
import { progressBar } from '../adapters/terminal-progress.ts';
import type { ActorRow } from '../domain/actor-step.ts';
import { instant } from '../domain/instant.ts';
import { isoTime } from '../domain/time.ts';
import { withDatabase, withWriterDatabase } from './service-database.ts';
import type { Service } from './ports.ts';
import { print, uuid } from './words.ts';

const DAY_MS = 86_400_000;

/** Adds `archive` and its commands. A file that is missing or altered sets exit code 1. */
export function archiveCommands(archive: Command, service: Service): void {
  archive
    .command('move')
    .description(
      'move whole days (UTC) of decisions, cuts, observations, steps of ended actors and audit to files, and take them out of the database',
    )
    .requiredOption('--before <time>', 'move days that ended by then, such as 2026-01-01')
    .option('--folder <folder>', 'where the files go (default: archive in the state folder)')
    .option('--json', 'print what was moved as JSON')
    .action(async (options: { before: string; folder?: string; json?: true }) => {
      const before = instant(options.before, '--before');
      const newest = Math.floor(createLiveClock().now() / DAY_MS - KEPT_DAYS) * DAY_MS;
      if (before > newest)
        throw new Error(
          `--before ${options.before}: the last ${KEPT_DAYS} days stay in the database; the latest time is ${isoTime(newest)}`,
        );
      const folder = options.folder ?? archiveFolder(service.settings().SEVENGATE_HOME);
      const moved = await moveWithProgress(service, folder, before);
      print(options.json ? JSON.stringify(moved) : moved.length === 0 ? 'nothing is left to move' : moved.map(stretchText).join('\n'));
    });

  archive
    .command('steps')
    .description('print the steps of an actor that has ended and whose steps were moved, one as JSON on each line')
    .argument('<actor>', 'its id', uuid('an actor id'))
    .option('--at <version>', 'print the state after this step instead, rebuilt from the steps')
    .option('--folder <folder>', 'where the files lie (default: archive in the state folder)')
    .option('--json', 'print them as one JSON array')
    .action(async (actorId: string, options: { at?: string; folder?: string; json?: true }) => {
      if (options.at !== undefined && !/^[1-9]\d{0,11}$/.test(options.at))
        throw new Error(`--at ${options.at}: the version of a step is a whole number from 1 on`);
      const folder = options.folder ?? archiveFolder(service.settings().SEVENGATE_HOME);
      const kinds = await service.actorKinds();
      const lines = await withDatabase(service, { name: 'sevengate archive', role: null, readOnly: true }, async (sql) => {
        const steps = await readArchivedSteps(sql, folder, actorId);
        return options.at === undefined ? steps : [await stateAfter(sql, kinds, actorId, steps, Number(options.at))];
      });
      print(options.json ? JSON.stringify(lines) : lines.map((line) => JSON.stringify(line)).join('\n'));
    });

  archive
    .command('list')
    .description('tell what was moved, and whether each file holds what was moved to it')
    .option('--folder <folder>', 'where the files lie (default: archive in the state folder)')
    .option('--json', 'print the result as JSON')
    .action(async (options: { folder?: string; json?: true }) => {
      const folder = options.folder ?? archiveFolder(service.settings().SEVENGATE_HOME);
      const found = await withDatabase(service, { name: 'sevengate archive', role: null, readOnly: true }, async (sql) => {
        const files: (MovedStretch & { readonly fault: string | null })[] = [];
        for (const stretch of await movedStretches(sql)) files.push({ ...stretch, fault: await readStretch(folder, stretch) });
        return files;
      });
      const lines = found.map((stretch) => `${stretchText(stretch)}: ${stretch.fault ?? 'whole'}`);
      print(options.json ? JSON.stringify(found) : lines.length === 0 ? 'nothing was moved' : lines.join('\n'));
      if (found.some(({ fault }) => fault !== null)) process.exitCode = 1;
    });
}

/** @throws Error where the actor has no such step, and where the present machines do not lead where the steps led. */
async function stateAfter(
  sql: Sql,
  kinds: readonly ActorKind[],
  actorId: string,
  steps: readonly ArchivedStep[],
  version: number,
): Promise<PastState> {
  // Loaded by whoever asks for a state: the machines and their store are heavy.
  const [{ foldSteps }, { createDirectory }, { createActorStore }] = await Promise.all([
    import('../../actors/runtime/actor-history.ts'),
    import('../../actors/runtime/directory.ts'),
    import('../adapters/store/actors/actor-store.ts'),
  ]);
  const subject = (await createActorStore(sql).load([actorId])).get(actorId) as ActorRow;
  const until = steps.filter((step) => step.version <= version);
  const past = until.at(-1)?.version === version ? foldSteps(createDirectory(kinds), subject, null, until) : null;
  if (past === null) throw new Error(`no step led to version ${version} of actor ${actorId}; its last one led to ${steps.at(-1)?.version}`);
  return past;
}

/** Moves, with a bar on the terminal and a row that everybody can read. */
function moveWithProgress(service: Service, folder: string, before: number): Promise<readonly MovedStretch[]> {
  const bar = progressBar('moving', 'stages of days');
  const move = { folder, before, recorded: 'always', onProgress: bar.show } as const;
  return withWriterDatabase(
    service,
    'sevengate archive',
    (sql) => recordedMove(createWorkRecorder(sql, createLiveClock(), 'sevengate archive move'), { ...move, sql }),
    'worker',
  ).finally(() => bar.stop());
}

function stretchText({ file, until, decisions, observations, cuts, steps, audit }: MovedStretch): string {
  return `${file}: ${decisions} decisions, ${observations} observations, ${cuts} cuts, ${steps} steps and ${audit} rows of audit before ${isoTime(until)}`;
}
