/** Commands of a capability that is not configured. Refuses what would begin something. For a known id, its own state comes first. */
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';

/** Returns such commands. @param detail Names the missing setting. @param nothing Message for an unknown id. */
export function switchedOff(detail: string, nothing: string, find: (orgId: string, id: string) => Promise<unknown>) {
  const begin = async (): Promise<Outcome<never>> => refuse('feature_disabled', detail);
  return {
    begin,
    goOn: async ({ orgId }: { readonly orgId: string }, id: string) =>
      (await find(orgId, id)) === null ? refuse('not_found', nothing) : begin(),
  };
}
