/** The trace of a seeded run as lines of text: the same seed gives the same lines, and one hash says whether it did. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../domain/values/canonical-json.ts';
import { isoTime } from '../../domain/values/time.ts';
import type { Outcome } from './world.ts';

/** Returns the events of a run, one line each: faults, decisions in the order of their commits, fills, proposals and books. */
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

/** SHA-256 over the lines, hexadecimal. */
export function traceHash(lines: readonly string[]): string {
  const digest = createHash('sha256');
  for (const line of lines) digest.update(`${line}\n`);
  return digest.digest('hex');
}
