/** Wallets from which an agent or a Take trades without asking: the signed delegations, and the form that asks for another one. */
import { Button, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Delegation, DelegationChallenge } from '../../../clients/typescript/src/index.ts';
import { clockAndZone, dayAndTime } from '../../words.js';
import { api, refresh } from '../api.ts';
import { Address } from '../kit/address.tsx';
import { At } from '../kit/ages.tsx';
import { Ask } from '../kit/ask.tsx';
import { isAmount, withoutZeros } from '../kit/decimal.ts';
import { List, useList } from '../kit/lists.tsx';
import { Money } from '../kit/numbers.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { feed } from '../market.ts';
import { useMay } from '../member.ts';
import { TextSigning } from './signing.tsx';

/** The trader that a wallet is delegated to. */
export type Trader = { readonly agentId: string } | { readonly takeId: string };

interface Wish {
  readonly wallet: string;
  readonly signerWallet: string;
  readonly maxNotionalUsd: string;
  readonly expiresAt: string;
}

const DAY_MS = 86_400_000;
/** Longest time between the text and its signature. */
const CHALLENGE_MS = 600_000;
/** Lines of the text, by term. */
const LINES: readonly (readonly [line: string, term: keyof Wish])[] = [
  ['Wallet', 'wallet'],
  ['Wallet at the signer', 'signerWallet'],
  ['Max per transaction', 'maxNotionalUsd'],
  ['Expires', 'expiresAt'],
];

export function Delegations({ trader }: { readonly trader: Trader }) {
  const mayGrant = useMay('trade:execute');
  const delegations = useList(['delegations', trader], (page, options) => api.listDelegations({ ...page, ...trader }, options));
  const newest = delegations.data?.pages[0]?.items[0]?.id;
  return (
    <section className="stack" aria-label="Delegated wallets">
      <p className="faint">
        It trades from a delegated wallet without a prompt per trade. Delegating takes the owner’s signature and the permission
        trade:execute. The newest delegation counts.
      </p>
      <List
        list={delegations}
        label="Delegations, newest first"
        empty="No delegated wallet."
        keyOf={({ id }) => id}
        columns={[
          { title: 'Wallet', cell: ({ wallet }) => <Address address={wallet} /> },
          { title: 'Status', isText: true, cell: (one) => statusOf(one, one.id === newest) },
          { title: 'Max per transaction', cell: ({ maxNotionalUsd }) => <Money usd={maxNotionalUsd} /> },
          { title: 'Expires', cell: ({ expiresAt }) => <At at={expiresAt} /> },
          { title: 'Granted by', isText: true, cell: ({ grantedBy }) => grantedBy },
          { title: '', cell: (one) => mayGrant && statusOf(one, one.id === newest) === 'holds' && <Revoke delegation={one} /> },
        ]}
      />
      {mayGrant && <Delegate trader={trader} />}
    </section>
  );
}

function statusOf({ revokedAt, revokedBy, expiresAt }: Delegation, isNewest: boolean): string {
  if (revokedAt !== null) return `revoked by ${revokedBy}`;
  if (Date.parse(expiresAt) <= feed.now()) return 'expired';
  return isNewest ? 'holds' : 'replaced';
}

const Revoke = ({ delegation: { id } }: { readonly delegation: Delegation }) => (
  <Ask
    verb="Revoke"
    title="Revoke this delegation?"
    isDangerous
    done="Revoked. It can sign nothing more."
    changes={['delegations']}
    act={() => api.revokeDelegation({ id })}
  >
    <p>No new transactions are signed from this wallet. Signed ones stay valid.</p>
  </Ask>
);

const FIELDS = [
  ['wallet', 'Wallet on the primary chain', ''],
  ['signerWallet', 'Wallet id at the remote signer', ''],
  ['maxNotionalUsd', 'Max per transaction (USD)', '500'],
  ['days', 'Valid for (days, max 90)', '30'],
] as const;
type Written = Record<(typeof FIELDS)[number][0], string>;

/** @throws Error if a number of the form is none. */
function wishOf({ days, ...written }: Written): Wish {
  if (!isAmount(days)) throw new Error('Enter the validity as a number of days, for example 30.');
  if (!isAmount(written.maxNotionalUsd)) throw new Error('Enter the most per transaction as a number above zero, for example 500.');
  const now = Math.floor(feed.now() / 1_000) * 1_000;
  return { ...written, expiresAt: new Date(now + Math.round(Number(days) * DAY_MS)).toISOString() };
}

function Delegate({ trader }: { readonly trader: Trader }) {
  const [written, setWritten] = useState<Written>({ wallet: '', signerWallet: '', maxNotionalUsd: '', days: '30' });
  const asking = useMutation({
    mutationFn: async () => {
      const wish = wishOf(written);
      return { wish, challenge: await api.challengeDelegation({ body: { ...trader, ...wish } }) };
    },
  });
  return (
    <>
      <form
        className="field-pairs"
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          asking.mutate();
        }}
      >
        {FIELDS.map(([name, label, hint]) => (
          <TextInput
            key={name}
            label={label}
            placeholder={hint}
            required
            spellCheck={false}
            autoComplete="off"
            value={written[name]}
            onChange={({ currentTarget: { value } }) => setWritten((before) => ({ ...before, [name]: value.trim() }))}
          />
        ))}
        <Button type="submit" variant="default" className="at-bottom" loading={asking.isPending}>
          Create text to sign
        </Button>
      </form>
      <Refusal error={asking.error} />
      {asking.data !== undefined && <ToSign key={asking.data.challenge.nonce} {...asking.data} trader={trader} done={asking.reset} />}
    </>
  );
}

interface ToSignProps {
  readonly wish: Wish;
  readonly challenge: DelegationChallenge;
  readonly trader: Trader;
  readonly done: () => void;
}

function ToSign({ wish, challenge: { text, issuedAt, nonce }, trader, done }: ToSignProps) {
  const differences = differencesOf(text, wish, trader);
  if (differences.length > 0)
    return (
      <p className="refusal" role="alert">
        Not signed: the text differs from your request. {differences.join('; ')}.
      </p>
    );
  const handIn = async (signature: string) => {
    await api.grantDelegation({ body: { ...trader, ...wish, issuedAt, nonce, signature } });
    refresh('delegations');
    notifications.show({ color: 'teal', message: 'Delegated.' });
    done();
  };
  return (
    <div className="stack to-sign">
      <dl className="facts left">
        <dt>Trader</dt>
        <dd>{'agentId' in trader ? 'this agent, without asking each time' : 'this Take, without asking each time'}</dd>
        <dt>From</dt>
        <dd>
          <Address address={wish.wallet} />
        </dd>
        <dt>Max per transaction</dt>
        <dd>{wish.maxNotionalUsd} USD</dd>
        <dt>Until</dt>
        <dd>{dayAndTime(wish.expiresAt)}</dd>
        <dt>Sign before</dt>
        <dd>{clockAndZone(Date.parse(issuedAt) + CHALLENGE_MS)}</dd>
      </dl>
      <pre className="wallet-text" tabIndex={0} role="region" aria-label="Text to sign">
        {text}
      </pre>
      <TextSigning address={wish.wallet} text={text} handIn={handIn} />
    </div>
  );
}

/** Finds the lines in which a text differs from the request. */
function differencesOf(text: string, wish: Wish, trader: Trader): readonly string[] {
  const said = new Map(text.split('\n').map((line) => [line.split(': ')[0] ?? '', line.slice(line.indexOf(': ') + 2)] as const));
  const whose: readonly [string, string] = 'agentId' in trader ? ['Agent', trader.agentId] : ['Take', trader.takeId];
  const wanted = LINES.map(([line, term]) => [line, wish[term], term === 'maxNotionalUsd'] as const);
  return [[...whose, false] as const, ...wanted].flatMap(([line, asked, isMoney]) => {
    const given = said.get(line);
    const isSame = isMoney ? given === `${withoutZeros(asked)} US dollars` : given === asked;
    return isSame ? [] : [`${line} is “${given ?? ''}” instead of “${asked}”`];
  });
}
