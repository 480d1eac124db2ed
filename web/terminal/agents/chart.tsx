/** Candle chart of an agent's instrument with entries, exits, blocked decisions, stop, target and indicators. */
import { SegmentedControl, Select, useComputedColorScheme } from '@mantine/core';
import { useEffect, useState } from 'react';
import { TIMEFRAMES } from '../../timeframes.js';
import { plain, readSymbol } from '../../words.js';
import type { AgentDetail } from '../api.ts';
import { feed, readQuotePrice, useQuote } from '../market.ts';
import type { Timeframe } from '../chart/bars.ts';
import { CandleFrame, useCandleChart } from '../chart/candle-chart.tsx';
import { useOverlay } from './data.ts';
import type { Rules } from './rules.ts';

const NAMES = TIMEFRAMES.map(([name]) => name);
const LEGEND = [
  ['entry', 'up', '▲ entry'],
  ['exit', 'down', '▼ exit'],
  ['blocked', 'warn', '■ blocked'],
  ['proposed', 'accent', '● proposed'],
] as const;
const INKS = { accent: '--accent', good: '--up', bad: '--down' } as const;

export function AgentChart({ agent }: { readonly agent: AgentDetail }) {
  const rules = agent.manifest as unknown as Rules;
  const keys = rules.universe.map(({ key }) => key);
  const [chosen, setChosen] = useState<string | null>(null);
  const [timeframe, setTimeframe] = useState<Timeframe>(() => NAMES.find((name) => name === rules.timeframe) ?? '5m');
  const key = chosen !== null && keys.includes(chosen) ? chosen : keys[0];
  if (key === undefined) return <p className="card agent-chart empty">No instrument yet. Edit the rules to add one.</p>;
  return (
    <section className="card agent-chart" aria-label="Chart">
      <div className="agent-chart-head">
        {keys.length > 1 ? (
          <Select
            aria-label="Instrument"
            data={keys.map((value) => ({ value, label: readSymbol(value) }))}
            value={key}
            onChange={setChosen}
          />
        ) : (
          <strong>{readSymbol(key)}</strong>
        )}
        <SegmentedControl
          size="xs"
          aria-label="Timeframe"
          data={NAMES}
          value={timeframe}
          onChange={(name) => setTimeframe(name as Timeframe)}
        />
        <span className="legend">
          {LEGEND.map(([kind, tone, words]) => (
            <span key={kind} className={tone}>
              {words}
            </span>
          ))}
        </span>
      </div>
      <Bars agentId={agent.id} rules={rules} instrument={key} timeframe={timeframe} />
    </section>
  );
}

interface BarsProps {
  readonly agentId: string;
  readonly rules: Rules;
  readonly instrument: string;
  readonly timeframe: Timeframe;
}

function Bars({ agentId, rules, instrument, timeframe }: BarsProps) {
  const scheme = useComputedColorScheme('dark');
  const candles = useCandleChart(instrument, timeframe);
  const { chart, bars } = candles;
  const quote = useQuote(instrument);
  const overlay = useOverlay(agentId, rules, instrument);
  useEffect(() => {
    chart.current?.paint();
    chart.current?.setMarks(overlay.marks);
    chart.current?.setLevels(
      overlay.lines.map(({ price, title, colour }) => ({ price: Number(price), title, ink: INKS[colour as 'good'] })),
    );
    chart.current?.setCurves([
      ...overlay.curves.map((curve) => ({ ...curve, isPrice: true })),
      ...overlay.gauges.map((curve) => ({ ...curve, isPrice: false })),
    ]);
  }, [overlay, bars, scheme]);
  useEffect(() => {
    const price = readQuotePrice(quote);
    if (price !== null) chart.current?.form(Number(price), feed.now());
  }, [quote, bars]);
  const counted = `${overlay.marks.filter(({ kind }) => kind === 'entry').length} entries, ${overlay.marks.filter(({ kind }) => kind === 'exit').length} exits, ${overlay.marks.filter(({ kind }) => kind === 'blocked').length} blocked`;
  return (
    <CandleFrame
      of={candles}
      instrument={instrument}
      label={`${readSymbol(instrument)}, ${timeframe}: ${counted}`}
      none={`${plain(instrument.split(':')[0] ?? '')} has no candles of it.`}
    />
  );
}
