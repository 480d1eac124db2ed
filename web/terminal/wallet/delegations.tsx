/** Delegations that let an agent or Take trade from a wallet without asking, and the form of a new one. */
import { notifications } from '@mantine/notifications';
import { DAY_MS } from '../../../src/domain/values/time.ts';
import { clockAndZone, dayAndTime } from '../../words.js';
import { api, refresh, type Delegation, type DelegationChallenge } from '../api.ts';
import { Address } from '../kit/address.tsx';
import { Ask } from '../kit/ask.tsx';
import { type Field, Form } from '../kit/form.tsx';
import { FigureList, List, useList } from '../kit/lists.tsx';
import { feed } from '../market.ts';
import { useMay } from '../member.ts';
import { delegationDifferences, type Trader, type Wish } from './delegation-text.ts';
import { TextSigning } from './signing.tsx';

/** Maximum time between the text and its signature. */
const CHALLENGE_MS = 600_000;

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
          { title: 'Wallet', address: ({ wallet }) => wallet },
          { title: 'Status', isText: true, text: (one) => describeStatus(one, one.id === newest) },
          { title: 'Max per transaction', money: ({ maxNotionalUsd }) => maxNotionalUsd },
          { title: 'Expires', at: ({ expiresAt }) => expiresAt },
          { title: 'Granted by', isText: true, text: ({ grantedBy }) => grantedBy },
          {
            title: 'Actions',
            buttons: (one) => mayGrant && describeStatus(one, one.id === newest) === 'holds' && <Revoke delegation={one} />,
          },
        ]}
      />
      {mayGrant && <Delegate trader={trader} />}
    </section>
  );
}

function describeStatus({ revokedAt, revokedBy, expiresAt }: Delegation, isNewest: boolean): string {
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

const FIELDS: readonly Field<'wallet' | 'signerWallet' | 'maxNotionalUsd' | 'days'>[] = [
  { name: 'wallet', label: 'Wallet on the primary chain', kind: 'code' },
  { name: 'signerWallet', label: 'Wallet id at the remote signer', kind: 'code' },
  { name: 'maxNotionalUsd', label: 'Max per transaction (USD)', kind: 'amount', placeholder: '500' },
  { name: 'days', label: 'Valid for (days, max 90)', kind: 'amount' },
];
const FIRST = { wallet: '', signerWallet: '', maxNotionalUsd: '', days: '30' };

function toWish({ days, ...written }: typeof FIRST): Wish {
  const now = Math.floor(feed.now() / 1_000) * 1_000;
  return { ...written, expiresAt: new Date(now + Math.round(Number(days) * DAY_MS)).toISOString() };
}

const Delegate = ({ trader }: { readonly trader: Trader }) => (
  <Form
    look="field-pairs"
    fields={FIELDS}
    first={FIRST}
    verb="Create text to sign"
    send={async (texts) => {
      const wish = toWish(texts);
      return { wish, challenge: await api.challengeDelegation({ body: { ...trader, ...wish } }) };
    }}
    answer={(asked, forget) => <ToSign key={asked.challenge.nonce} {...asked} trader={trader} done={forget} />}
  />
);

interface ToSignProps {
  readonly wish: Wish;
  readonly challenge: DelegationChallenge;
  readonly trader: Trader;
  readonly done: () => void;
}

function ToSign({ wish, challenge: { text, issuedAt, nonce }, trader, done }: ToSignProps) {
  const differences = delegationDifferences(text, wish, trader);
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
      <FigureList
        look="facts left"
        lines={[
          ['Trader', 'agentId' in trader ? 'this agent, without asking each time' : 'this Take, without asking each time'],
          ['From', <Address address={wish.wallet} />],
          ['Max per transaction', `${wish.maxNotionalUsd} USD`],
          ['Until', dayAndTime(wish.expiresAt)],
          ['Sign before', clockAndZone(Date.parse(issuedAt) + CHALLENGE_MS)],
        ]}
      />
      <pre className="wallet-text" tabIndex={0} role="region" aria-label="Text to sign">
        {text}
      </pre>
      <TextSigning address={wish.wallet} text={text} handIn={handIn} />
    </div>
  );
}
