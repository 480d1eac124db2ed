/** Impact of proposed allocations on the portfolio, before and after. Nothing is stored or ordered. */
import { ActionIcon, Autocomplete, Button, Select } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { plain, rejectionWords } from '../../words.js';
import { api, type PortfolioImpact } from '../api.ts';
import { useCatalog } from '../catalog.ts';
import { Written } from '../kit/form.tsx';
import type { Column } from '../kit/columns.tsx';
import { Card } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';
import { moneyText, ratioText } from '../kit/numbers.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { useMay } from '../member.ts';
import { submits } from '../kit/browser.ts';

/** Maximum number of allocations per request. */
const MOST = 20;

interface Line {
  readonly what: string;
  readonly side: 'buy' | 'sell';
  readonly amount: string;
}

const EMPTY: Line = { what: '', side: 'buy', amount: '' };

const toAllocation = ({ what, side, amount }: Line) => ({
  ...(what.includes(':') ? { instrument: what } : { symbol: what }),
  side,
  notionalUsd: amount,
});

export function Impact({ mode, wallets }: { readonly mode: 'paper' | 'live'; readonly wallets: readonly string[] }) {
  const [lines, setLines] = useState<readonly Line[]>([EMPTY]);
  const mayRead = useMay('agent:read');
  const asking = useMutation({
    mutationFn: () =>
      api.simulateImpact({ body: { mode, ...(wallets.length === 0 ? {} : { wallets }), allocations: lines.map(toAllocation) } }),
  });
  const change = (place: number, by: Partial<Line>) =>
    setLines((before) => before.map((line, at) => (at === place ? { ...line, ...by } : line)));
  if (!mayRead) return null;
  return (
    <Card title="Impact of a change">
      <p className="faint">Shows what an allocation would do to risk, concentration and losses. It places no order.</p>
      <form className="stack" onSubmit={submits(() => asking.mutate())}>
        {lines.map((line, place) => (
          <Fields
            key={place}
            line={line}
            change={(by) => change(place, by)}
            remove={lines.length === 1 ? null : () => setLines(lines.filter((_, at) => at !== place))}
          />
        ))}
        <div className="inline-form">
          <Button variant="default" disabled={lines.length === MOST} onClick={() => setLines([...lines, EMPTY])}>
            Add another
          </Button>
          <Button type="submit" loading={asking.isPending} disabled={lines.some(({ what, amount }) => what === '' || amount === '')}>
            Simulate
          </Button>
        </div>
      </form>
      <Refusal error={asking.error} />
      {asking.data !== undefined && <Answer impact={asking.data} />}
    </Card>
  );
}

interface FieldsProps {
  readonly line: Line;
  readonly change: (by: Partial<Line>) => void;
  readonly remove: (() => void) | null;
}

function Fields({ line, change, remove }: FieldsProps) {
  const symbols = useCatalog().map(({ instrument }) => instrument);
  return (
    <div className="inline-form bottom">
      <Autocomplete
        label="Symbol or instrument"
        placeholder="AAPLx"
        data={[...new Set(symbols)]}
        limit={8}
        value={line.what}
        onChange={(what) => change({ what: what.trim() })}
      />
      <Select
        label="Side"
        data={['buy', 'sell']}
        value={line.side}
        onChange={(side) => change({ side: side === 'sell' ? 'sell' : 'buy' })}
      />
      <Written
        label="Amount (USD)"
        placeholder="2500"
        inputMode="decimal"
        value={line.amount}
        write={(text) => change({ amount: text.trim() })}
      />
      {remove !== null && (
        <ActionIcon variant="default" size={30} aria-label={`Remove ${line.what}`} onClick={remove}>
          ×
        </ActionIcon>
      )}
    </div>
  );
}

type Allocation = PortfolioImpact['allocations'][number];
const ALLOCATIONS: readonly Column<Allocation>[] = [
  { title: 'Allocation', text: ({ side, instrument, notionalUsd }) => `${side} ${instrument} for ${moneyText(notionalUsd)}` },
  {
    title: 'Risk',
    isText: true,
    cell: ({ wouldPass }) => <span className={wouldPass ? 'up' : 'down'}>{wouldPass ? 'would pass' : 'would be blocked'}</span>,
  },
  { title: 'Price', price: ({ price }) => price },
  { title: 'Quantity', text: ({ quantity }) => quantity },
  { title: 'Fee', money: ({ feeUsd }) => feeUsd },
  {
    title: 'Reason',
    isText: true,
    long: ({ note, risk }) => [note, ...(risk?.rejections ?? []).map(rejectionWords)].filter((words) => words !== '').join('; '),
  },
];

interface Change {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

const CHANGES: readonly Column<Change>[] = [
  { title: 'Figure', text: ({ name }) => name },
  { title: 'Before', text: ({ before }) => before },
  { title: 'After', cell: ({ before, after }) => <span className={before === after ? 'faint' : 'strong'}>{after}</span> },
];

const money = (usd: string | null): string => (usd === null ? 'unknown' : moneyText(usd));
const percent = (pct: number | null): string => (pct === null ? 'unknown' : `${ratioText(pct)} %`);
const leverage = (ratio: number | null): string => (ratio === null ? 'unknown' : `${ratioText(ratio)}×`);

/** Returns the figures before and after, in the order of the page. */
function listChanges({ before, after }: PortfolioImpact): readonly Change[] {
  const whole: readonly Change[] = [
    { name: 'Value', before: money(before.totals.valueUsd), after: money(after.totals.valueUsd) },
    { name: 'Cash', before: money(before.totals.cashUsd), after: money(after.totals.cashUsd) },
    { name: 'Leverage', before: leverage(before.totals.leverage), after: leverage(after.totals.leverage) },
  ];
  const sides = [before, after].map(({ sectors, duplicates, exits, scenarios }) => [
    ...sectors.map(({ sector, weightPct }) => [`Sector ${plain(sector)}`, percent(weightPct)] as const),
    ...duplicates.map(({ underlying, weightPct }) => [`All of ${underlying}`, percent(weightPct)] as const),
    ...exits.map(({ instrument, sharePct }) => [`Share of the pool of ${instrument}`, percent(sharePct)] as const),
    ...scenarios.map(({ id, lossUsd }) => [`Loss: ${plain(id)}`, money(lossUsd)] as const),
  ]);
  const [one = new Map<string, string>(), other = new Map<string, string>()] = sides.map((side) => new Map<string, string>(side));
  const names = [...new Set([...one.keys(), ...other.keys()])];
  return [...whole, ...names.map((name) => ({ name, before: one.get(name) ?? '–', after: other.get(name) ?? '–' }))];
}

const Answer = ({ impact }: { readonly impact: PortfolioImpact }) => (
  <div className="stack" aria-live="polite">
    <Table label="Allocations" rows={impact.allocations} keyOf={({ id }) => id} columns={ALLOCATIONS} />
    <Table label="Before and after" rows={listChanges(impact)} keyOf={({ name }) => name} columns={CHANGES} />
  </div>
);
