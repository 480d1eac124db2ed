/** Preview of the rules on recent bars. It runs only on request, because each run counts as a trial. */
import { Button, Select } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { formatDay, forPeople, numberText, plain, priceText, readSymbol } from '../../../words.js';
import { api, type BacktestPreview } from '../../api.ts';
import { Change, Money } from '../../kit/numbers.tsx';
import { Refusal } from '../../kit/refusal.tsx';
import { FigureList, renderItems } from '../../kit/lists.tsx';
import { Table } from '../../kit/table.tsx';
import { At } from '../../kit/ages.tsx';

type Result = NonNullable<BacktestPreview['result']>;

const ASK_AGAIN: readonly string[] = ['out_of_time', 'busy'];
const AGAIN_MS = 1_500;
const TRADES_SHOWN = 20;
const [WIDTH, HEIGHT] = [320, 70];

interface PreviewProps {
  readonly text: string;
  /** Id of the agent, or empty for a new one. */
  readonly agentId: string;
}

export function Preview({ text, agentId }: PreviewProps) {
  const [days, setDays] = useState<string | null>(null);
  const [asked, setAsked] = useState('');
  const ending = useRef(new AbortController());
  useEffect(() => {
    ending.current = new AbortController();
    const { current } = ending;
    return () => current.abort();
  }, []);
  const previewing = useMutation({
    mutationFn: () => {
      setAsked(text);
      return workOut(
        { body: text, draft: true, ...(agentId === '' ? {} : { agentId }), ...(days === null ? {} : { days: Number(days) }) },
        ending.current.signal,
      );
    },
  });
  const { data, error, isPending } = previewing;
  return (
    <section className="card preview" aria-label="Preview">
      <div className="part-head">
        <h2>Preview</h2>
        <span className="tag">counts for no gate</span>
        <span className="space" />
        <Select
          aria-label="Period of the preview"
          placeholder="Longest period"
          clearable
          clearButtonProps={{ 'aria-label': 'Clear the period' }}
          data={['7', '30', '90', '365'].map((value) => ({ value, label: `${value} days` }))}
          value={days}
          onChange={setDays}
        />
        <Button variant="default" loading={isPending} onClick={() => previewing.mutate()}>
          Run preview
        </Button>
      </div>
      <p className="faint">Each manifest that is tried counts as a trial: the more trials, the less a good result proves.</p>
      <Refusal error={error} />
      {data !== undefined && asked !== text && <p className="warn">The rules have changed since. Run the preview again.</p>}
      {data !== undefined && <Shown preview={data} />}
    </section>
  );
}

/** Repeats the request until the simulation has finished. The service keeps partial results between requests. */
async function workOut(input: Parameters<typeof api.previewBacktest>[0], signal: AbortSignal): Promise<BacktestPreview> {
  for (;;) {
    const preview = await api.previewBacktest(input, { signal });
    if (preview.ending === null || !ASK_AGAIN.includes(preview.ending.code)) return preview;
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    signal.throwIfAborted();
  }
}

const Shown = ({ preview: { result, ending, problems, whyNoTrades, missing } }: { readonly preview: BacktestPreview }) => (
  <>
    {result === null ? (
      <div className="refusal" role="alert">
        <p>{problems.length > 0 ? 'Complete the rules first:' : `No preview: ${ending?.detail ?? ''}`}</p>
        <ul>
          {problems.map(({ path, problem, allowed }) => (
            <li key={path}>
              {path.replace('$.', '')}: {problem}. Allowed: {allowed}.
            </li>
          ))}
        </ul>
      </div>
    ) : (
      <Figures result={result} />
    )}
    <List title="Why no trades" items={whyNoTrades.map(forPeople)} />
    <List title="Data gaps" items={missing.map(({ text }) => text)} />
    {result !== null && <RuleCounts rules={result.rules} />}
    {result !== null && result.trades.length > 0 && <LastTrades trades={result.trades.slice(-TRADES_SHOWN).toReversed()} />}
  </>
);

function List({ title, items }: { readonly title: string; readonly items: readonly string[] }) {
  if (items.length === 0) return null;
  return (
    <div className="why">
      <strong>{title}</strong>
      <ul>{renderItems(items)}</ul>
    </div>
  );
}

function Figures({ result }: { readonly result: Result }) {
  const {
    finalEquityUsd,
    returnPct,
    benchmarkReturnPct,
    maxDrawdownPct,
    closedTrades,
    openTrades,
    hitRatePct,
    bars,
    timeframe,
    from,
    to,
    daily,
  } = result;
  const figures = [
    ['P&L', <Change key="pnl" percent={returnPct} />],
    ['Buy and hold', <Change key="hold" percent={benchmarkReturnPct} />],
    ['Max drawdown', `${maxDrawdownPct.toFixed(2)} %`],
    ['Final equity', <Money key="equity" usd={finalEquityUsd} />],
    ['Trades', `${closedTrades} closed, ${openTrades} open`],
    ['Win rate', hitRatePct === null ? '–' : `${hitRatePct.toFixed(1)} %`],
  ] as const;
  return (
    <>
      <p className="num">
        {priceText(String(bars))} bars of {timeframe}, {formatDay(from)} to {formatDay(to)}
      </p>
      <FigureList lines={figures} look="figures" />
      <Course daily={daily} />
    </>
  );
}

/** Equity by day, for drawing only. */
function Course({ daily }: { readonly daily: Result['daily'] }) {
  const values = daily.map(({ equityUsd }) => Number(equityUsd));
  if (values.length < 2) return null;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const points = values.map(
    (value, at) => `${(at / (values.length - 1)) * WIDTH},${HEIGHT - ((value - low) / (high - low || 1)) * HEIGHT}`,
  );
  const isUp = (values.at(-1) ?? 0) >= (values[0] ?? 0);
  return (
    <svg
      className={`course ${isUp ? 'up' : 'down'}`}
      viewBox={`0 -2 ${WIDTH} ${HEIGHT + 4}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Equity of ${daily.length} days`}
    >
      <polyline points={points.join(' ')} fill="none" stroke="currentColor" strokeWidth="1.500" vectorEffect="non-scaling-stroke" />
    </svg>
  );
}

const RuleCounts = ({ rules }: { readonly rules: Result['rules'] }) => (
  <Table
    label="How often each rule passed"
    rows={rules.map((rule, place) => ({ ...rule, place }))}
    keyOf={({ place, type }) => `${place} ${type}`}
    columns={[
      {
        title: 'Rule',
        text: ({ type, threshold }) => `${plain(type)} ${typeof threshold === 'number' ? numberText(threshold) : threshold}`,
      },
      { title: 'Side', isText: true, text: ({ side }) => side },
      { title: 'Passed', text: ({ passed }) => priceText(String(passed)) },
      { title: 'Evaluated', text: ({ evaluated }) => priceText(String(evaluated)) },
      { title: 'Unknown', text: ({ unknown }) => priceText(String(unknown)) },
    ]}
  />
);

const LastTrades = ({ trades }: { readonly trades: Result['trades'] }) => (
  <Table
    label="Last trades of the preview"
    rows={trades}
    keyOf={({ decidedAt, instrument }) => `${decidedAt} ${instrument}`}
    columns={[
      { title: 'Bought', at: ({ decidedAt }) => decidedAt },
      { title: 'Instrument', isText: true, text: ({ instrument }) => readSymbol(instrument) },
      { title: 'Price', price: ({ entryPrice }) => entryPrice },
      {
        title: 'Sold',
        value: ({ exitDecidedAt }) => exitDecidedAt,
        cell: ({ exitDecidedAt }) => (exitDecidedAt === null ? 'open' : <At at={exitDecidedAt} />),
      },
      { title: 'Price at the end', price: ({ exitPrice }) => exitPrice },
      { title: 'P&L', gain: ({ profitUsd }) => profitUsd },
      { title: 'By', isText: true, text: ({ exitedBy }) => exitedBy.map(plain).join(', ') },
    ]}
  />
);
