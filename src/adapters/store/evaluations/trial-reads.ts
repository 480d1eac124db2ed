/** Which manifests backtests, sweeps and previews have tried, and over which stretches (migrations/0009_gates.sql): what luck is measured by. */
import type { PreviewedManifest } from '../../../../api/v1/agents/ports.ts';
import { manifestHash } from '../../../domain/manifest/manifest.ts';
import type { TrialReads } from '../../../simulation/ports.ts';
import type { Sql } from '../database.ts';

export function createTrialReads(sql: Sql): TrialReads {
  return {
    async otherTrials({ orgId, agentId, manifestVersion, createdAt, request }, hashes) {
      const rows = await sql<{ sharpe: number | null }[]>`
        select o.sharpe from agents a, other_trials(a.id, ${manifestVersion}, ${createdAt}, ${hashes as string[]}::text[],
          trial_stretch(${sql.json(request as never)}::jsonb)) o where a.id = ${agentId} and a.org_id = ${orgId}`;
      return rows.map(({ sharpe }) => sharpe);
    },
  };
}

/** What was simulated while it was written. */
export function createPreviewStore(sql: Sql) {
  return {
    /** The same manifest for the same agent, or for none, is noted once. */
    async notePreview(orgId: string, { agentId, manifest, at }: PreviewedManifest): Promise<void> {
      const types = (rules: readonly { readonly type: string }[]) =>
        sql`array(select distinct unnest(${rules.map(({ type }) => type)}::text[]) order by 1)`;
      await sql`
        insert into previewed_manifests (org_id, agent_id, manifest_hash, entry_types, exit_types, at)
        values (${orgId}, ${agentId}, ${manifestHash(manifest)}, ${types(manifest.entry)}, ${types(manifest.exit)}, ${at})
        on conflict do nothing`;
    },
  };
}
