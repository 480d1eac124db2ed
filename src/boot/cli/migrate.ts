/** `sevengate migrate`: brings the database up to this version. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { openWriterKeys } from '../../adapters/signing-keys/writer-keys.ts';
import { migrate } from '../../adapters/store/migrate.ts';
import { createLog } from '../log.ts';
import { startServers } from '../servers.ts';
import { settings } from './settings.ts';

export function migrateCommand(command: Command): void {
  command.option('--json', 'print the result as JSON').action(async (options: { json?: boolean }) => {
    const config = settings();
    const servers = await startServers(
      { ...config, QUEUE_BACKEND: config.REDIS_URL === null ? 'postgres' : config.QUEUE_BACKEND },
      '',
      createLog('error'),
    );
    try {
      const { api } = openWriterKeys(resolve(config.SEVENGATE_HOME), ['api']);
      const { applied, present } = await migrate(
        servers.databaseUrl,
        (name, done, total) => process.stderr.write(`${done}/${total} ${name}\n`),
        api,
      );
      process.stdout.write(
        options.json
          ? `${JSON.stringify({ applied, present })}\n`
          : `${applied.length === 0 ? 'up to date' : `applied ${applied.join(', ')}`} (${present.length} migrations)\n`,
      );
    } finally {
      await servers.stop();
    }
  });
}
