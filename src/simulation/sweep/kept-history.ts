/** Cached history of a variant. Consecutive variants mostly need the same one. */
import type { Variant } from '../../domain/backtest/sweep.ts';
import type { History } from '../backtest/history.ts';
import { backtestNeeds, type InstrumentNeeds } from '../backtest/needs.ts';
import type { Insufficient } from './sweep-work.ts';

type HistoryOf = (variant: Variant) => Promise<History | Insufficient>;

/**
 * Caches the last history, which a variant with equal needs gets again.
 * @param asked timeframe of every variant, or null for each manifest's own
 */
export function keepingLast(
  asked: string | null,
  read: (variant: Variant, needs: readonly InstrumentNeeds[], timeframe: string) => Promise<History | Insufficient>,
): HistoryOf {
  let kept: { readonly name: string; readonly history: History } | null = null;
  return async (variant) => {
    const timeframe = asked ?? variant.manifest.timeframe;
    const needs = backtestNeeds(variant.manifest, timeframe);
    const name = JSON.stringify(needs);
    if (kept?.name === name) return kept.history;
    const history = await read(variant, needs, timeframe);
    if (!('code' in history)) kept = { name, history };
    return history;
  };
}
