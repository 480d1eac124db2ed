/** Commands of a capability that is not configured. Refuses what would begin something. For a known id, its own state comes first. */
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';

interface SwitchedOff {
  begin(): Promise<Outcome<never>>;
  goOn(context: { readonly orgId: string }, id: string): Promise<Outcome<never>>;
}

/** Returns such commands. @param detail Names the missing setting. @param nothing Message for an unknown id. */
export function switchedOff(detail: string, nothing: string, find: (orgId: string, id: string) => Promise<unknown>): SwitchedOff {
  const begin = async () => refuse('feature_disabled', detail);
  return { begin, goOn: async ({ orgId }, id) => ((await find(orgId, id)) === null ? refuse('not_found', nothing) : begin()) };
}
