/** Candle chart with its bars, and the frame that explains missing ones. */
import { type ReactNode, useEffect, useRef } from 'react';
import { barLength } from '../../timeframes.js';
import { readSymbol } from '../../words.js';
import { useEntry } from '../catalog.ts';
import { type Timeframe, useBars } from './bars.ts';
import { PriceChart } from './price-chart.ts';
import { countTickDecimals } from './tick.ts';

/** Keeps a chart on the canvas of a {@link CandleFrame} up to date with an instrument's bars. */
export function useCandleChart(key: string | null, timeframe: Timeframe) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<PriceChart | null>(null);
  const { data: bars, error, isPending } = useBars(key, timeframe);
  useEffect(() => {
    if (place.current === null) return;
    chart.current = new PriceChart(place.current);
    return () => chart.current?.end();
  }, []);
  const kind = useEntry(key ?? '')?.kind;
  useEffect(() => {
    const decimals = countTickDecimals(key ?? '', kind, bars?.at(-1)?.close ?? '1');
    chart.current?.setBars(bars ?? [], barLength(timeframe), `${key} ${timeframe}`, decimals);
  }, [bars, key, kind, timeframe]);
  return { place, chart, bars, error, isPending };
}

interface FrameProps {
  readonly of: ReturnType<typeof useCandleChart>;
  readonly instrument: string | null;
  readonly label: string;
  /** Text for a venue without candles. */
  readonly none?: string;
  /** Controls above the canvas. */
  readonly children?: ReactNode;
}

/** Canvas of a chart, with a text while it has no bars. */
export const CandleFrame = ({ of: { place, bars, error, isPending }, instrument, label, none, children }: FrameProps) => (
  <div className="chart-place">
    {children}
    <div ref={place} className="chart-canvas" role="img" aria-label={label} data-bars={bars?.length ?? 0} />
    {bars?.length === 0 && <p className="empty chart-note">No bars of {readSymbol(instrument ?? '')} yet.</p>}
    {error !== null && <p className="empty chart-note">{none ?? 'This venue has no candles.'}</p>}
    {isPending && <p className="empty chart-note">Reading bars…</p>}
    <a className="attribution" href="https://www.tradingview.com/" rel="noopener noreferrer" target="_blank">
      TradingView Lightweight Charts™
    </a>
  </div>
);
