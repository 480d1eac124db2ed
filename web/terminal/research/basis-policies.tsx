/** Basis policies: what each waits for, where it stands, and the way to arm and disarm one. */
import { SegmentedControl, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { BasisPolicy } from '../../../clients/typescript/src/index.ts';
import { dayAndTime, plain, zoneWord } from '../../words.js';
import { api } from '../api.ts';
import { Ago } from '../kit/ages.tsx';
import { Ask } from '../kit/ask.tsx';
import { Beside, Opener } from '../kit/beside.tsx';
import { isAmount } from '../kit/decimal.ts';
import { List, Loaded, useList } from '../kit/lists.tsx';
import { Money } from '../kit/numbers.tsx';
import { useMay } from '../member.ts';
import { useMayHalt } from '../halt.tsx';
import { useCatalog } from '../catalog.ts';

const READ_EVERY_MS = 10_000;
const EVERY = 'all';
const STATES: readonly BasisPolicy['state'][] = ['draft', 'armed', 'triggered', 'proposed', 'filled', 'closed', 'disarmed', 'expired'];
const ENDED: readonly BasisPolicy['state'][] = ['closed', 'disarmed', 'expired'];
const TONES: { readonly [state: string]: string } = { armed: 'up', triggered: 'warn', proposed: 'warn', filled: 'up' };

export function BasisPolicies() {
  const [state, setState] = useState(EVERY);
  const [chosen, setChosen] = useState<string | null>(null);
  const policies = useList(
    ['basis-policies', state],
    (page, options) => api.listBasisPolicies({ ...page, ...(state === EVERY ? {} : { state: state as BasisPolicy['state'] }) }, options),
    { everyMs: READ_EVERY_MS },
  );
  return (
    <div className="page">
      <div className="page-head">
        <h1>Basis policies</h1>
        <span className="space" />
        <Select
          aria-label="State"
          size="xs"
          allowDeselect={false}
          data={[{ value: EVERY, label: 'All states' }, ...STATES.map((value) => ({ value, label: plain(value) }))]}
          value={state}
          onChange={(value) => value !== null && setState(value)}
        />
        <ArmPolicy />
      </div>
      <p className="faint">
        A policy buys a token once its discount to the share is deep enough, and sells it once the discount has closed.
      </p>
      <Beside detail={chosen === null ? null : <PolicyDetail key={chosen} id={chosen} />}>
        <List
          list={policies}
          label="Basis policies"
          empty="No policy yet. Arm one here, or from a share’s card on the page Basis."
          keyOf={({ id }) => id}
          columns={[
            {
              title: 'Token',
              cell: ({ id, symbol }) => (
                <Opener isOpen={chosen === id} toggle={() => setChosen(chosen === id ? null : id)}>
                  {symbol}
                </Opener>
              ),
            },
            { title: 'State', isText: true, cell: ({ state: at }) => <span className={TONES[at] ?? 'faint'}>{plain(at)}</span> },
            { title: 'Account', isText: true, cell: ({ mode }) => mode ?? '–' },
            { title: 'Enter at', cell: ({ enterDiscountPct }) => `${enterDiscountPct} %` },
            { title: 'Exit at', cell: ({ exitDiscountPct }) => `${exitDiscountPct} %` },
            { title: 'Size', cell: ({ notionalUsd }) => <Money usd={notionalUsd} /> },
            { title: 'Max slippage', cell: ({ maxSlippageBps }) => `${maxSlippageBps} bps` },
            { title: 'Max hold', cell: ({ maxHoldHours }) => `${maxHoldHours} h` },
            { title: 'Changed', cell: ({ changedAt }) => <Ago at={changedAt} /> },
            { title: '', cell: (policy) => <Disarm policy={policy} /> },
          ]}
        />
      </Beside>
    </div>
  );
}

function Disarm({ policy: { id, symbol, state } }: { readonly policy: BasisPolicy }) {
  const mayStop = useMayHalt();
  if (!mayStop || ENDED.includes(state)) return null;
  return (
    <Ask
      verb="Disarm"
      name={`Disarm the policy on ${symbol}`}
      title={`Disarm the policy on ${symbol}?`}
      isDangerous
      done={`Policy on ${symbol} disarmed.`}
      changes={['basis-policies', 'basis-policy']}
      act={() => api.disarmBasisPolicy({ id })}
    >
      <p>The policy opens no new trades. Its position stays open.</p>
    </Ask>
  );
}

function PolicyDetail({ id }: { readonly id: string }) {
  const policy = useQuery({
    queryKey: ['basis-policy', id],
    queryFn: ({ signal }) => api.getBasisPolicy({ id }, { signal }),
    refetchInterval: READ_EVERY_MS,
  });
  return (
    <section className="card claims" aria-label="Policy">
      <Loaded query={policy}>
        {({ symbol, reason, createdBy, armedAt, expiresAt, understood, assumed, timeframe, onDuty }) => (
          <>
            <h2>{symbol}</h2>
            <ul>
              <li>
                {onDuty ? 'Decides at each bar of ' : 'Does not decide now. Its bars are of '}
                {timeframe}.
              </li>
              {reason !== null && <li className="warn">{plain(reason)}</li>}
              <li>
                By {createdBy}
                {armedAt !== null && `, armed ${dayAndTime(armedAt)}`}, expires {dayAndTime(expiresAt)} {zoneWord()}
              </li>
              {understood.map(({ phrase, as }) => (
                <li key={phrase}>
                  {phrase} <span className="faint">as</span> {as}
                </li>
              ))}
              {assumed.map((one) => (
                <li key={one} className="faint">
                  Assumed: {one}
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </section>
  );
}

const NUMBER = /^-?\d{1,4}(\.\d+)?$/;
const FIRST = { enter: '2', exit: '0.2', size: '1000', slippage: '50', hold: '72' };
type Terms = typeof FIRST;
type Mode = 'paper' | 'live' | 'draft';

const FIELDS: readonly (readonly [name: keyof Terms, label: string, meaning: string])[] = [
  ['enter', 'Enter at discount (%)', 'Buys once the token is so far below the share.'],
  ['exit', 'Exit at discount (%)', 'Sells once the discount has closed to this.'],
  ['size', 'Size (USD)', 'Bought once.'],
  ['slippage', 'Max slippage (bps)', 'Worst price of an order.'],
  ['hold', 'Max hold (hours)', 'Sells then at the latest.'],
];

/** @throws Error if a field is not a number. */
function arm(symbol: string, { enter, exit, size, slippage, hold }: Terms, mode: Mode) {
  if (!isAmount(size) || ![enter, exit, slippage, hold].every((text) => NUMBER.test(text)))
    throw new Error('Enter a number in each field, such as 2 or 0.5.');
  const numbers = {
    enterDiscountPct: Number(enter),
    exitDiscountPct: Number(exit),
    maxSlippageBps: Number(slippage),
    maxHoldHours: Number(hold),
  };
  return api.armBasisPolicy({ body: { symbol, notionalUsd: size, mode, ...numbers } });
}

/** Asks for the terms of a policy. @param props.symbol A token that is already chosen. */
export function ArmPolicy({ symbol }: { readonly symbol?: string }) {
  const mayTrade = useMay('trade:execute');
  const symbols = useCatalog()
    .filter(({ kind }) => kind === 'tokenized_equity')
    .map(({ instrument }) => instrument);
  const [token, setToken] = useState<string | null>(symbol ?? null);
  const [terms, setTerms] = useState(FIRST);
  const [mode, setMode] = useState<Mode>('paper');
  const chosen = token ?? symbols[0] ?? '';
  const name = symbol === undefined ? 'Arm a policy' : `Arm a policy on ${symbol}`;
  if (!mayTrade) return null;
  return (
    <Ask
      verb="Arm a policy"
      name={name}
      title={name}
      isDangerous={mode === 'live'}
      done={mode === 'draft' ? 'Draft saved. It trades nothing.' : `Policy on ${chosen} armed.`}
      changes={['basis-policies']}
      act={async () => arm(chosen, terms, mode)}
    >
      {symbol === undefined && (
        <Select label="Token" size="xs" searchable allowDeselect={false} data={symbols} value={chosen} onChange={setToken} />
      )}
      <div className="field-pairs">
        {FIELDS.map(([field, label, meaning]) => (
          <TextInput
            key={field}
            label={label}
            description={meaning}
            inputMode="decimal"
            autoComplete="off"
            value={terms[field]}
            onChange={({ currentTarget: { value } }) => setTerms((before) => ({ ...before, [field]: value.trim() }))}
          />
        ))}
      </div>
      <SegmentedControl
        aria-label="Account"
        fullWidth
        data={[
          { value: 'paper', label: 'Paper' },
          { value: 'live', label: 'Live' },
          { value: 'draft', label: 'Draft' },
        ]}
        value={mode}
        onChange={(value) => setMode(value as Mode)}
      />
      {mode === 'live' && <p className="down">This policy trades real money.</p>}
    </Ask>
  );
}
