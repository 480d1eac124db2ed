/** The candle chart of the chosen instrument, with the bar that is forming and the fills of people and agents. */
import { SegmentedControl, useComputedColorScheme } from '@mantine/core';
import { useEffect } from 'react';
import { TIMEFRAMES } from '../../timeframes.js';
import { symbolOf } from '../../words.js';
import { createKeptStore, useStore } from '../kit/store.ts';
import { feed, priceOf, useQuote } from '../market.ts';
import { instrument } from '../place.ts';
import { CandleFrame, useCandleChart } from './candle-chart.tsx';
import { useFills } from './fills.tsx';

const NAMES = TIMEFRAMES.map(([name]) => name);

const chosen = createKeptStore('sevengate.terminal.timeframe', '5m');

export function Candles() {
  const key = useStore(instrument);
  const kept = useStore(chosen);
  const timeframe = NAMES.find((name) => name === kept) ?? '5m';
  const scheme = useComputedColorScheme('dark');
  const candles = useCandleChart(key, timeframe);
  const { chart, bars } = candles;
  const quote = useQuote(key);
  const fills = useFills();
  useEffect(() => chart.current?.paint(), [scheme]);
  useEffect(() => chart.current?.setFills(fills.filter((fill) => fill.instrument === key)), [fills, key, bars]);
  useEffect(() => {
    const price = priceOf(quote);
    if (price !== null) chart.current?.form(Number(price), feed.now());
  }, [quote, bars]);
  return (
    <CandleFrame of={candles} instrument={key} label={`Candles of ${symbolOf(key)}, ${timeframe}`}>
      <SegmentedControl
        withItemsBorders={false}
        size="xs"
        className="timeframes"
        aria-label="Timeframe"
        data={NAMES}
        value={timeframe}
        onChange={chosen.set}
      />
    </CandleFrame>
  );
}
