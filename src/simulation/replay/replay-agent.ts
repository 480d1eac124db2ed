/** Agents that exist only in a replay. */
import type { Autonomy } from '../../domain/agents/agent.ts';
import { decisionId, GENESIS_HASH } from '../../domain/agents/decision.ts';
import { type Manifest, manifestHash } from '../../domain/manifest/manifest.ts';
import type { TapeAgent } from '../../domain/tape/tape.ts';

/** Organization of these agents. */
const REPLAY_ORG = '00000000-0000-7000-8000-000000000000';

/** Creates an agent. Its id is derived from the manifest and its index among the replay's agents. */
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
