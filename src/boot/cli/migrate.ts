/** `sevengate migrate`: brings the database up to this version. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { openWriterKeys } from '../../adapters/signing-keys/writer-keys.ts';
import { migrate } from '../../adapters/store/migrate.ts';
import { serviceDatabase } from './service-database.ts';
import { settings } from './settings.ts';

export function migrateCommand(command: Command): void {
  command.option('--json', 'print the result as JSON').action(async (options: { json?: boolean }) => {
    const { url, close } = await serviceDatabase();
    try {
      const { api } = openWriterKeys(resolve(settings().SEVENGATE_HOME), ['api']);
      const told = (name: string, done: number, total: number) => process.stderr.write(`${done}/${total} ${name}\n`);
      const { applied, present } = await migrate(url, told, api);
      const sentence = `${applied.length === 0 ? 'up to date' : `applied ${applied.join(', ')}`} (${present.length} migrations)`;
      process.stdout.write(`${options.json ? JSON.stringify({ applied, present }) : sentence}\n`);
    } finally {
      await close();
    }
  });
}
