/** Reports of an import to a tape and of a tape's contents, in words. */
import { cutText } from '../../domain/tape/tape.ts';
import type { ImportReport } from './import/import-tape.ts';
import type { TapeInfo } from './tape-info.ts';

export function importText(report: ImportReport): string {
  const skipped = Object.entries(report.skipped).map(([reason, count]) => `  skipped ${count} ${reason}`);
  const rejected = Object.entries(report.rejected).map(([reason, { count, first }]) => `  rejected ${count} ${reason}, first ${first}`);
  return [
    `${report.file}: ${report.events} events of ${report.read} records (${report.format}), ${report.from} to ${report.to}, ${report.bytes} bytes`,
    `  instruments ${report.instruments.slice(0, 12).join(', ')}${report.instruments.length > 12 ? ` and ${report.instruments.length - 12} more` : ''}`,
    ...skipped,
    ...rejected,
  ].join('\n');
}

export function infoText(info: TapeInfo): string {
  const list = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([name, count]) => `  ${String(count).padStart(10)}  ${name}`)
      .join('\n');
  return [
    `${info.file}: ${info.form} tape, ${info.events} events, ${info.from ?? 'empty'}${info.to === null ? '' : ` to ${info.to}`}, ${info.bytes} bytes${cutText(info.cut)}`,
    ...(info.source === null ? [] : [`${info.source}${info.recordedAt === null ? '' : `, recorded at ${info.recordedAt}`}`]),
    list(info.kinds),
    list(info.instruments),
    ...(info.agents.length === 0 ? [] : [`${info.agents.length} agents`]),
  ].join('\n');
}
