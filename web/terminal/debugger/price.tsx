/** Candle chart of an actor's instrument with its trades and the selected time. */
import { useComputedColorScheme } from '@mantine/core';
import { useEffect } from 'react';
import { readSymbol } from '../../words.js';
import type { Timeframe } from '../chart/bars.ts';
import { CandleFrame, useCandleChart } from '../chart/candle-chart.tsx';
import type { Traded } from './subject.ts';

const INKS: { readonly [colour: string]: string } = { accent: '--accent', good: '--up', bad: '--down', warn: '--warn' };

interface Props {
  readonly traded: Traded & { readonly key: string };
  readonly timeframe: Timeframe;
  /** Null for the present. */
  readonly at: number | null;
}

export function ActorPrice({ traded: { key, marks, lines }, timeframe, at }: Props) {
  const scheme = useComputedColorScheme('dark');
  const candles = useCandleChart(key, timeframe);
  const { chart, bars } = candles;
  useEffect(() => {
    chart.current?.paint();
    chart.current?.setMarks(marks);
    chart.current?.setLevels(lines.map(({ price, title, colour }) => ({ price: Number(price), title, ink: INKS[colour] ?? '--text-2' })));
  }, [marks, lines, bars, scheme]);
  useEffect(() => chart.current?.pointAt(at), [at, bars]);
  return <CandleFrame of={candles} instrument={key} label={`${readSymbol(key)}, ${timeframe}, with what the actor did`} />;
}
