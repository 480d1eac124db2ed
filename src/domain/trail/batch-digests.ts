/** Digests over many rows that are written together and signed as one: decisions of a tick, observations of a cut. */
import { sha256Hex } from '../values/canonical-json.ts';

interface SignedDecision {
  readonly agentId: string;
  readonly slot: number;
  /** SHA-256 in hexadecimal over the whole decision. */
  readonly hash: string;
}

/** Returns the SHA-256 over the lines `agent slot hash`, sorted by slot and agent. */
export function decisionsDigest(decisions: readonly SignedDecision[]): string {
  const ordered = [...decisions].sort((a, b) => a.slot - b.slot || (a.agentId < b.agentId ? -1 : 1));
  let text = '';
  for (const { agentId, slot, hash } of ordered) text += `${agentId} ${slot} ${hash}\n`;
  return sha256Hex(text);
}

/** Returns the SHA-256 over the lines `instrument hash`, sorted by instrument. */
export function cutDigest(observations: readonly { readonly instrument: string; readonly hash: string }[]): string {
  const ordered = [...observations].sort((a, b) => (a.instrument < b.instrument ? -1 : 1));
  return sha256Hex(ordered.map(({ instrument, hash }) => `${instrument} ${hash}\n`).join(''));
}
