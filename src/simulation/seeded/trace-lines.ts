/** Trace of a seeded run as lines of text. Equal seeds give equal lines, which one hash verifies. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../domain/values/canonical-json.ts';
import { isoTime } from '../../domain/values/time.ts';
import type { Outcome } from './simulate.ts';

/** Returns the events of a run, one per line: faults, decisions in commit order, fills, proposals and books. */
export function traceLines({ faults, rows, trading, incidents, failures }: Outcome): readonly string[] {
  const json = (value: object): string => canonicalJson(value);
  return [
    ...faults.map((fault) => `fault ${isoTime(fault.at)} ${json(fault)}`),
    ...rows.map(
      ({ slot, agentId, disposition, reason, instrument, hash, committedAt }) =>
        `decision ${isoTime(slot)} ${agentId} ${disposition} ${reason ?? '-'} ${instrument ?? '-'} ${committedAt - slot} ms ${hash}`,
    ),
    ...trading.fills.map(({ fill }) => `fill ${isoTime(fill.at)} ${json(fill)}`),
    ...trading.proposals.map(
      ({ agentId, order, reason }, place) => `proposal ${agentId} ${order.id} ${trading.states[place]} ${reason ?? '-'}`,
    ),
    ...[...trading.books.values()].map((book) => `book ${json(book)}`),
    `end ${trading.halts} halts, ${trading.cancelledByHalts} cancelled by them, ${incidents} incidents, ${failures.length} failures`,
  ];
}

/** Returns the SHA-256 over the lines, hexadecimal. */
export function traceHash(lines: readonly string[]): string {
  const digest = createHash('sha256');
  for (const line of lines) digest.update(`${line}\n`);
  return digest.digest('hex');
}
