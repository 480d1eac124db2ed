/**
 * Manifests that backtests, sweeps and previews have tried, with their periods (migrations/0009_gates.sql), for the correction for multiple
 * trials.
 */
import type { DailyReturns } from '../../../domain/backtest/daily-returns.ts';
import { type Manifest, manifestHash } from '../../../domain/manifest/manifest.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Json } from '../../../domain/values/canonical-json.ts';
import type { Sql } from '../database.ts';
import { writeTrials } from './evaluation-records.ts';

/** Manifest that was simulated during editing. `agentId` is the agent that it would become a version of, or null. */
interface PreviewedManifest {
  readonly agentId: string | null;
  readonly manifest: Manifest;
  readonly at: EpochMs;
  readonly returns: DailyReturns;
}

/** Query for a run's family among the trials requested before it. It is plain JSON, because it crosses into a thread. */
export interface TrialsOf {
  readonly orgId: string;
  readonly agentId: string;
  readonly createdAt: EpochMs;
  /** Manifests that the run itself tries. */
  readonly hashes: readonly string[];
  /** Request of the run: range, timeframe and assumptions. */
  readonly request: { readonly [name: string]: Json };
}

/** Creates the reads of earlier trials, by which luck is measured. */
export function createTrialReads(sql: Sql) {
  return {
    /**
     * Returns the Sharpe ratios of the other trials. A trial is a manifest over a range in a finished backtest, sweep or preview of the
     * organization whose daily returns correlate by 0.5 or more with these, excluding the run's own manifests over its own range. A ratio
     * is null if it is undefined, for previews, and for further ranges of one manifest, which do not show how manifests differ.
     */
    async otherTrials(
      { orgId, agentId, createdAt, request, hashes }: TrialsOf,
      { firstDay, returns }: DailyReturns,
    ): Promise<readonly (number | null)[]> {
      const byDay = `{${returns.map((one) => one ?? 'NULL').join(',')}}`;
      const rows = await sql<{ sharpe: number | null }[]>`
        select o.sharpe from agents a, other_trials(a.id, ${createdAt}, ${hashes as string[]}::text[],
          trial_stretch(${sql.json(request)}::jsonb), ${firstDay}, ${byDay}::text::real[]) o where a.id = ${agentId} and a.org_id = ${orgId}`;
      return rows.map(({ sharpe }) => sharpe);
    },
  };
}

export type TrialReads = ReturnType<typeof createTrialReads>;

/** Creates the store of manifests that were simulated during editing. */
export function createPreviewStore(sql: Sql) {
  return {
    /** Records a manifest once per agent, or once without an agent. */
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
