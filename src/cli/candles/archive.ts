/** `sevengate archive`: moves old history to archive files, lists them, and reads an actor's steps from them. */
import type { Command } from 'commander';
import type { FolderOptions, MoveOptions, StepsOptions } from './archive-run.ts';
import type { Service } from '../ports.ts';
import { uuid } from '../words.ts';

const run = () => import('./archive-run.ts');

/** Adds `archive` and its commands. A missing or altered file sets exit code 1. */
export function archiveCommands(archive: Command, service: Service): void {
  archive
    .command('move')
    .description(
      'move whole days (UTC) of decisions, what they rest on, steps of ended actors and audit to files, and take them out of the database',
    )
    .requiredOption('--before <time>', 'move days that ended before this date, such as 2026-01-01')
    .option('--folder <folder>', 'output folder (default: archive in the state folder)')
    .option('--json', 'print the moved days as JSON')
    .action(async (options: MoveOptions) => (await run()).moveDays(service, options));

  archive
    .command('steps')
    .description('print the archived steps of an ended actor, one JSON document per line')
    .argument('<actor>', 'its id', uuid('an actor id'))
    .option('--at <version>', 'print the state after this step')
    .option('--folder <folder>', 'folder of the files (default: archive in the state folder)')
    .option('--json', 'print them as one JSON array')
    .action(async (actorId: string, options: StepsOptions) => (await run()).printSteps(service, actorId, options));

  archive
    .command('list')
    .description('list moved days and check that each file is complete')
    .option('--folder <folder>', 'folder of the files (default: archive in the state folder)')
    .option('--json', 'print the result as JSON')
    .action(async (options: FolderOptions) => (await run()).listMoved(service, options));
}
