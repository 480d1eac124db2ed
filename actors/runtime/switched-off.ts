/** Commands of what is not set up: what would begin something is refused, and what would go on says first whether that is there. */
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';

interface SwitchedOff {
  begin(): Promise<Outcome<never>>;
  goOn(context: { readonly orgId: string }, id: string): Promise<Outcome<never>>;
}

/** @param detail which setting is missing. @param nothing what is told of an id that there is nothing with. */
export function switchedOff(detail: string, nothing: string, find: (orgId: string, id: string) => Promise<unknown>): SwitchedOff {
  const begin = async () => refuse('feature_disabled', detail);
  return { begin, goOn: async ({ orgId }, id) => ((await find(orgId, id)) === null ? refuse('not_found', nothing) : begin()) };
}
