/** Layers over an instrument's candles: sessions of its share, premium, entries of open positions, one agent's view. */
import { useMemo } from 'react';
import { readSymbol } from '../../words.js';
import { useAgent, useOverlay } from '../agents/data.ts';
import type { Rules } from '../agents/rules.ts';
import type { CatalogEntry } from '../api.ts';
import { benchmarkKey } from '../catalog.ts';
import { openSetting } from '../kept-settings.ts';
import { useStore } from '../kit/store.ts';
import { IS_REPLAY } from '../replay/mode.ts';
import { type Timeframe, useBars } from './bars.ts';
import { sessionAt } from '../../../src/domain/market/session.ts';
import { type Close, premiumPoints } from './layer-points.ts';
import { usePortfolio } from '../panels/positions.tsx';
import type { ChartCurve } from './price-chart.ts';

/** Agent whose decisions and indicators the chart shows. Empty for no agent. */
export const shownAgent = openSetting('chart-agent', '');

const NO_RULES = { universe: [], entry: [], exit: [], stopLossPct: 0, takeProfitPct: 0 } as unknown as Rules;
const SHADES = { CLOSED: '--shade', PRE_MARKET: '--shade-soft', POST_MARKET: '--shade-soft', REGULAR: null } as const;

/** True for a token or perpetual of an exchange-listed share, which moves differently while the exchange is closed. */
const followsExchange = (entry: CatalogEntry | undefined): boolean =>
  entry?.kind === 'tokenized_equity' || (entry?.kind === 'perp' && entry.instrument.startsWith('xyz:'));

/** Returns the colour of a bar by its open time and the exchange session. */
export const createShade = (entry: CatalogEntry | undefined, timeframe: Timeframe): ((openAt: number) => string | null) =>
  followsExchange(entry) && timeframe !== '24h' ? (at) => SHADES[sessionAt(at)] : () => null;

/** Draws the premium of a token in a pane of its own. Without a reference there is none. */
export function usePremium(
  entry: CatalogEntry | undefined,
  timeframe: Timeframe,
  bars: readonly Close[] | undefined,
): readonly ChartCurve[] {
  const benchmark = benchmarkKey(entry);
  const { data: references } = useBars(benchmark === '' || IS_REPLAY ? null : benchmark, timeframe);
  return useMemo(() => {
    const points = premiumPoints(bars ?? [], references ?? []);
    return points.length === 0 ? [] : [{ name: 'premium %', points, isPrice: false }];
  }, [bars, references]);
}

/** Draws the entry price of each open position in the instrument. */
export function useEntries(key: string) {
  const { data } = usePortfolio();
  return useMemo(
    () =>
      (data?.holdings ?? []).flatMap(({ instrument, quantity, costUsd, side }) =>
        instrument !== key || costUsd === null
          ? []
          : [{ price: Math.abs(Number(costUsd) / Number(quantity)), title: `${side} ${readSymbol(key)}`, ink: '--accent' }],
      ),
    [data, key],
  );
}

/** Draws decisions and indicators of the chosen agent if it trades the instrument. */
export function useShownOverlay(key: string) {
  const id = useStore(shownAgent);
  const { data: agent } = useAgent(id);
  return useOverlay(id, (agent?.manifest as unknown as Rules | undefined) ?? NO_RULES, key);
}
