/** `sevengate parity`: replays tapes, holds them against what the live run wrote, and signs what came of it. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { readNamedFile } from '../../adapters/named-file.ts';
import { isSignedBy, openParityKey, parityKeysOf } from '../../adapters/signing-keys/writer-keys.ts';
import { createLiveRunReads } from '../../adapters/store/agents/live-run-reads.ts';
import { openDatabase } from '../../adapters/store/database.ts';
import { simulatedTime } from '../../adapters/store/simulated-time.ts';
import { instant } from '../../domain/instant.ts';
import { isoTime } from '../../domain/time.ts';
import { encodeNote, parseNote, parseVerifierKey, verifiedBy } from '../../domain/trail/signed-note.ts';
import { certificateText, type ParityRange, reportParity } from '../../simulation/parity.ts';
import { withTapes } from './open-tapes.ts';
import { serviceDatabase } from './service-database.ts';
import { settings } from './settings.ts';

interface Options {
  readonly from?: string;
  readonly to?: string;
  readonly out?: string;
  readonly check?: string;
  readonly keys?: string;
  readonly json?: true;
}

/** Adds `parity`. A difference, and a certificate that is not signed, set exit code 1. */
export function parityCommand(command: Command): void {
  command
    .argument('[tapes...]', 'the tapes of the live run, in the order of time')
    .option('--from <time>', 'the first slot that counts, such as 2026-03-02T14:30:00Z')
    .option('--to <time>', 'the first slot that no longer counts')
    .option('--out <file>', 'write the signed certificate there')
    .option('--check <certificate>', 'say instead whether a certificate carries a good signature')
    .option('--keys <file>', 'public keys that count for --check, one per line (default: parity.pub under keys of the state folder)')
    .option('--json', 'print the result as JSON')
    .action(async (tapes: string[], options: Options) => {
      if (options.check !== undefined) return check(options.check, options);
      const { from, to } = options;
      if (from === undefined || to === undefined)
        throw new Error('--from and --to are needed: the slots that are held against the live run');
      const range = { from: instant(from, '--from'), to: instant(to, '--to') };
      if (range.to <= range.from) throw new Error('--from is the earlier time, --to the later one');
      if (tapes.length === 0) throw new Error('name the tapes of the live run: npm start -- --record <file> makes one');
      await certify(tapes, range, options);
    });
}

async function certify(files: readonly string[], range: ParityRange, options: Options): Promise<void> {
  const key = openParityKey(resolve(settings().SEVENGATE_HOME));
  const { report, simulatedSince } = await compared(files, range);
  const tapes = await Promise.all(files.map(async (file) => ({ name: basename(file), sha256: await sha256Of(file) })));
  const text = certificateText(report, tapes, simulatedSince);
  const certificate = encodeNote(text, [{ name: key.name, id: key.id, signature: key.sign(Buffer.from(text)) }]);
  if (options.out !== undefined) await writeFile(options.out, certificate);
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ ...report, simulatedSince: simulatedSince === null ? null : isoTime(simulatedSince), tapes, certificate })}\n`
      : certificate,
  );
  if (!report.equal) process.exitCode = 1;
}

async function compared(files: readonly string[], range: ParityRange) {
  const database = await serviceDatabase();
  const sql = openDatabase({ url: database.url, connections: 2, name: 'sevengate parity' });
  try {
    const report = await withTapes(files, 'replaying', (tapes, progress) => reportParity(tapes, createLiveRunReads(sql), range, progress));
    return { report, simulatedSince: (await simulatedTime(sql))?.since ?? null };
  } finally {
    await sql.end({ timeout: 3 });
    await database.close();
  }
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

function check(file: string, options: Options): void {
  const certificate = readNamedFile(file);
  const keys =
    options.keys === undefined
      ? parityKeysOf(resolve(settings().SEVENGATE_HOME))
      : readNamedFile(options.keys)
          .split('\n')
          .filter((line) => line !== '' && !line.startsWith('#'))
          .map(parseVerifierKey);
  const good = verifiedBy(certificate, keys, isSignedBy);
  const { text } = parseNote(certificate);
  const signed = good.map(({ name, id }) => `${name}+${id}`);
  if (options.json) process.stdout.write(`${JSON.stringify({ certificate: file, signed, text })}\n`);
  else
    process.stdout.write(
      signed.length === 0 ? `${file} carries no good signature of a known key\n` : `${text}signed by ${signed.join(', ')}\n`,
    );
  if (signed.length === 0) process.exitCode = 1;
}
