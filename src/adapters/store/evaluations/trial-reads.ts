/**
 * Manifests that backtests, sweeps and previews have tried, and their stretches (migrations/0009_gates.sql), from which luck
 * is measured.
 */
import type { DailyReturns } from '../../../domain/backtest/daily-returns.ts';
import { type Manifest, manifestHash } from '../../../domain/manifest/manifest.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { TrialReads } from '../../../simulation/ports.ts';
import type { Sql } from '../database.ts';
import { writeTrials } from './evaluation-records.ts';

/** A manifest that was simulated during editing. `agentId` is the agent of its next version, or null. */
export interface PreviewedManifest {
  readonly agentId: string | null;
  readonly manifest: Manifest;
  readonly at: EpochMs;
  readonly returns: DailyReturns;
}

export function createTrialReads(sql: Sql): TrialReads {
  return {
    async otherTrials({ orgId, agentId, createdAt, request, hashes }, { firstDay, returns }) {
      const byDay = `{${returns.map((one) => one ?? 'NULL').join(',')}}`;
      const rows = await sql<{ sharpe: number | null }[]>`
        select o.sharpe from agents a, other_trials(a.id, ${createdAt}, ${hashes as string[]}::text[],
          trial_stretch(${sql.json(request)}::jsonb), ${firstDay}, ${byDay}::text::real[]) o where a.id = ${agentId} and a.org_id = ${orgId}`;
      return rows.map(({ sharpe }) => sharpe);
    },
  };
}

/** Creates the store of manifests that were simulated while they were edited. */
export function createPreviewStore(sql: Sql) {
  return {
    /** The same manifest for the same agent, or for none, is noted once. */
    async notePreview(orgId: string, { agentId, manifest, at, returns }: PreviewedManifest): Promise<void> {
      const hash = manifestHash(manifest);
      await sql.begin(async (transaction) => {
        await transaction`
          insert into previewed_manifests (org_id, agent_id, manifest_hash, at) values (${orgId}, ${agentId}, ${hash}, ${at}) on conflict do nothing`;
        await writeTrials(transaction, [{ type: 'trial', orgId, runId: null, manifestHash: hash, sharpe: null, ...returns }]);
      });
    },
  };
}

export type PreviewStore = ReturnType<typeof createPreviewStore>;
