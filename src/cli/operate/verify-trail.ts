/** `sevengate verify-trail`: verifies the whole decision trail and names the first altered row. */
import type { Command } from 'commander';
import type { Service } from '../ports.ts';
import type { VerifyOptions } from './verify-trail-run.ts';

/** Adds `verify-trail`. A break sets exit code 1. */
export function verifyTrailCommand(command: Command, service: Service): void {
  command
    .option('--database <url>', 'URL of the database to verify (default: that of the settings)')
    .option('--keys <file>', 'accepted public keys, one per line (default: those under keys of the state folder)')
    .option('--since <file>', 'older checkpoint that the log must extend')
    .option('--checkpoint <file>', 'write the newest checkpoint to this file; store it elsewhere')
    .option('--archive <folder>', 'folder of archive files (default: archive in the state folder)')
    .option('--json', 'print the result as JSON')
    .action(async (options: VerifyOptions) => (await import('./verify-trail-run.ts')).verify(service, options));
}
