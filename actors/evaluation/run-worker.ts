/**
 * Runs evaluations: claims queued runs while it has room, works on them under a lease, and delivers their results. A run whose worker died
 * is claimed again after its lease. The same work gives the same result.
 */
import type { Trial } from '../../src/domain/backtest/daily-returns.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { EvidenceDraft } from '../../src/domain/agents/evidence.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import { evaluationProgress, type ToldProgress, type WorkProgress } from '../../src/domain/values/work-progress.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { runEvery } from '../runtime/run-every.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Evaluation } from './machine.ts';

export interface EvaluationJob {
  readonly runId: string;
  readonly orgId: string;
  readonly agentId: string;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  readonly manifest: Manifest;
  readonly request: { readonly [field: string]: Json };
  /** Time of the request. Everything is read as of it. */
  readonly createdAt: number;
  /** Number of earlier starts. */
  readonly attempts?: number;
  /** Aborted if the run was cancelled, its lease was lost or the process stops. The result then no longer counts. */
  readonly signal: AbortSignal;
  /** Reports progress. Calls are throttled. `waitsForWork` names the backfill that the run waits for. */
  readonly progress: (done: number, total: number, what: string, waitsForWork?: string | null) => void;
}

export type EvaluationOutcome =
  | {
      readonly ok: true;
      /** Hash of the whole result. The same job gives the same hash. */
      readonly resultHash: string;
      /** Figures shown in lists. */
      readonly summary: { readonly [name: string]: Json };
      /** The whole result as canonical JSON. */
      readonly result: string;
      /** Report page, or null if it is rendered from the result on request. */
      readonly report: string | null;
      /** Manifests that the run tried on history. */
      readonly trials: readonly Trial[];
      /** Null if the run is not evidence, for example because its range is short. */
      readonly evidence: EvidenceDraft | null;
    }
  /** An expected reason for having no result, such as `insufficient_history`. */
  | { readonly ok: false; readonly code: string; readonly detail: string };

/** Runs one evaluation, off the main loop. @throws for a defect. The run then fails with its message. */
export type EvaluationRunner = (job: EvaluationJob) => Promise<EvaluationOutcome>;

/** A run leased to this process. */
type ClaimedRun = Omit<EvaluationJob, 'signal' | 'progress'> & { readonly evaluation: Evaluation; readonly attempts: number };

/** Published progress of a running evaluation. `since` is the start of its present step (`doing`). */
export type ProgressBody = ToldProgress &
  WorkProgress & {
    readonly what: 'evaluation_progress';
    readonly agentId: string;
    readonly runId: string;
    readonly evaluation: Evaluation;
  };

interface RunStore {
  /** Leases up to `limit` runs to `holder`: queued ones, and running ones whose lease is over. */
  claim(holder: string, limit: number, leaseMs: number): Promise<readonly ClaimedRun[]>;
  /** Extends the leases of these runs. Returns those that this holder still holds and that have not ended. */
  renew(holder: string, runIds: readonly string[], leaseMs: number): Promise<readonly string[]>;
  /** Ends leases at once, so that another process need not wait. */
  release(holder: string, runIds: readonly string[]): Promise<void>;
  /** Stores and publishes the progress of a run. */
  announceProgress(run: ClaimedRun, at: number, body: ProgressBody): Promise<void>;
}

const LOOK_MS = 500;
const LEASE_MS = 15_000;
const RENEW_MS = 4_000;
const PROGRESS_MS = 1_000;
/** Maximum number of starts of a run. After that it has killed its workers or its result could not be written. */
const ATTEMPT_LIMIT = 5;

export interface RunWorker {
  /** Stops the worker. Aborts running work and leaves it to the next worker. */
  stop(): Promise<void>;
}

interface RunWorkerDeps {
  readonly store: RunStore;
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly runners: Readonly<Partial<Record<Evaluation, EvaluationRunner>>>;
  /** Writes evidence. The same draft twice is one row. */
  readonly writeEvidence: (draft: EvidenceDraft) => Promise<unknown>;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly holder: string;
  /** Maximum number of runs at a time. */
  readonly atOnce: number;
  readonly onError: (error: unknown) => void;
}

/** Starts the worker. Runs of a kind that `runners` lacks are refused with `feature_disabled`. */
export function startRunWorker(deps: RunWorkerDeps): RunWorker {
  return new EvaluationRuns(deps);
}

class EvaluationRuns implements RunWorker {
  readonly #deps: RunWorkerDeps;
  readonly #store;
  readonly #runtime;
  readonly #clock;
  readonly #holder;
  readonly #working = new Map<string, { readonly abort: AbortController; readonly done: Promise<void> }>();

  readonly #looking;
  readonly #renewing;

  constructor(deps: RunWorkerDeps) {
    this.#deps = deps;
    const { store, runtime, clock, holder } = deps;
    this.#store = store;
    this.#runtime = runtime;
    this.#clock = clock;
    this.#holder = holder;
    this.#looking = runEvery(clock, 'evaluation runs', LOOK_MS, () => this.#look(), deps.onError);
    this.#renewing = runEvery(clock, 'renewing evaluation runs', RENEW_MS, () => this.#renew(), deps.onError);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#looking.stop(), this.#renewing.stop()]);
    const held = [...this.#working.entries()];
    for (const [, { abort }] of held) abort.abort();
    await Promise.all(held.map(([, { done }]) => done));
    await this.#store.release(
      this.#holder,
      held.map(([runId]) => runId),
    );
  }

  #progressOf(run: ClaimedRun): EvaluationJob['progress'] {
    let told = Number.NEGATIVE_INFINITY;
    let phase: Required<Pick<ToldProgress, 'doing' | 'since' | 'waitsForWork'>> = { doing: '', since: 0, waitsForWork: null };
    return (done, total, what, waitsForWork = null) => {
      const now = this.#clock.now();
      const isLinked = waitsForWork !== phase.waitsForWork;
      if (what !== phase.doing || isLinked) phase = { doing: what, since: what === phase.doing ? phase.since : now, waitsForWork };
      // The end of a quick step is always reported, because the next step may take long.
      if ((now - told < PROGRESS_MS && !isLinked && done < total) || !this.#working.has(run.runId)) return;
      told = now;
      const body: ProgressBody = {
        what: 'evaluation_progress',
        agentId: run.agentId,
        runId: run.runId,
        evaluation: run.evaluation,
        done,
        total,
        ...phase,
        ...evaluationProgress('running', { done, total, ...phase }, now),
      };
      this.#store.announceProgress(run, now, body).catch(this.#deps.onError);
    };
  }

  async #carry(run: ClaimedRun, abort: AbortController): Promise<void> {
    const cause = `worker ${this.#holder}`;
    const begun = await this.#runtime.deliver(run.runId, { type: 'run.begun', holder: this.#holder, at: this.#clock.now() }, { cause });
    if (!begun.ok) return;
    const end = await this.#endOf(run, abort);
    // This process must not end a run that was cancelled or that another process carries on.
    if (abort.signal.aborted || end === null) return;
    if (!end.ok) {
      const event =
        end.code === 'defect' ? { type: 'run.failed', detail: end.detail } : { type: 'run.refused', code: end.code, detail: end.detail };
      await this.#runtime.deliver(run.runId, event, { cause });
      return;
    }
    // Evidence first: a run that says `finished` always has its evidence on record, even if the process dies. Until then it decides no gate.
    if (end.evidence !== null) {
      const refused = await refusedEvidence(this.#deps.writeEvidence(end.evidence));
      if (refused !== null) {
        await this.#runtime.deliver(run.runId, refused, { cause });
        return;
      }
    }
    const { resultHash, summary, result, report, trials } = end;
    await this.#runtime.deliver(
      run.runId,
      { type: 'run.finished', resultHash, summary },
      {
        cause,
        also: () => [
          { type: 'evaluation_report', runId: run.runId, resultHash, result, report },
          ...trials.map(({ manifestHash, sharpe, returns }) => ({
            type: 'trial',
            orgId: run.orgId,
            runId: run.runId,
            manifestHash,
            sharpe,
            ...returns,
          })),
        ],
      },
    );
  }

  async #endOf(run: ClaimedRun, abort: AbortController): Promise<EvaluationOutcome | null> {
    if (run.attempts >= ATTEMPT_LIMIT)
      return {
        ok: false,
        code: 'defect',
        detail: `the run was started ${run.attempts} times and never finished: see the log of the service`,
      };
    const runner = this.#deps.runners[run.evaluation];
    if (runner === undefined)
      return { ok: false, code: 'feature_disabled', detail: `this service does not support evaluations of kind ${run.evaluation}` };
    try {
      return await runner({ ...run, signal: abort.signal, progress: this.#progressOf(run) });
    } catch (error) {
      if (abort.signal.aborted) return null;
      this.#deps.onError(error);
      return { ok: false, code: 'defect', detail: error instanceof Error ? error.message.slice(0, 2_000) : String(error) };
    }
  }

  async #look(): Promise<void> {
    const free = this.#deps.atOnce - this.#working.size;
    if (free <= 0) return;
    for (const run of await this.#store.claim(this.#holder, free, LEASE_MS)) {
      if (this.#working.has(run.runId)) continue;
      const abort = new AbortController();
      const done = this.#carry(run, abort)
        .catch(this.#deps.onError)
        .finally(() => this.#working.delete(run.runId));
      this.#working.set(run.runId, { abort, done });
    }
  }

  async #renew(): Promise<void> {
    const held = [...this.#working.keys()];
    if (held.length === 0) return;
    const kept = new Set(await this.#store.renew(this.#holder, held, LEASE_MS));
    for (const runId of held) if (!kept.has(runId)) this.#working.get(runId)?.abort.abort();
  }
}

/** PostgreSQL's code of a row that violates a check constraint. A retry would fail the same way. */
const CHECK_VIOLATION = '23514';

/** Returns the end of a run whose evidence cannot be accepted, or null if it was. @throws errors that a retry may fix. */
async function refusedEvidence(writing: Promise<unknown>) {
  try {
    await writing;
    return null;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (error.name === 'UnsignedRow') return { type: 'run.refused', code: 'state_conflict', detail: error.message } as const;
    if ((error as { code?: string }).code !== CHECK_VIOLATION) throw error;
    return { type: 'run.failed', detail: `the database refuses its evidence: ${error.message}` } as const;
  }
}
