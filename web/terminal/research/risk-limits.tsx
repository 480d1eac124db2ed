/** Risk limits of the organization. Every order of people and agents is checked against them. */
import { Button, Switch } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { dayAndTime } from '../../words.js';
import { api, type RiskPreferences, refresh, useRead } from '../api.ts';
import { type Field, Fields, type Texts, useTexts } from '../kit/form.tsx';
import { Loaded } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { useMay } from '../member.ts';
import { submits } from '../kit/browser.ts';

type Limits = Omit<RiskPreferences, 'version' | 'setBy' | 'setAt'>;
type NumberName = Exclude<keyof Limits, 'requireLiveReference' | 'reduceOnly'>;

/** Limits with their labels. Money stays a text. */
const FIELDS: readonly Field<NumberName>[] = [
  { name: 'maxCapitalUsd', label: 'Max capital (USD)', hint: 'All positions together.', kind: 'number' },
  { name: 'maxTradeNotionalUsd', label: 'Max order size (USD)', hint: 'One order at its worst price.', kind: 'number' },
  { name: 'maxLeverage', label: 'Max leverage', hint: 'Gross exposure divided by equity.', kind: 'number' },
  { name: 'maxDailyDrawdownPct', label: 'Max daily drawdown (%)', hint: 'Agents pause when a day loses more.', kind: 'number' },
  { name: 'maxOpenPositions', label: 'Max open positions', hint: 'Instruments held at once.', kind: 'number' },
  {
    name: 'maxSlippageBps',
    label: 'Max slippage (bps)',
    hint: 'Between the price seen and the worst price of an order.',
    kind: 'number',
  },
  { name: 'maxPositionWeightPct', label: 'Max position weight (%)', hint: 'One instrument as a part of equity.', kind: 'number' },
  {
    name: 'maxUnderlyingWeightPct',
    label: 'Max underlying weight (%)',
    hint: 'All instruments on one underlying together.',
    kind: 'number',
  },
  { name: 'maxPoolSharePct', label: 'Max pool share (%)', hint: 'A position as a part of its pool’s liquidity.', kind: 'number' },
];
const TEXTS: readonly string[] = ['maxCapitalUsd', 'maxTradeNotionalUsd', 'maxLeverage'];

export function RiskLimits() {
  const limits = useRead(['risk'], (call) => api.getRiskPreferences({}, call));
  return (
    <div className="page">
      <h1>Risk limits</h1>
      <p className="faint">Every order is checked against these limits before it is sent, whoever places it.</p>
      <Loaded query={limits}>{(now) => <LimitForm key={now.version} now={now} />}</Loaded>
      <PastLimits />
    </div>
  );
}

function LimitForm({ now }: { readonly now: RiskPreferences }) {
  const maySet = useMay('risk:manage');
  const { texts, trimmed, write } = useTexts(Object.fromEntries(FIELDS.map(({ name }) => [name, String(now[name])])) as Texts<NumberName>);
  const [flags, setFlags] = useState({ requireLiveReference: now.requireLiveReference, reduceOnly: now.reduceOnly });
  const saving = useMutation({
    mutationFn: () => {
      const numbers = Object.fromEntries(FIELDS.map(({ name }) => [name, TEXTS.includes(name) ? trimmed[name] : Number(texts[name])]));
      return api.setRiskPreferences({ body: { ...numbers, ...flags } as Limits });
    },
    onSuccess: () => {
      refresh('risk', 'risk-history');
      notifications.show({ color: 'teal', message: 'Risk limits saved.' });
    },
  });
  return (
    <form className="card limits-form" onSubmit={submits(() => saving.mutate())}>
      <fieldset>
        <legend className="sr-only">Limits</legend>
        <Fields fields={FIELDS} texts={texts} isFixed={!maySet} write={write} />
        <Flags flags={flags} change={(change) => setFlags((before) => ({ ...before, ...change }))} isFixed={!maySet} />
      </fieldset>
      <Refusal error={saving.error} />
      <div className="buttons">
        <span className="faint">
          {now.setAt === null ? 'Default limits.' : `Set by ${now.setBy ?? 'a member'}, ${dayAndTime(now.setAt)}`}
        </span>
        <span className="space" />
        {maySet ? (
          <Button type="submit" loading={saving.isPending}>
            Save limits
          </Button>
        ) : (
          <span className="faint">Changing them requires the permission risk:manage.</span>
        )}
      </div>
    </form>
  );
}

interface FlagsProps {
  readonly flags: Pick<Limits, 'requireLiveReference' | 'reduceOnly'>;
  readonly change: (change: Partial<FlagsProps['flags']>) => void;
  readonly isFixed: boolean;
}

const Flags = ({ flags, change, isFixed }: FlagsProps) => (
  <>
    <Switch
      disabled={isFixed}
      label="Require a live reference"
      description="Refuses orders on a token while its share price is not live."
      checked={flags.requireLiveReference}
      onChange={({ currentTarget: { checked } }) => change({ requireLiveReference: checked })}
    />
    <Switch
      disabled={isFixed}
      label="Reduce only"
      description="Lets orders close positions and open none."
      checked={flags.reduceOnly}
      onChange={({ currentTarget: { checked } }) => change({ reduceOnly: checked })}
    />
  </>
);

function PastLimits() {
  const { data } = useRead(['risk-history'], (call) => api.listRiskPreferences({ limit: 20 }, call));
  if (data === undefined || data.items.length === 0) return null;
  return (
    <section className="card" aria-label="Changes to the limits">
      <h2>Changes</h2>
      <Table
        label="Changes to the limits, newest first"
        rows={data.items}
        keyOf={({ version }) => String(version)}
        columns={[
          { title: 'When', text: ({ setAt }) => (setAt === null ? '–' : dayAndTime(setAt)) },
          { title: 'By', isText: true, text: ({ setBy }) => setBy ?? '–' },
          { title: 'Max capital', money: ({ maxCapitalUsd }) => maxCapitalUsd },
          { title: 'Max order', money: ({ maxTradeNotionalUsd }) => maxTradeNotionalUsd },
          { title: 'Leverage', text: ({ maxLeverage }) => maxLeverage },
        ]}
      />
    </section>
  );
}
