/** `sevengate verify-trail`: recomputes the whole decision trail and names the first row that was altered. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readNamedFile } from '../adapters/named-file.ts';
import { readTrustedKeys, trustedKeysOf } from '../adapters/signing-keys/writer-keys.ts';
import { isConnectionLoss } from '../adapters/store/database.ts';
import { archiveFolder } from '../adapters/store/trail/history-archive.ts';
import { trailText } from '../adapters/store/trail/trail-text.ts';
import { verifyTrail } from '../adapters/store/trail-verifier.ts';
import { progressBar } from '../adapters/terminal-progress.ts';
import { withDatabase } from './service-database.ts';
import type { Service } from './ports.ts';
import { print } from './words.ts';

/** Adds `verify-trail`. A break sets exit code 1. */
export function verifyTrailCommand(command: Command, service: Service): void {
  command
    .option('--database <url>', 'URL of the database to verify (default: that of the settings)')
    .option('--keys <file>', 'public keys that count, one per line (default: those under keys of the state folder)')
    .option('--since <file>', 'an older checkpoint that the log must still begin with')
    .option('--checkpoint <file>', 'write the newest checkpoint there, for somebody else to keep')
    .option('--archive <folder>', 'where the files of moved history lie (default: archive in the state folder)')
    .option('--json', 'print the result as JSON')
    .action(async (options: { database?: string; keys?: string; since?: string; checkpoint?: string; archive?: string; json?: true }) => {
      const trusted =
        options.keys === undefined ? trustedKeysOf(resolve(service.settings().SEVENGATE_HOME)) : readTrustedKeys(options.keys);
      if (options.keys !== undefined && trusted.length === 0) throw new Error(`${options.keys} holds no public key`);
      const since = options.since === undefined ? null : readNamedFile(options.since);
      const archive = options.archive ?? archiveFolder(service.settings().SEVENGATE_HOME);
      const bar = progressBar('verifying', 'decisions');
      // As the login role: its statements may run for as long as they need, and its transaction is read-only.
      const report = await withDatabase(service, { name: 'sevengate verify-trail', role: null, url: options.database }, (sql) =>
        verifyTrail(sql, bar.update, { keys: trusted.length === 0 ? null : trusted, since, archive }),
      )
        .catch((error: unknown) => {
          throw isConnectionLoss(error)
            ? new Error(`the database cannot be reached: ${(error as Error).message}`, { cause: error })
            : error;
        })
        .finally(() => bar.stop());
      print(options.json ? JSON.stringify(report) : trailText(report));
      const checkpoint = report.signatures?.checkpoint ?? null;
      if (options.checkpoint !== undefined && checkpoint !== null) writeFileSync(options.checkpoint, checkpoint);
      if (!report.whole) process.exitCode = 1;
    });
}
