/** The launch of a route that follows a bonding curve. */
import { NO_LAUNCH } from '../../../actors/launch/commands.ts';
import type { Launch } from '../../../actors/launch/resource.ts';
import type { LaunchReads } from '../../../src/adapters/store/launches/launch-store.ts';
import { type Outcome, refuse } from '../../../src/domain/values/refusal.ts';

/** @param id null if the path holds none. Refuses a launch that there is not, and one whose token trades on no curve. */
export async function curveLaunch(reads: LaunchReads, orgId: string, id: string | null): Promise<Outcome<Launch>> {
  const launch = id === null ? null : await reads.find(orgId, id);
  if (launch === null) return refuse('not_found', NO_LAUNCH);
  if (launch.kind === 'launcher') return refuse('state_conflict', 'tokens of the external launcher have no curve here');
  return { ok: true, value: launch };
}
