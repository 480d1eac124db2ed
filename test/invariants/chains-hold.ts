// I8: every decision's hash matches its row and follows from the previous row; hashed data never changes.
import { createHash } from 'node:crypto';
import type { Sql } from '../../src/adapters/store/database.ts';

/** Last row of each agent's chain at one moment, by agent. */
export type ChainEnds = ReadonlyMap<string, { readonly slot: number; readonly hash: string; readonly length: number }>;

export interface ChainCheck {
  /** Breaks, one sentence each; empty if all chains hold. */
  readonly broken: readonly string[];
  readonly ends: ChainEnds;
}

const NOTHING_BEFORE = '0'.repeat(64);

/**
 * Recomputes every chain from the stored columns with an independent encoding. `before`: ends of an earlier check, which must still hold.
 */
export async function chainsHold(sql: Sql, before: ChainEnds = new Map()): Promise<ChainCheck> {
  const broken: string[] = [];
  const ends = new Map<string, { slot: number; hash: string; length: number }>();
  const stillThere = new Set<string>();
  const rows = sql<
    Record<'agent_id' | 'disposition' | 'outcome' | 'manifest' | 'observed' | 'previous' | 'hash' | 'own_manifest', string>[]
  >`
    select d.agent_id, d.slot, d.disposition, d.reason, d.instrument, d.outcome, d.risk, d.book, encode(d.manifest_hash, 'hex') as manifest,
      encode(d.observed_hash, 'hex') as observed, encode(d.previous_hash, 'hex') as previous, encode(d.hash, 'hex') as hash, m.hash as own_manifest
    from decisions d left join manifests m on m.agent_id = d.agent_id and m.version = d.manifest_version
    order by d.agent_id, d.slot`;
  await rows.cursor(1_000, (batch) => {
    for (const row of batch as unknown as { [column: string]: string | number | null }[]) {
      const agentId = row['agent_id'] as string;
      const slot = row['slot'] as number;
      const hash = row['hash'] as string;
      const end = ends.get(agentId);
      const text = [
        'sevengate-decision-1',
        agentId,
        slot,
        row['manifest'],
        row['observed'],
        row['disposition'],
        row['reason'] ?? '',
        row['instrument'] ?? '',
        row['outcome'],
        row['risk'] ?? '',
        row['book'] ?? '',
        row['previous'],
      ].join('\n');
      if (createHash('sha256').update(text).digest('hex') !== hash)
        broken.push(`agent ${agentId}, slot ${slot}: the hash is not the hash of the row`);
      if (row['previous'] !== (end?.hash ?? NOTHING_BEFORE))
        broken.push(`agent ${agentId}, slot ${slot}: the link does not lead to the row before`);
      if (row['manifest'] !== row['own_manifest']) broken.push(`agent ${agentId}, slot ${slot}: its manifest is not on record`);
      const length = (end?.length ?? 0) + 1;
      ends.set(agentId, { slot, hash, length });
      const known = before.get(agentId);
      if (known?.slot === slot && known.hash === hash && known.length === length) stillThere.add(agentId);
    }
  });
  for (const [agentId, { slot }] of before)
    if (!stillThere.has(agentId)) broken.push(`agent ${agentId}: the chain up to slot ${slot} is not what it was`);
  return { broken, ends };
}
