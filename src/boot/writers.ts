/** The writers of a process: no other process of the service needs to be able to read their keys. */
import type { Writer } from '../domain/trail/batch.ts';
import type { Role } from './config.ts';

/** The keys that a process of these roles opens. */
export function writersOf(roles: readonly Role[]): readonly Writer[] {
  const writers = new Set<Writer>();
  if (roles.includes('feed')) writers.add('feed');
  // A process that runs actors assesses their gates, and so does one that serves their commands.
  if (roles.includes('worker')) for (const writer of ['worker', 'evaluator', 'log'] as const) writers.add(writer);
  if (roles.includes('api') || roles.includes('sandbox')) for (const writer of ['api', 'evaluator'] as const) writers.add(writer);
  return [...writers];
}
