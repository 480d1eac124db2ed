/** `sevengate migrate`: brings the database up to this version. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { openWriterKeys } from '../adapters/signing-keys/writer-keys.ts';
import { migrate } from '../adapters/store/migrate.ts';
import { serviceDatabase } from './service-database.ts';
import type { Service } from './ports.ts';

export function migrateCommand(command: Command, service: Service): void {
  command.option('--json', 'print the result as JSON').action(async (options: { json?: boolean }) => {
    const { url, close } = await serviceDatabase(service);
    try {
      const { api } = openWriterKeys(resolve(service.settings().SEVENGATE_HOME), ['api']);
      const told = (name: string, done: number, total: number) => process.stderr.write(`${done}/${total} ${name}\n`);
      const { applied, present } = await migrate(url, told, api);
      const sentence = `${applied.length === 0 ? 'up to date' : `applied ${applied.join(', ')}`} (${present.length} migrations)`;
      process.stdout.write(`${options.json ? JSON.stringify({ applied, present }) : sentence}\n`);
    } finally {
      await close();
    }
  });
}
