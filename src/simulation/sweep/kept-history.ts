/** The history of a variant, kept for the next one: variants mostly look at the same things. */
import type { Variant } from '../../domain/backtest/sweep.ts';
import type { History } from '../backtest/history.ts';
import { backtestNeeds, type InstrumentNeeds } from '../backtest/needs.ts';
import type { Insufficient } from './sweep-work.ts';

type HistoryOf = (variant: Variant) => Promise<History | Insufficient>;

/** Wraps a reading of histories: a variant that needs what the last one needed gets the same history. */
export function keepingLast(
  timeframe: string | null,
  read: (variant: Variant, needs: readonly InstrumentNeeds[]) => Promise<History | Insufficient>,
): HistoryOf {
  let kept: { readonly name: string; readonly history: History } | null = null;
  return async (variant) => {
    const needs = backtestNeeds(variant.manifest, timeframe ?? variant.manifest.timeframe);
    const name = JSON.stringify(needs);
    if (kept?.name === name) return kept.history;
    const history = await read(variant, needs);
    if (!('code' in history)) kept = { name, history };
    return history;
  };
}
