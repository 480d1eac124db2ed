/** `sevengate parity`: replays tapes, holds them against what the live run wrote, and signs what came of it. */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { checkCertificate, namedTapes, signCertificate } from '../adapters/signing-keys/parity-certificate.ts';
import { createLiveRunReads } from '../adapters/store/agents/live-run-reads.ts';
import { simulatedTime } from '../adapters/store/simulated-time.ts';
import { instant } from '../domain/instant.ts';
import { isoTime } from '../domain/time.ts';
import { certificateText, type ParityRange, reportParity } from '../simulation/parity.ts';
import { withTapes } from './open-tapes.ts';
import { withDatabase } from './service-database.ts';
import type { Service } from './ports.ts';

interface Options {
  readonly from?: string;
  readonly to?: string;
  readonly out?: string;
  readonly check?: string;
  readonly keys?: string;
  readonly json?: true;
}

/** Adds `parity`. A difference, and a certificate that is not signed, set exit code 1. */
export function parityCommand(command: Command, service: Service): void {
  command
    .argument('[tapes...]', 'the tapes of the live run, in the order of time')
    .option('--from <time>', 'the first slot that counts, such as 2026-03-02T14:30:00Z')
    .option('--to <time>', 'the first slot that no longer counts')
    .option('--out <file>', 'write the signed certificate there')
    .option('--check <certificate>', 'say instead whether a certificate carries a good signature')
    .option('--keys <file>', 'public keys that count for --check, one per line (default: parity.pub under keys of the state folder)')
    .option('--json', 'print the result as JSON')
    .action(async (tapes: string[], options: Options) => {
      if (options.check !== undefined) return check(service, options.check, options);
      const { from, to } = options;
      if (from === undefined || to === undefined)
        throw new Error('--from and --to are needed: the slots that are held against the live run');
      const range = { from: instant(from, '--from'), to: instant(to, '--to') };
      if (range.to <= range.from) throw new Error('--from is the earlier time, --to the later one');
      if (tapes.length === 0) throw new Error('name the tapes of the live run: npm start -- --record <file> makes one');
      await certify(service, tapes, range, options);
    });
}

async function certify(service: Service, files: readonly string[], range: ParityRange, options: Options): Promise<void> {
  const { report, simulatedSince } = await compared(service, files, range);
  const tapes = await namedTapes(files);
  const certificate = signCertificate(resolve(service.settings().SEVENGATE_HOME), certificateText(report, tapes, simulatedSince));
  if (options.out !== undefined) await writeFile(options.out, certificate);
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ ...report, simulatedSince: simulatedSince === null ? null : isoTime(simulatedSince), tapes, certificate })}\n`
      : certificate,
  );
  if (!report.equal) process.exitCode = 1;
}

async function compared(service: Service, files: readonly string[], range: ParityRange) {
  return withDatabase(service, { name: 'sevengate parity', connections: 2 }, async (sql) => {
    const report = await withTapes(files, 'replaying', (tapes, progress) => reportParity(tapes, createLiveRunReads(sql), range, progress));
    return { report, simulatedSince: (await simulatedTime(sql))?.since ?? null };
  });
}

function check(service: Service, file: string, options: Options): void {
  const { signed, text } = checkCertificate(file, resolve(service.settings().SEVENGATE_HOME), options.keys ?? null);
  if (options.json) process.stdout.write(`${JSON.stringify({ certificate: file, signed, text })}\n`);
  else
    process.stdout.write(
      signed.length === 0 ? `${file} carries no good signature of a known key\n` : `${text}signed by ${signed.join(', ')}\n`,
    );
  if (signed.length === 0) process.exitCode = 1;
}
