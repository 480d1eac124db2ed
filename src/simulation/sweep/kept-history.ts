/** The history of a variant, kept for the next one: variants mostly look at the same things. */
import type { Variant } from '../../domain/backtest/sweep.ts';
import type { History } from '../backtest/history.ts';
import { backtestNeeds, type InstrumentNeeds } from '../backtest/needs.ts';
import type { Insufficient } from './sweep-work.ts';

type HistoryOf = (variant: Variant) => Promise<History | Insufficient>;

/**
 * Wraps a reading of histories: a variant that needs what the last one needed gets the same history.
 * @param asked the timeframe of every variant; null for that of its manifest.
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
