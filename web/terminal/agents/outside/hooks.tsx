/** Signal hooks: addresses that receive a chart's alerts. A template turns each alert into a proposal. */
import { useState } from 'react';
import { dayAndTime } from '../../../words.js';
import { api, type OpenedSignalHook, type SignalHook, useRead } from '../../api.ts';
import { Ask } from '../../kit/ask.tsx';
import { type Field, Form } from '../../kit/form.tsx';
import { useMay } from '../../member.ts';
import { Secrets } from './secret.tsx';
import { Loaded } from '../../kit/lists.tsx';

type Template = SignalHook['template'];

const FIELDS: readonly Field<keyof Template | 'name' | 'tickers'>[] = [
  { name: 'name', label: 'Name of the hook' },
  { name: 'side', label: 'Side' },
  { name: 'instrument', label: 'Instrument' },
  { name: 'notionalUsd', label: 'Size (USD)', isOptional: true },
  { name: 'quantity', label: 'Quantity', isOptional: true },
  { name: 'limitPrice', label: 'Limit price', isOptional: true },
  { name: 'reason', label: 'Reason', isOptional: true },
  { name: 'id', label: 'Id of the alert', isOptional: true },
  {
    name: 'tickers',
    label: 'Tickers, one per line',
    hint: 'The ticker of the chart, a space, and the instrument here.',
    placeholder: 'BTCUSD spotexchange:BTCUSDT',
    kind: 'area',
    isOptional: true,
  },
];
const FIRST: Record<keyof Template | 'name' | 'tickers', string> = {
  name: '',
  side: '{{action}}',
  instrument: '{{ticker}}',
  notionalUsd: '{{size}}',
  quantity: '',
  limitPrice: '',
  reason: '',
  id: '',
  tickers: '',
};

export function Hooks({ agentId }: { readonly agentId: string }) {
  const read = useRead(['signal-hooks', agentId], async (call) => (await api.listSignalHooks({ id: agentId }, call)).items);
  const { data } = read;
  const [opened, setOpened] = useState<OpenedSignalHook | null>(null);
  const mayMake = useMay('trade:execute');
  return (
    <section aria-label="Signal hooks">
      <h2>Signal hooks</h2>
      <p className="faint">
        A chart sends its alerts to the address of a hook. The template says which field of the alert is which part of the trade.
      </p>
      <Loaded query={read} />
      {data?.length === 0 && <p className="empty">No hook yet.</p>}
      <ul className="hooks">
        {(data ?? []).map((hook) => (
          <Hook key={hook.id} hook={hook} open={setOpened} />
        ))}
      </ul>
      {mayMake && <MakeHook agentId={agentId} open={setOpened} />}
      <Secrets title={`Hook ${opened?.name ?? ''}`} secrets={opened === null ? null : listSecrets(opened)} close={() => setOpened(null)} />
    </section>
  );
}

const listSecrets = ({ path, signedPath, signingSecret }: OpenedSignalHook): readonly (readonly [string, string])[] => [
  ['Address', `${location.origin}${path}`],
  ['Signed address', `${location.origin}${signedPath}`],
  ['Signing secret', signingSecret],
];

function Hook({ hook, open }: { readonly hook: SignalHook; readonly open: (hook: OpenedSignalHook) => void }) {
  const { id, agentId, name, template, tickers, createdBy, createdAt, revokedAt } = hook;
  const [mayMake, mayManage] = [useMay('trade:execute'), useMay('risk:manage')];
  return (
    <li data-hook={id}>
      <div className="part-head">
        <strong>{name}</strong>
        {revokedAt === null ? <span className="up">open</span> : <span className="faint">revoked {dayAndTime(revokedAt)}</span>}
        <span className="faint">
          {dayAndTime(createdAt)} by {createdBy}
        </span>
        <span className="space" />
        {revokedAt === null && mayMake && (
          <Ask
            verb="New address"
            name={`New address of ${name}`}
            title={`Give the hook ${name} another address?`}
            done={`Hook ${name} has another address.`}
            changes={['signal-hooks']}
            act={async () => open(await api.rotateSignalHook({ id: agentId, hookId: id }))}
          >
            <p>Charts that send to the present addresses need the new one.</p>
          </Ask>
        )}
        {revokedAt === null && (mayMake || mayManage) && (
          <Ask
            verb="Revoke"
            name={`Revoke ${name}`}
            title={`Revoke the hook ${name}?`}
            isDangerous
            done={`Hook ${name} revoked.`}
            changes={['signal-hooks']}
            act={() => api.revokeSignalHook({ id: agentId, hookId: id })}
          >
            <p>Its addresses take no more alerts. This cannot be undone.</p>
          </Ask>
        )}
      </div>
      <p className="faint">
        {Object.entries(template).map(([field, text]) => (
          <code key={field}>
            {field}: {text}{' '}
          </code>
        ))}
        {tickers.map(({ ticker, instrument }) => (
          <code key={ticker}>
            {ticker} → {instrument}{' '}
          </code>
        ))}
      </p>
    </li>
  );
}

const MakeHook = ({ agentId: id, open }: { readonly agentId: string; readonly open: (hook: OpenedSignalHook) => void }) => (
  <Form
    look="hook-form"
    fields={FIELDS}
    first={FIRST}
    verb="Create hook"
    send={({ name, tickers, ...texts }) => {
      const template = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')) as Template;
      return api.createSignalHook({ id, body: { name, template, tickers: tickersIn(tickers) } });
    }}
    changes={['signal-hooks']}
    onDone={open}
  />
);

/** Pairs of a ticker and an instrument, one a line. */
const tickersIn = (text: string): { ticker: string; instrument: string }[] =>
  text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([ticker = '']) => ticker !== '')
    .map(([ticker = '', instrument = '']) => ({ ticker, instrument }));
