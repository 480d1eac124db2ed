/** Candle chart of the chosen instrument with the forming bar, fills, sessions, premium, and one agent's view. */
import { SegmentedControl, Select, useComputedColorScheme } from '@mantine/core';
import { useEffect } from 'react';
import { TIMEFRAMES } from '../../timeframes.js';
import { readSymbol } from '../../words.js';
import { useEntry } from '../catalog.ts';
import { openSetting } from '../kept-settings.ts';
import { useStore } from '../kit/store.ts';
import { feed, readQuotePrice, useQuote } from '../market.ts';
import { useAgents } from '../organization.ts';
import { instrument } from '../place.ts';
import { CandleFrame, useCandleChart } from './candle-chart.tsx';
import { createShade, shownAgent, useEntries, usePremium, useShownOverlay } from './chart-layers.ts';
import { useFills } from '../panels/fills.tsx';

const NAMES = TIMEFRAMES.map(([name]) => name);
const INKS = { accent: '--accent', good: '--up', bad: '--down' } as const;

const chosen = openSetting('timeframe', '5m');

export function Candles() {
  const key = useStore(instrument);
  const kept = useStore(chosen);
  const timeframe = NAMES.find((name) => name === kept) ?? '5m';
  const candles = useCandleChart(key, timeframe);
  useLayers(candles, key, timeframe);
  return (
    <CandleFrame of={candles} instrument={key} label={`Candles of ${readSymbol(key)}, ${timeframe}`}>
      <div className="timeframes">
        <SegmentedControl withItemsBorders={false} size="xs" aria-label="Timeframe" data={NAMES} value={timeframe} onChange={chosen.set} />
        <ShownAgent />
      </div>
    </CandleFrame>
  );
}

function useLayers({ chart, bars }: ReturnType<typeof useCandleChart>, key: string, timeframe: (typeof NAMES)[number]): void {
  const scheme = useComputedColorScheme('dark');
  const entry = useEntry(key);
  const quote = useQuote(key);
  const fills = useFills();
  const entries = useEntries(key);
  const premium = usePremium(entry, timeframe, bars);
  const overlay = useShownOverlay(key);
  useEffect(() => chart.current?.paint(), [scheme]);
  useEffect(() => chart.current?.setShade(createShade(entry, timeframe)), [entry, timeframe, bars, scheme]);
  useEffect(() => {
    const own = fills.filter((fill) => fill.instrument === key);
    const traded = own.map(({ at, side }) => ({ at: Date.parse(at), kind: side === 'buy' ? ('entry' as const) : ('exit' as const) }));
    chart.current?.setMarks([...traded, ...overlay.marks]);
  }, [fills, key, bars, overlay, scheme]);
  useEffect(() => {
    const limits = overlay.lines.map(({ price, title, colour }) => ({ price: Number(price), title, ink: INKS[colour] }));
    chart.current?.setLevels([...entries, ...limits]);
  }, [entries, overlay, scheme]);
  useEffect(() => {
    const indicators = [
      ...overlay.curves.map((curve) => ({ ...curve, isPrice: true })),
      ...overlay.gauges.map((curve) => ({ ...curve, isPrice: false })),
    ];
    chart.current?.setCurves([...premium, ...indicators]);
  }, [premium, overlay, scheme]);
  useEffect(() => {
    const price = readQuotePrice(quote);
    if (price !== null) chart.current?.form(Number(price), feed.now());
  }, [quote, bars]);
}

/** Choice of the agent whose decisions and indicators are drawn. */
function ShownAgent() {
  const id = useStore(shownAgent);
  const { data: agents = [] } = useAgents();
  if (agents.length === 0) return null;
  return (
    <Select
      size="xs"
      w={150}
      aria-label="Agent on the chart"
      placeholder="Show an agent"
      clearable
      clearButtonProps={{ 'aria-label': 'Show no agent' }}
      data={agents.map(({ id: value, name }) => ({ value, label: name }))}
      value={agents.some((agent) => agent.id === id) ? id : null}
      onChange={(value) => shownAgent.set(value ?? '')}
    />
  );
}
