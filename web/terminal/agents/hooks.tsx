/** Signal hooks: addresses to which a chart sends its alerts, each read by a template into a proposal. */
import { Button, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { dayAndTime } from '../../words.js';
import { api, type OpenedSignalHook, refresh, type SignalHook } from '../api.ts';
import { Refusal } from '../kit/refusal.tsx';
import { useMay } from '../member.ts';
import { Secrets } from './secret.tsx';

type Template = SignalHook['template'];

const FIELDS: readonly (readonly [name: keyof Template, label: string, first: string])[] = [
  ['side', 'Side', '{{action}}'],
  ['instrument', 'Instrument', '{{ticker}}'],
  ['notionalUsd', 'Size (USD)', '{{size}}'],
  ['quantity', 'Quantity', ''],
  ['limitPrice', 'Limit price', ''],
  ['reason', 'Reason', ''],
  ['id', 'Id of the alert', ''],
];

export function Hooks({ agentId }: { readonly agentId: string }) {
  const { data, error } = useQuery({
    queryKey: ['signal-hooks', agentId],
    queryFn: async ({ signal }) => (await api.listSignalHooks({ id: agentId }, { signal })).items,
  });
  const [opened, setOpened] = useState<OpenedSignalHook | null>(null);
  const mayMake = useMay('trade:execute');
  return (
    <section aria-label="Signal hooks">
      <h2>Signal hooks</h2>
      <p className="faint">
        A chart sends its alerts to the address of a hook. The template says which field of the alert is which part of the trade.
      </p>
      <Refusal error={error} />
      {data?.length === 0 && <p className="empty">No hook yet.</p>}
      <ul className="hooks">
        {(data ?? []).map((hook) => (
          <Hook key={hook.id} hook={hook} open={setOpened} />
        ))}
      </ul>
      {mayMake && <MakeHook agentId={agentId} open={setOpened} />}
      <Secrets title={`Hook ${opened?.name ?? ''}`} secrets={opened === null ? null : secretsOf(opened)} close={() => setOpened(null)} />
    </section>
  );
}

const secretsOf = ({ path, signedPath, signingSecret }: OpenedSignalHook): readonly (readonly [string, string])[] => [
  ['Address', `${location.origin}${path}`],
  ['Signed address', `${location.origin}${signedPath}`],
  ['Signing secret', signingSecret],
];

function Hook({ hook, open }: { readonly hook: SignalHook; readonly open: (hook: OpenedSignalHook) => void }) {
  const { id, agentId, name, template, tickers, createdBy, createdAt, revokedAt } = hook;
  const [mayMake, mayManage] = [useMay('trade:execute'), useMay('risk:manage')];
  const settle = { onSettled: () => refresh('signal-hooks') };
  const rotating = useMutation({ mutationFn: () => api.rotateSignalHook({ id: agentId, hookId: id }), onSuccess: open, ...settle });
  const revoking = useMutation({ mutationFn: () => api.revokeSignalHook({ id: agentId, hookId: id }), ...settle });
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
          <Button
            size="compact-xs"
            variant="default"
            loading={rotating.isPending}
            onClick={() => rotating.mutate()}
            aria-label={`New address of ${name}`}
          >
            New address
          </Button>
        )}
        {revokedAt === null && (mayMake || mayManage) && (
          <Button
            size="compact-xs"
            variant="default"
            loading={revoking.isPending}
            onClick={() => revoking.mutate()}
            aria-label={`Revoke ${name}`}
          >
            Revoke
          </Button>
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
      <Refusal error={rotating.error ?? revoking.error} />
    </li>
  );
}

function MakeHook({ agentId, open }: { readonly agentId: string; readonly open: (hook: OpenedSignalHook) => void }) {
  const [name, setName] = useState('');
  const [texts, setTexts] = useState(
    () => Object.fromEntries(FIELDS.map(([field, , first]) => [field, first])) as Record<keyof Template, string>,
  );
  const [tickers, setTickers] = useState('');
  const making = useMutation({
    mutationFn: () => {
      const template = Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim() !== '')) as Template;
      return api.createSignalHook({ id: agentId, body: { name: name.trim(), template, tickers: tickersIn(tickers) } });
    },
    onSuccess: (hook) => {
      setName('');
      open(hook);
      refresh('signal-hooks');
    },
  });
  return (
    <form
      className="hook-form"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        making.mutate();
      }}
    >
      <TextInput label="Name of the hook" value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      {FIELDS.map(([field, label]) => (
        <TextInput
          key={field}
          label={label}
          value={texts[field]}
          onChange={({ currentTarget: { value } }) => setTexts((before) => ({ ...before, [field]: value }))}
        />
      ))}
      <Textarea
        size="xs"
        label="Tickers, one per line"
        description="The ticker of the chart, a space, and the instrument here."
        placeholder="BTCUSD spotexchange:BTCUSDT"
        autosize
        minRows={2}
        value={tickers}
        onChange={({ currentTarget }) => setTickers(currentTarget.value)}
      />
      <Refusal error={making.error} />
      <Button type="submit" variant="default" loading={making.isPending} disabled={name.trim() === ''}>
        Create hook
      </Button>
    </form>
  );
}

/** Pairs of a ticker and an instrument, one a line. */
const tickersIn = (text: string): { ticker: string; instrument: string }[] =>
  text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([ticker = '']) => ticker !== '')
    .map(([ticker = '', instrument = '']) => ({ ticker, instrument }));
