/** Agreement sessions: the beginning of a passed session, shown again while the agent trades. */
import type { Worker } from 'node:worker_threads';
import type { EvaluationJob, EvaluationOutcome, EvaluationRunner } from '../../../actors/evaluation/run-worker.ts';
import { type Agreement, agreementInWords } from '../../domain/backtest/agreement.ts';
import type { BacktestRequest } from '../../domain/backtest/request.ts';
import { canonicalJson, sha256Hex } from '../../domain/values/canonical-json.ts';
import { type BacktestRunnerOptions, fetchNeeds } from '../backtest/backtest-runner.ts';
import type { BacktestJob } from '../backtest/from-history.ts';
import { backtestNeeds } from '../backtest/needs.ts';
import type { PassedSession } from './agreement-session.ts';
import { inSession, type Sessions } from './in-session.ts';
import { HOUR_MS } from '../../domain/values/time.ts';

/** Request to the thread of an agreement session, as plain JSON. */
export interface AgreementAsked extends Omit<BacktestJob, 'trials'> {
  readonly agentId: string;
  readonly passed: PassedSession;
  /** Seed of the shown names, dates and levels. */
  readonly disguise: string;
}

/** Result of the comparison, or null if the history differs from the passed session's. */
export type AgreementFound = Agreement | null;

interface AgreementRunnerOptions extends Pick<BacktestRunnerOptions, 'fetcher' | 'onMissing'>, Sessions {
  /** Returns a passed session of the agent with its request, or null if it has no stored answers. */
  readonly passedSession: (
    agentId: string,
    runId: string,
  ) => Promise<{ readonly request: BacktestRequest; readonly createdAt: number; readonly passed: PassedSession } | null>;
  readonly inThread: (
    asked: AgreementAsked,
    job: Pick<EvaluationJob, 'signal' | 'progress'>,
    beside: (worker: Worker) => void,
  ) => Promise<AgreementFound>;
}

/** Terms of the session. Trading code must answer within an hour. */
const TERMS = { idleMs: HOUR_MS, countsAs: 'it counts as disagreement' };

export function createAgreementRunner(options: AgreementRunnerOptions): EvaluationRunner {
  return (job) =>
    inSession(
      options,
      job,
      async ({ seed, signal, attach }) => {
        const { agentId, manifest, progress } = job;
        const known = await options.passedSession(agentId, String(job.request['of']));
        if (known === null)
          return {
            ok: false,
            code: 'disagreed',
            detail: 'the session that passed has no stored answers to compare with: the code must pass again',
          };
        const { request, createdAt, passed } = known;
        const funding = await fetchNeeds(options, backtestNeeds(manifest, manifest.timeframe), request, job);
        const asked = { manifest, request, funding, createdAt, agentId, passed, disguise: seed };
        return toOutcome(await options.inThread(asked, { signal, progress }, attach));
      },
      TERMS,
    );
}

function toOutcome(found: AgreementFound): EvaluationOutcome {
  if (found === null)
    return {
      ok: false,
      code: 'history_changed',
      detail: 'the history differs from that of the passed session, so a comparison proves nothing',
    };
  const result = canonicalJson({ ...found });
  const summary = { ...found, verdict: agreementInWords(found) };
  return { ok: true, resultHash: sha256Hex(result), summary, result, report: null, trials: [], evidence: null };
}
