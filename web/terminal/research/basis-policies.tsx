/** Basis policies: their conditions, their state, arming and disarming. */
import { useState } from 'react';
import { dayAndTime, plain, zoneWord } from '../../words.js';
import { api, useRead, type BasisPolicy } from '../api.ts';
import { Ask } from '../kit/ask.tsx';
import { Beside, Opener } from '../kit/beside.tsx';
import { Choice, AskForm, type Field } from '../kit/form.tsx';
import { List, Loaded, useList } from '../kit/lists.tsx';
import { useMay } from '../member.ts';
import { useMayHalt } from '../halt.tsx';
import { useCatalog } from '../catalog.ts';

const READ_EVERY_MS = 10_000;
const STATES: readonly BasisPolicy['state'][] = ['draft', 'armed', 'triggered', 'proposed', 'filled', 'closed', 'disarmed', 'expired'];
const ENDED: readonly BasisPolicy['state'][] = ['closed', 'disarmed', 'expired'];
const TONES: { readonly [state: string]: string } = { armed: 'up', triggered: 'warn', proposed: 'warn', filled: 'up' };

export function BasisPolicies() {
  const [state, setState] = useState<BasisPolicy['state'] | ''>('');
  const [chosen, setChosen] = useState<string | null>(null);
  const policies = useList(
    ['basis-policies', state],
    (page, options) => api.listBasisPolicies({ ...page, ...(state === '' ? {} : { state }) }, options),
    { everyMs: READ_EVERY_MS },
  );
  return (
    <div className="page">
      <div className="page-head">
        <h1>Basis policies</h1>
        <span className="space" />
        <Choice label="State" every="All states" choices={STATES} value={state} choose={setState} />
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
              value: ({ symbol }) => symbol,
              cell: ({ id, symbol }) => (
                <Opener isOpen={chosen === id} toggle={() => setChosen(chosen === id ? null : id)}>
                  {symbol}
                </Opener>
              ),
            },
            { title: 'State', isText: true, cell: ({ state: at }) => <span className={TONES[at] ?? 'faint'}>{plain(at)}</span> },
            { title: 'Account', isText: true, text: ({ mode }) => mode ?? '–' },
            { title: 'Enter at (%)', text: ({ enterDiscountPct }) => enterDiscountPct },
            { title: 'Exit at (%)', text: ({ exitDiscountPct }) => exitDiscountPct },
            { title: 'Size', isFigure: true, money: ({ notionalUsd }) => notionalUsd },
            { title: 'Max slippage (bps)', text: ({ maxSlippageBps }) => maxSlippageBps },
            { title: 'Max hold', text: ({ maxHoldHours }) => `${maxHoldHours} h` },
            { title: 'Changed', ago: ({ changedAt }) => changedAt },
            { title: 'Actions', buttons: (policy) => <Disarm policy={policy} /> },
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
  const policy = useRead(['basis-policy', id], (call) => api.getBasisPolicy({ id }, call), { refetchInterval: READ_EVERY_MS });
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

const TERMS = ['enterDiscountPct', 'exitDiscountPct', 'notionalUsd', 'maxSlippageBps', 'maxHoldHours', 'mode'] as const;
const FIELDS: readonly Field<(typeof TERMS)[number]>[] = [
  { name: 'enterDiscountPct', label: 'Enter at discount (%)', hint: 'Buys once the token is so far below the share.', kind: 'number' },
  { name: 'exitDiscountPct', label: 'Exit at discount (%)', hint: 'Sells once the discount has closed to this.', kind: 'number' },
  { name: 'notionalUsd', label: 'Size (USD)', hint: 'Bought once.', kind: 'amount' },
  { name: 'maxSlippageBps', label: 'Max slippage (bps)', hint: 'Worst price of an order.', kind: 'number' },
  { name: 'maxHoldHours', label: 'Max hold (hours)', hint: 'Sells the position after this time.', kind: 'number' },
  {
    name: 'mode',
    label: 'Account',
    choices: [
      { value: 'paper', label: 'Paper' },
      { value: 'live', label: 'Live: trades real money' },
      { value: 'draft', label: 'Draft: trades nothing' },
    ],
  },
];
const FIRST = {
  enterDiscountPct: '2',
  exitDiscountPct: '0.2',
  notionalUsd: '1000',
  maxSlippageBps: '50',
  maxHoldHours: '72',
  mode: 'paper',
};

/** Form that arms a policy. @param props.symbol Preselected token. */
export function ArmPolicy({ symbol }: { readonly symbol?: string }) {
  const symbols = useCatalog()
    .filter(({ kind }) => kind === 'tokenized_equity')
    .map(({ instrument }) => instrument);
  const name = symbol === undefined ? 'Arm a policy' : `Arm a policy on ${symbol}`;
  if (!useMay('trade:execute') || symbols[0] === undefined) return null;
  return (
    <AskForm
      verb="Arm a policy"
      name={name}
      title={name}
      done="The policy is saved."
      changes={['basis-policies']}
      fields={symbol === undefined ? [{ name: 'symbol', label: 'Token', choices: symbols }, ...FIELDS] : FIELDS}
      first={{ symbol: symbol ?? symbols[0], ...FIRST }}
      act={({ symbol: token, notionalUsd, mode, ...terms }) => {
        const numbers = Object.fromEntries(Object.entries(terms).map(([term, text]) => [term, Number(text)])) as Terms;
        return api.armBasisPolicy({ body: { symbol: token, notionalUsd, mode: mode as 'paper' | 'live' | 'draft', ...numbers } });
      }}
    />
  );
}

type Terms = Pick<BasisPolicy, 'enterDiscountPct' | 'exitDiscountPct' | 'maxSlippageBps' | 'maxHoldHours'>;
