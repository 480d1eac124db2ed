/** `sevengate migrate`: migrates the database to this version. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Service } from '../ports.ts';
import { serviceDatabase } from '../service-database.ts';

export function migrateCommand(command: Command, service: Service): void {
  command.option('--json', 'print the result as JSON').action(async (options: { json?: boolean }) => {
    const [{ commandWriter }, { migrate }] = await Promise.all([
      import('../../adapters/store/ready-database.ts'),
      import('../../adapters/store/migrate.ts'),
    ]);
    const { url, close } = await serviceDatabase(service);
    try {
      const writer = await commandWriter(resolve(service.settings().SEVENGATE_HOME), url);
      const told = (name: string, done: number, total: number) => process.stderr.write(`${done}/${total} ${name}\n`);
      const { applied, present } = await migrate(url, told, writer);
      const sentence = `${applied.length === 0 ? 'up to date' : `applied ${applied.join(', ')}`} (${present.length} migrations)`;
      process.stdout.write(`${options.json ? JSON.stringify({ applied, present }) : sentence}\n`);
    } finally {
      await close();
    }
  });
}
