/** The candle chart of the chosen instrument, with the bar that is forming and the fills of people and agents. */
import { SegmentedControl, useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { barLength, TIMEFRAMES } from '../../timeframes.js';
import { symbolOf } from '../../words.js';
import { createKeptStore, useStore } from '../kit/store.ts';
import { feed, priceOf, useQuote } from '../market.ts';
import { instrument } from '../place.ts';
import { useBars } from './bars.ts';
import { useFills } from './fills.tsx';
import { PriceChart } from './price-chart.ts';

const NAMES = TIMEFRAMES.map(([name]) => name);

const chosen = createKeptStore('sevengate.terminal.timeframe', '5m');

export function Candles() {
  const key = useStore(instrument);
  const kept = useStore(chosen);
  const timeframe = NAMES.find((name) => name === kept) ?? '5m';
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<PriceChart | null>(null);
  const scheme = useComputedColorScheme('dark');
  const { data, error, isPending } = useBars(key, timeframe);
  const quote = useQuote(key);
  const fills = useFills();
  useEffect(() => {
    if (place.current === null) return;
    chart.current = new PriceChart(place.current);
    return () => chart.current?.end();
  }, []);
  useEffect(() => chart.current?.paint(), [scheme]);
  useEffect(() => chart.current?.setBars(data ?? [], barLength(timeframe)), [data, timeframe]);
  useEffect(() => chart.current?.setFills(fills.filter((fill) => fill.instrument === key)), [fills, key, data]);
  useEffect(() => {
    const price = priceOf(quote);
    if (price !== null) chart.current?.form(Number(price), feed.now());
  }, [quote, data]);
  return (
    <div className="chart-place">
      <SegmentedControl
        withItemsBorders={false}
        size="xs"
        className="timeframes"
        aria-label="Timeframe"
        data={NAMES}
        value={timeframe}
        onChange={chosen.set}
      />
      <div
        ref={place}
        className="chart-canvas"
        role="img"
        aria-label={`Candles of ${symbolOf(key)}, ${timeframe}`}
        data-bars={data?.length ?? 0}
      />
      {data?.length === 0 && <p className="empty chart-note">No bars of {symbolOf(key)} yet.</p>}
      {error !== null && <p className="empty chart-note">This venue has no candles.</p>}
      {isPending && <p className="empty chart-note">Reading bars…</p>}
      <a className="attribution" href="https://www.tradingview.com/" rel="noopener noreferrer" target="_blank">
        TradingView Lightweight Charts™
      </a>
    </div>
  );
}
