/** Bars of what an actor trades, with what it did there and the instant that is looked at. */
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { barLength } from '../../timeframes.js';
import { symbolOf } from '../../words.js';
import { type Timeframe, useBars } from '../panels/bars.ts';
import { PriceChart } from '../panels/price-chart.ts';
import type { Traded } from './subject.ts';

const INKS: { readonly [colour: string]: string } = { accent: '--accent', good: '--up', bad: '--down', warn: '--warn' };

interface Props {
  readonly traded: Traded & { readonly key: string };
  readonly timeframe: Timeframe;
  /** Null for the present. */
  readonly at: number | null;
}

export function ActorPrice({ traded: { key, marks, lines }, timeframe, at }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<PriceChart | null>(null);
  const scheme = useComputedColorScheme('dark');
  const { data: bars, error, isPending } = useBars(key, timeframe);
  useEffect(() => {
    if (place.current === null) return;
    chart.current = new PriceChart(place.current);
    return () => chart.current?.end();
  }, []);
  useEffect(() => chart.current?.setBars(bars ?? [], barLength(timeframe)), [bars, timeframe]);
  useEffect(() => {
    chart.current?.paint();
    chart.current?.setMarks(marks);
    chart.current?.setLevels(lines.map(({ price, title, colour }) => ({ price: Number(price), title, ink: INKS[colour] ?? '--text-2' })));
  }, [marks, lines, bars, scheme]);
  useEffect(() => chart.current?.pointAt(at), [at, bars]);
  return (
    <div className="chart-place">
      <div ref={place} className="chart-canvas" role="img" aria-label={`${symbolOf(key)}, ${timeframe}, with what the actor did`} />
      {bars?.length === 0 && <p className="empty chart-note">No bars of {symbolOf(key)} yet.</p>}
      {error !== null && <p className="empty chart-note">This venue has no candles.</p>}
      {isPending && <p className="empty chart-note">Reading bars…</p>}
      <a className="attribution" href="https://www.tradingview.com/" rel="noopener noreferrer" target="_blank">
        TradingView Lightweight Charts™
      </a>
    </div>
  );
}
