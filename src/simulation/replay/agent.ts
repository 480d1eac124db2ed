/** Agents that exist in a replay only. */
import type { Autonomy } from '../../domain/agents/agent.ts';
import { decisionId, GENESIS_HASH } from '../../domain/agents/decision.ts';
import { type Manifest, manifestHash } from '../../domain/manifest/manifest.ts';
import type { TapeAgent } from '../../domain/tape/tape.ts';

/** The organization of such agents. */
const REPLAY_ORG = '00000000-0000-7000-8000-000000000000';

/** The id follows from the manifest and its place among the agents of the replay. */
export function replayAgent(manifest: Manifest, place: number, autonomy: Autonomy): TapeAgent {
  return {
    id: decisionId(`replay ${manifestHash(manifest)}`, place),
    orgId: REPLAY_ORG,
    manifest,
    manifestVersion: 1,
    autonomy,
    stage: 'draft',
    tickFrom: null,
    tickUntil: null,
    previousHash: GENESIS_HASH,
    snapshot: null,
  };
}
