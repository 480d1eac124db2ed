/** Implementation of `sevengate archive`, loaded only when it runs. */
import type { ActorKind } from '../../../actors/runtime/actor-kind.ts';
import { foldSteps, type PastState } from '../../../actors/runtime/actor-history.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { createActorStore } from '../../adapters/store/actors/actor-store.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { createWorkRecorder } from '../../adapters/store/long-work-store.ts';
import {
  type ArchivedStep,
  archiveFolder,
  KEPT_DAYS,
  type MovedStretch,
  movedStretches,
  readArchivedSteps,
  readStretch,
  recordedMove,
} from '../../adapters/store/trail/history-archive.ts';
import { progressBar } from '../../adapters/terminal-progress.ts';
import type { ActorRow } from '../../domain/agents/actor-step.ts';
import { instant, DAY_MS, isoTime } from '../../domain/values/time.ts';
import type { Service } from '../ports.ts';
import { withDatabase, withWriterDatabase } from '../service-database.ts';
import { print } from '../words.ts';

export interface FolderOptions {
  readonly folder?: string;
  readonly json?: true;
}

export interface MoveOptions extends FolderOptions {
  readonly before: string;
}

export interface StepsOptions extends FolderOptions {
  readonly at?: string;
}

/** Returns the given folder, or the service's. */
function chooseFolder(service: Service, { folder }: FolderOptions): string {
  return folder ?? archiveFolder(service.settings().SEVENGATE_HOME);
}

/** Moves days to files. @throws Error if they are too recent */
export async function moveDays(service: Service, options: MoveOptions): Promise<void> {
  const before = instant(options.before, '--before');
  const newest = Math.floor(createLiveClock().now() / DAY_MS - KEPT_DAYS) * DAY_MS;
  if (before > newest)
    throw new Error(`--before ${options.before}: the last ${KEPT_DAYS} days stay in the database; the latest time is ${isoTime(newest)}`);
  const moved = await moveWithProgress(service, chooseFolder(service, options), before);
  print(options.json ? JSON.stringify(moved) : moved.length === 0 ? 'nothing to move' : moved.map(stretchText).join('\n'));
}

/** Prints the steps of an actor from its file, or a state rebuilt from them. @throws Error if the file or step is missing */
export async function printSteps(service: Service, actorId: string, options: StepsOptions): Promise<void> {
  if (options.at !== undefined && !/^[1-9]\d{0,11}$/.test(options.at))
    throw new Error(`--at ${options.at}: the version of a step is a whole number from 1 on`);
  const folder = chooseFolder(service, options);
  const kinds = await service.actorKinds();
  const lines = await withDatabase(service, { name: 'sevengate archive', role: null, readOnly: true }, async (sql) => {
    const steps = await readArchivedSteps(sql, folder, actorId);
    return options.at === undefined ? steps : [await stateAfter(sql, kinds, actorId, steps, Number(options.at))];
  });
  print(options.json ? JSON.stringify(lines) : lines.map((line) => JSON.stringify(line)).join('\n'));
}

/** Prints what was moved. A missing or altered file sets exit code 1. */
export async function listMoved(service: Service, options: FolderOptions): Promise<void> {
  const folder = chooseFolder(service, options);
  const found = await withDatabase(service, { name: 'sevengate archive', role: null, readOnly: true }, async (sql) => {
    const files: (MovedStretch & { readonly fault: string | null })[] = [];
    for (const stretch of await movedStretches(sql)) files.push({ ...stretch, fault: await readStretch(folder, stretch) });
    return files;
  });
  const lines = found.map((stretch) => `${stretchText(stretch)}: ${stretch.fault ?? 'whole'}`);
  print(options.json ? JSON.stringify(found) : lines.length === 0 ? 'nothing was moved' : lines.join('\n'));
  if (found.some(({ fault }) => fault !== null)) process.exitCode = 1;
}

/** Rebuilds a state. @throws Error if the actor has no such step, or the current machines lead to another state */
async function stateAfter(
  sql: Sql,
  kinds: readonly ActorKind[],
  actorId: string,
  steps: readonly ArchivedStep[],
  version: number,
): Promise<PastState> {
  const subject = (await createActorStore(sql).load([actorId])).get(actorId) as ActorRow;
  const until = steps.filter((step) => step.version <= version);
  const past = until.at(-1)?.version === version ? foldSteps(createDirectory(kinds), subject, null, until) : null;
  if (past === null) throw new Error(`no step led to version ${version} of actor ${actorId}; its last one led to ${steps.at(-1)?.version}`);
  return past;
}

/** Moves days with a progress bar, and records the work in the database. */
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

function stretchText({ file, until, decisions, observations, cuts, inputs, steps, audit, leaves }: MovedStretch): string {
  return `${file}: ${decisions} decisions, ${observations} observations, ${cuts} cuts, ${inputs} inputs of ticks, ${steps} steps, ${audit} rows of audit and ${leaves} leaves before ${isoTime(until)}`;
}
