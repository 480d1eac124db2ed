/** `sevengate archive`: moves old decisions, cuts and observations to archive files, and tells what was moved. */
import type { Command } from 'commander';
import { createLiveClock } from '../../streams/live-clock.ts';
import {
  archiveFolder,
  KEPT_DAYS,
  type MovedStretch,
  movedStretches,
  moveHistory,
  readStretch,
} from '../adapters/store/trail/history-archive.ts';
import { instant } from '../domain/instant.ts';
import { isoTime } from '../domain/time.ts';
import { withDatabase, withWriterDatabase } from './service-database.ts';
import type { Service } from './ports.ts';
import { print } from './words.ts';

const DAY_MS = 86_400_000;

/** Adds `archive` and its commands. A file that is missing or altered sets exit code 1. */
export function archiveCommands(archive: Command, service: Service): void {
  archive
    .command('move')
    .description('move whole days (UTC) of decisions, cuts and observations to files, and take them out of the database')
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
      const moved = await withWriterDatabase(service, 'sevengate archive', (sql) => moveHistory(sql, folder, before), 'worker');
      print(options.json ? JSON.stringify(moved) : moved.length === 0 ? 'nothing is left to move' : moved.map(stretchText).join('\n'));
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

function stretchText({ file, until, decisions, observations, cuts }: MovedStretch): string {
  return `${file}: ${decisions} decisions, ${observations} observations and ${cuts} cuts before ${isoTime(until)}`;
}
