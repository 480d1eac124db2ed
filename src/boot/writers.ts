/** Writer keys of a process. No other process of the service needs to read them. */
import type { Writer } from '../domain/trail/batch.ts';
import type { Role } from './config.ts';

/** Returns the writers whose keys a process with these roles opens. */
export function writersOf(roles: readonly Role[]): readonly Writer[] {
  const writers = new Set<Writer>();
  if (roles.includes('feed')) writers.add('feed');
  // Both processes that run actors and those that serve their commands assess gates.
  if (roles.includes('worker')) for (const writer of ['worker', 'evaluator', 'log'] as const) writers.add(writer);
  if (roles.includes('api') || roles.includes('sandbox')) for (const writer of ['api', 'evaluator'] as const) writers.add(writer);
  return [...writers];
}
