/** Replay session in its thread: reads the stored history, serves slots until all are answered, and computes the outcome. */
import type { MessagePort } from 'node:worker_threads';
import type { ThreadPost } from '../evaluation-thread.ts';
import { type BacktestOutcome, insufficiency } from '../backtest/backtest-work.ts';
import { readInputs } from '../backtest/from-history.ts';
import { backtestNeeds } from '../backtest/needs.ts';
import type { TrialsAsked } from '../backtest/run.ts';
import type { BacktestReads } from '../../adapters/store/candles/backtest-reads.ts';
import type { AgreementAsked, AgreementFound } from './agreement-runner.ts';
import { AgreementSession } from './agreement-session.ts';
import type { ThreadAnswer, ThreadAsk } from './replay-host.ts';
import type { ReplayAsked } from './replay-runner.ts';
import { ReplaySession } from './replay-session.ts';
import type { BlindSteps } from './blind-steps.ts';

/** Runs a replay session. `port` delivers the steps; `post` receives progress. */
export async function workReplay(
  reads: BacktestReads,
  asked: ReplayAsked & { readonly trials: TrialsAsked },
  port: Pick<MessagePort, 'on' | 'off' | 'postMessage'>,
  post: (message: ThreadPost<BacktestOutcome>) => void,
): Promise<BacktestOutcome> {
  const { manifest, request, agentId, seed } = asked;
  const { timeframe } = manifest;
  const told = (what: string) => (done: number, total: number) => post({ kind: 'progress', done, total, what });
  const inputs = await readInputs(reads, backtestNeeds(manifest, timeframe), asked, told('reading bars'));
  const refused = insufficiency({ manifest, request, timeframe, inputs });
  if (refused !== null) return refused;
  const session = new ReplaySession({ agentId, manifest, request, inputs, seed }, told('drawing paths'));
  await answered(session.steps, port, told('answering slots'));
  return session.outcome(asked.trials);
}

export async function workAgreement(
  reads: BacktestReads,
  asked: AgreementAsked,
  port: Pick<MessagePort, 'on' | 'off' | 'postMessage'>,
  post: (message: ThreadPost<AgreementFound>) => void,
): Promise<AgreementFound> {
  const { manifest, request, agentId, passed, disguise } = asked;
  const told = (what: string) => (done: number, total: number) => post({ kind: 'progress', done, total, what });
  const inputs = await readInputs(reads, backtestNeeds(manifest, manifest.timeframe), asked, told('reading bars'));
  const work = { agentId, manifest, request, inputs, seed: passed.seed };
  const session = new AgreementSession(work, passed, disguise, told('drawing paths'));
  if (!session.isSameHistory) return null;
  await answered(session.steps, port, told('answering slots'));
  return session.result();
}

/** Resolves when all slots are answered. */
export function answered(
  session: BlindSteps,
  port: Pick<MessagePort, 'on' | 'off' | 'postMessage'>,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  return new Promise((resolve) => {
    const take = ({ ask, step }: ThreadAsk): void => {
      const outcome = step === null ? { ok: true as const, value: session.current() } : session.answer(step.step, step.answers);
      port.postMessage({ kind: 'answer', ask, outcome } satisfies ThreadAnswer);
      onProgress(...session.progress());
      if (!session.isDone) return;
      port.off('message', take);
      resolve();
    };
    port.on('message', take);
    port.postMessage({ kind: 'ready' });
  });
}
