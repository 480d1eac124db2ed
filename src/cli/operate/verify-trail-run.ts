/** Implementation of `sevengate verify-trail`, loaded only when it runs. */
import { resolve } from 'node:path';
import { readNamedFile, writeNamedFile } from '../../adapters/named-file.ts';
import { readTrustedKeys, readHomeKeys } from '../../adapters/signing-keys/writer-keys.ts';
import { isConnectionLoss } from '../../adapters/store/database.ts';
import { archiveFolder } from '../../adapters/store/trail/history-archive.ts';
import { trailText } from '../../adapters/store/trail/trail-text.ts';
import { verifyTrail } from '../../adapters/store/trail-verifier.ts';
import { progressBar } from '../../adapters/terminal-progress.ts';
import type { Service } from '../ports.ts';
import { withDatabase } from '../service-database.ts';
import { print } from '../words.ts';

export interface VerifyOptions {
  readonly database?: string;
  readonly keys?: string;
  readonly since?: string;
  readonly checkpoint?: string;
  readonly archive?: string;
  readonly json?: true;
}

/** Verifies the trail and prints the report. A break sets exit code 1. @throws Error if the trail cannot be read */
export async function verify(service: Service, options: VerifyOptions): Promise<void> {
  const trusted = options.keys === undefined ? readHomeKeys(resolve(service.settings().SEVENGATE_HOME)) : readTrustedKeys(options.keys);
  if (options.keys !== undefined && trusted.length === 0) throw new Error(`${options.keys} holds no public key`);
  const since = options.since === undefined ? null : readNamedFile(options.since);
  const archive = options.archive ?? archiveFolder(service.settings().SEVENGATE_HOME);
  const bar = progressBar('verifying', 'decisions');
  // Uses the login role, whose statements have no time limit. The transaction is read-only.
  const report = await withDatabase(service, { name: 'sevengate verify-trail', role: null, url: options.database }, (sql) =>
    verifyTrail(sql, bar.update, {
      keys: trusted.length === 0 ? null : trusted,
      since,
      archive,
      evmChainId: service.settings().EVMCHAIN_ID,
    }),
  )
    .catch((error: unknown) => {
      throw isConnectionLoss(error) ? new Error(`the database cannot be reached: ${(error as Error).message}`, { cause: error }) : error;
    })
    .finally(() => bar.stop());
  print(options.json ? JSON.stringify(report) : trailText(report));
  const checkpoint = report.signatures?.checkpoint ?? null;
  if (options.checkpoint !== undefined && checkpoint !== null) writeNamedFile(options.checkpoint, checkpoint);
  if (!report.whole) process.exitCode = 1;
}
