/** Which manifests backtests, sweeps and previews have tried: what luck is measured by. */
import type { PreviewedManifest } from '../../../../api/v1/agents/ports.ts';
import { manifestHash } from '../../../domain/manifest/manifest.ts';
import type { TrialReads, TrialsOf } from '../../../simulation/ports.ts';
import type { Sql } from '../database.ts';

export function createTrialReads(sql: Sql): TrialReads {
  return {
    /**
     * Each manifest counts once, by its hash, with the ratio of its last run; one that was only previewed has none. Rules of the same types are one family,
     * whatever their thresholds, their universe and their timeframe: a copy of an agent does not begin anew.
     */
    async otherTrials(
      { orgId, agentId, manifestVersion, createdAt }: TrialsOf,
      hashes: readonly string[],
    ): Promise<readonly (number | null)[]> {
      const rows = await sql<{ sharpe: number | null }[]>`
        with families as (
          select m.agent_id, m.version, array(select distinct e ->> 'type' from jsonb_array_elements(m.canonical::jsonb -> 'entry') e order by 1) as entry,
            array(select distinct e ->> 'type' from jsonb_array_elements(m.canonical::jsonb -> 'exit') e order by 1) as exit
          from manifests m join agents a on a.id = m.agent_id where a.org_id = ${orgId}
        ), runs as (
          select r.* from evaluation_runs r
          join families f on f.agent_id = r.agent_id and f.version = r.manifest_version
          join families own on own.agent_id = ${agentId} and own.version = ${manifestVersion}
          where r.org_id = ${orgId} and r.state = 'finished' and r.created_at < ${createdAt} and r.evaluation in ('backtest', 'sweep')
            and (r.agent_id = ${agentId} or (f.entry, f.exit) = (own.entry, own.exit))
        ), trials as (
          select manifest_hash, (summary ->> 'sharpe')::float8 as sharpe, true as ran, created_at, id from runs where evaluation = 'backtest'
          union all
          select t ->> 'manifestHash', (t ->> 'sharpe')::float8, true, r.created_at, r.id
          from runs r join evaluation_reports p on p.run_id = r.id, jsonb_array_elements(p.result::jsonb -> 'trials') t
          where r.evaluation = 'sweep'
          union all
          select p.manifest_hash, null, false, p.at, null from previewed_manifests p
          join families own on own.agent_id = ${agentId} and own.version = ${manifestVersion}
          where p.org_id = ${orgId} and p.at < ${createdAt} and (p.agent_id = ${agentId} or (p.entry_types, p.exit_types) = (own.entry, own.exit))
        )
        select distinct on (manifest_hash) sharpe from trials where manifest_hash <> all(${hashes as string[]}::text[])
        order by manifest_hash, ran desc, created_at desc, id desc`;
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
