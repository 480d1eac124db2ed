/**
 * Backtests of drafts: limited in time, off the main loop, and never evidence for a gate. A new preview cancels the subject's earlier
 * one. An organization runs one at a time, and the process as many as configured.
 */
import type { EvaluationRunner } from '../../../actors/evaluation/run-worker.ts';
import type { MissingHistory } from '../../domain/backtest/missing-history.ts';
import { PREVIEW_LIMITS, type Preview, type PreviewEnding, type PreviewResult } from '../../domain/backtest/preview.ts';
import type { BacktestRequest } from '../../domain/backtest/request.ts';
import { type Manifest, manifestHash } from '../../domain/manifest/manifest.ts';
import type { Stretch } from '../../domain/values/stretches.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { BacktestResult } from './run.ts';
import { entryRulesInWords } from '../../domain/agents/why-no-trades.ts';

interface PreviewAsked {
  readonly orgId: string;
  readonly subject: string;
  readonly manifest: Manifest;
  readonly request: BacktestRequest;
}

/** Creates the previews. @param deps `atOnce` is the number of previews that run at a time, each in its own thread */
export function createBacktestPreviews(deps: {
  readonly runner: EvaluationRunner;
  readonly missing: (manifest: Manifest, stretch: Stretch) => Promise<readonly MissingHistory[]>;
  readonly clock: { now(): EpochMs; deadline(at: EpochMs, call: () => void): () => void };
  readonly atOnce: number;
}) {
  const { clock, runner } = deps;
  const turns = createTurns(deps.atOnce);
  const newest = new Map<string, AbortController>();

  async function work({ orgId, manifest, request }: PreviewAsked, signal: AbortSignal, begunAt: EpochMs): Promise<Omit<Preview, 'tookMs'>> {
    const outcome = await runner({
      runId: 'preview',
      orgId,
      agentId: '',
      manifestVersion: 0,
      manifestHash: manifestHash(manifest),
      manifest,
      request,
      createdAt: begunAt,
      signal,
      progress: () => {},
    });
    const stretch = { from: Date.parse(request.from), to: Date.parse(request.to) };
    const missing = await deps.missing(manifest, stretch);
    if (!outcome.ok) return { ...without({ code: outcome.code, detail: outcome.detail }), missing };
    const result = JSON.parse(outcome.result) as BacktestResult;
    return { result: shortened(result), ending: null, whyNoTrades: whyNoTrades(result), missing };
  }

  return {
    /** Runs a preview within its time limit. Ends early with the caller's signal. @throws Error for a defect */
    async run(asked: PreviewAsked, gone: AbortSignal): Promise<Preview> {
      const begunAt = clock.now();
      const abort = new AbortController();
      const who = `${asked.orgId} ${asked.subject}`;
      newest.get(who)?.abort(SUPERSEDED);
      newest.set(who, abort);
      const cancelDeadline = clock.deadline(begunAt + PREVIEW_LIMITS.runMs, () => abort.abort(OUT_OF_TIME));
      const leave = (): void => abort.abort(GONE);
      gone.addEventListener('abort', leave, { once: true });
      try {
        const begun = await turns.take(asked.orgId, abort.signal);
        const preview =
          begun === 'full' ? without(BUSY) : begun === 'ended' ? without(readReason(abort)) : await work(asked, abort.signal, begunAt);
        return { ...preview, tookMs: clock.now() - begunAt };
      } catch (error) {
        if (!abort.signal.aborted) throw error;
        return { ...without(readReason(abort)), tookMs: clock.now() - begunAt };
      } finally {
        cancelDeadline();
        gone.removeEventListener('abort', leave);
        if (newest.get(who) === abort) newest.delete(who);
        turns.leave(abort.signal);
      }
    },
  };
}

/** Maximum number of trades that a preview lists. */
const TRADES_SHOWN = 200;

function shortened(result: BacktestResult): PreviewResult {
  const { manifestHash: hash, from, to, timeframe, bars, capitalUsd, finalEquityUsd, performance, benchmark, trades } = result;
  return {
    manifestHash: hash,
    from,
    to,
    timeframe,
    bars,
    capitalUsd,
    finalEquityUsd,
    returnPct: performance.returnPct,
    benchmarkReturnPct: benchmark.returnPct,
    maxDrawdownPct: performance.maxDrawdownPct,
    closedTrades: trades.closed,
    openTrades: trades.open,
    hitRatePct: trades.hitRatePct,
    daily: result.daily.map(({ date, equityUsd, highUsd }) => ({ date, equityUsd, highUsd })),
    trades: trades.list
      .slice(0, TRADES_SHOWN)
      .map(({ instrument, decidedAt, entryPrice, exitDecidedAt, exitPrice, quantity, profitUsd, exitedBy }) => {
        return { instrument, decidedAt, entryPrice, exitDecidedAt, exitPrice, quantity, profitUsd, exitedBy };
      }),
    rules: result.conditions.map(({ side, type, threshold, evaluated, passed, unknown }) => {
      return { side, type, threshold, evaluated, passed, unknown };
    }),
  };
}

const SUPERSEDED: PreviewEnding = { code: 'superseded', detail: 'a newer preview replaced this one' };
const GONE: PreviewEnding = { code: 'cancelled', detail: 'the caller has disconnected' };
const OUT_OF_TIME: PreviewEnding = {
  code: 'out_of_time',
  detail: `it did not end within ${PREVIEW_LIMITS.runMs / 1_000} seconds. The data that was read is kept: try again, or request fewer days`,
};
const BUSY: PreviewEnding = { code: 'busy', detail: `${PREVIEW_LIMITS.waiting} previews are waiting already: try again in a few seconds` };

function without(ending: PreviewEnding): Omit<Preview, 'tookMs'> {
  return { result: null, ending, whyNoTrades: [], missing: [] };
}

function readReason(abort: AbortController): PreviewEnding {
  return abort.signal.reason as PreviewEnding;
}

interface Turn {
  readonly orgId: string;
  readonly signal: AbortSignal;
  begin(): void;
}

/** Creates the queue of previews, oldest first, with one turn at a time per organization. A turn is identified by its signal. */
function createTurns(atOnce: number) {
  const running = new Map<AbortSignal, string>();
  let waiting: readonly Turn[] = [];

  function next(): void {
    while (running.size < atOnce) {
      const busy = new Set(running.values());
      const turn = waiting.find(({ orgId }) => !busy.has(orgId));
      if (turn === undefined) return;
      waiting = waiting.filter((one) => one !== turn);
      running.set(turn.signal, turn.orgId);
      turn.begin();
    }
  }

  return {
    /** Waits for a turn. Returns `begun` when it starts, `ended` if the signal aborts first, `full` if too many wait. */
    async take(orgId: string, signal: AbortSignal): Promise<'begun' | 'ended' | 'full'> {
      if (waiting.length >= PREVIEW_LIMITS.waiting) return 'full';
      await new Promise<void>((resolve) => {
        const turn: Turn = { orgId, signal, begin: resolve };
        waiting = [...waiting, turn];
        const end = (): void => {
          waiting = waiting.filter((one) => one !== turn);
          resolve();
        };
        signal.addEventListener('abort', end, { once: true });
        next();
      });
      return running.has(signal) ? 'begun' : 'ended';
    },
    leave(signal: AbortSignal): void {
      if (running.delete(signal)) next();
    },
  };
}

/** Returns one sentence per reason, the strictest first, or an empty list if there was a trade. */
export function whyNoTrades({
  trades,
  conditions,
  blocked,
  missed,
}: Pick<BacktestResult, 'trades' | 'conditions' | 'blocked' | 'missed'>): readonly string[] {
  if (trades.closed + trades.open > 0) return [];
  const asked = [...stopped(blocked, 'risk refused'), ...stopped(missed, 'no order came about')];
  // If proposals were blocked, that is the reason, and not rules that failed elsewhere.
  if (asked.length > 0) return asked;
  return entryRulesInWords(
    conditions.filter(({ side }) => side === 'entry').map((rule) => ({ ...rule, instrument: null, causes: new Map() })),
  );
}

function stopped(counts: Readonly<Record<string, number>>, what: string): string[] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `The rules asked to enter, and ${what} at ${count === 1 ? 'one look' : `${count} looks`}: ${reason}.`);
}
