/** Reads the launch of a route that needs a bonding curve. */
import { NO_LAUNCH } from '../../../actors/launch/commands.ts';
import type { Launch } from '../../../actors/launch/resource.ts';
import type { LaunchReads } from '../../../src/adapters/store/launches/launch-store.ts';
import { type Outcome, refuse } from '../../../src/domain/values/refusal.ts';

/** Returns the launch. Refuses an unknown launch, and one whose token trades on no curve. @param id Null if the path has no valid id. */
export async function curveLaunch(reads: LaunchReads, orgId: string, id: string | null): Promise<Outcome<Launch>> {
  const launch = id === null ? null : await reads.find(orgId, id);
  if (launch === null) return refuse('not_found', NO_LAUNCH);
  if (launch.kind === 'launcher') return refuse('state_conflict', 'tokens of the external launcher have no curve here');
  return { ok: true, value: launch };
}
