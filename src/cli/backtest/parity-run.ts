/** Implementation of `sevengate parity`, loaded only when it runs. */
import { resolve } from 'node:path';
import { writeNamedFile } from '../../adapters/named-file.ts';
import { checkCertificate, namedTapes, signCertificate } from '../../adapters/signing-keys/parity-certificate.ts';
import { createLiveRunReads } from '../../adapters/store/agents/live-run-reads.ts';
import { simulatedTime } from '../../adapters/store/simulated-time.ts';
import { isoTime } from '../../domain/values/time.ts';
import { certificateText, type ParityRange, reportParity } from '../../simulation/replay-parity.ts';
import { withTapes } from '../tape/open-tapes.ts';
import type { Service } from '../ports.ts';
import { withDatabase } from '../service-database.ts';

export interface ParityOptions {
  readonly from?: string;
  readonly to?: string;
  readonly out?: string;
  readonly check?: string;
  readonly keys?: string;
  readonly json?: true;
}

/** Replays the tapes and signs the result. A difference sets exit code 1. */
export async function certify(service: Service, files: readonly string[], range: ParityRange, options: ParityOptions): Promise<void> {
  const { report, simulatedSince } = await compared(service, files, range);
  const tapes = await namedTapes(files);
  const certificate = signCertificate(resolve(service.settings().SEVENGATE_HOME), certificateText(report, tapes, simulatedSince));
  if (options.out !== undefined) writeNamedFile(options.out, certificate);
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

/** Verifies a certificate's signature and prints the result. An invalid one sets exit code 1. */
export function check(service: Service, file: string, options: ParityOptions): void {
  const { signed, text } = checkCertificate(file, resolve(service.settings().SEVENGATE_HOME), options.keys ?? null);
  if (options.json) process.stdout.write(`${JSON.stringify({ certificate: file, signed, text })}\n`);
  else
    process.stdout.write(
      signed.length === 0 ? `${file} has no valid signature of a known key\n` : `${text}signed by ${signed.join(', ')}\n`,
    );
  if (signed.length === 0) process.exitCode = 1;
}
