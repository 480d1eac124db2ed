/** `sevengate parity`: replays tapes, compares them with the live run's records, and signs the result. */
import type { Command } from 'commander';
import { instant } from '../../domain/values/time.ts';
import type { ParityOptions } from './parity-run.ts';
import type { Service } from '../ports.ts';

/** Adds `parity`. A difference or an unsigned certificate sets exit code 1. */
export function parityCommand(command: Command, service: Service): void {
  command
    .argument('[tapes...]', 'tapes of the live run, in time order')
    .option('--from <time>', 'first slot, such as 2026-03-02T14:30:00Z')
    .option('--to <time>', 'end of the range, exclusive')
    .option('--out <file>', 'write the signed certificate to this file')
    .option('--check <certificate>', 'check the signature of a certificate instead')
    .option('--keys <file>', 'accepted public keys for --check, one per line (default: parity.pub under keys of the state folder)')
    .option('--json', 'print the result as JSON')
    .action(async (tapes: string[], options: ParityOptions) => {
      const { certify, check } = await import('./parity-run.ts');
      if (options.check !== undefined) return check(service, options.check, options);
      const { from, to } = options;
      if (from === undefined || to === undefined) throw new Error('give --from and --to: the slots to compare with the live run');
      const range = { from: instant(from, '--from'), to: instant(to, '--to') };
      if (range.to <= range.from) throw new Error('--from must be before --to');
      if (tapes.length === 0) throw new Error('name the tapes of the live run: npm start -- --record <file> makes one');
      await certify(service, tapes, range, options);
    });
}
