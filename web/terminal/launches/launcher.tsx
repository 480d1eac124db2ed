/** A token to be launched by the external launcher: the form, its price, and the wallet that pays. */
import { Select, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { QuotedLaunch } from '../../../clients/typescript/src/index.ts';
import { clockAndZone } from '../../words.js';
import { ApiError, api } from '../api.ts';
import { Address } from '../kit/address.tsx';
import { Loaded } from '../kit/lists.tsx';
import { useMay } from '../member.ts';
import { useAgents } from '../organization.ts';
import { goTo } from '../place.ts';
import { Signing } from '../wallet/signing.tsx';
import { problemOf } from './form.tsx';
import { madeOnce, submitLaunch } from './prepare.ts';

type Wish = Readonly<Record<'agentId' | 'pair' | 'creatorFeeBps' | 'name' | 'symbol' | 'description' | 'imageUrl', string>>;
const EMPTY: Wish = { agentId: '', pair: '', creatorFeeBps: '', name: '', symbol: '', description: '', imageUrl: '' };

/** Lamports as whole coins, exactly. */
function solOf(lamports: string): string {
  const digits = lamports.padStart(10, '0');
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`.replace(/\.?0+$/, '');
}

export function LauncherForm() {
  const [wish, setWish] = useState(EMPTY);
  const [refused, setRefused] = useState<ApiError | null>(null);
  const [offer, setOffer] = useState<QuotedLaunch | null>(null);
  const mayTrade = useMay('trade:execute');
  const quoteOnce = useMemo(
    () => madeOnce((body: Parameters<typeof api.quoteLauncherLaunch>[0]['body']) => api.quoteLauncherLaunch({ body })),
    [],
  );
  const prepare = async ([creator]: readonly string[]) => {
    if (creator === undefined) throw new Error('The wallet shared no account.');
    setRefused(null);
    setOffer(null);
    try {
      const quoted = await quoteOnce({ ...wish, creatorFeeBps: Number(wish.creatorFeeBps), creator });
      setOffer(quoted);
      const handIn = async (signed: readonly string[]) => {
        await submitLaunch(quoted.id, 'launcher', signed);
        goTo(`launches/${quoted.id}`);
      };
      return { unsigned: [quoted.transaction], signer: creator, handIn };
    } catch (error) {
      if (error instanceof ApiError) setRefused(error);
      throw error;
    }
  };
  return (
    <div className="page">
      <a className="trail" href="#/launches">
        ← Launches
      </a>
      <h1>Launch with the external launcher</h1>
      <section className="card claims stack" aria-label="The token">
        <Fields wish={wish} write={(by) => setWish((before) => ({ ...before, ...by }))} refused={refused} />
      </section>
      <section className="card claims stack" aria-label="Pay and sign">
        <h2>Pay and sign</h2>
        <p>The wallet that signs is the creator and pays the launcher once. Price and recipient appear here before you sign.</p>
        {offer !== null && <Offer offer={offer} />}
        {mayTrade ? <Signing prepare={prepare} /> : <p className="faint">Launching requires the permission trade:execute.</p>}
      </section>
    </div>
  );
}

interface FieldsProps {
  readonly wish: Wish;
  readonly write: (by: Partial<Wish>) => void;
  readonly refused: ApiError | null;
}

function Fields({ wish, write, refused }: FieldsProps) {
  const pairs = useQuery({
    queryKey: ['launcher-pairs'],
    queryFn: ({ signal }) => api.listLauncherPairs({}, { signal }),
    staleTime: Infinity,
  });
  const { data: agents = [] } = useAgents();
  const text = (field: keyof Wish, label: string, placeholder: string) => (
    <TextInput
      label={label}
      placeholder={placeholder}
      autoComplete="off"
      value={wish[field]}
      error={problemOf(refused, field)}
      onChange={({ currentTarget }) => write({ [field]: currentTarget.value })}
    />
  );
  const choice = (field: keyof Wish, label: string, data: { readonly value: string; readonly label: string }[]) => (
    <Select
      size="xs"
      label={label}
      searchable
      allowDeselect={false}
      data={data}
      value={wish[field] === '' ? null : wish[field]}
      error={problemOf(refused, field)}
      onChange={(value) => write({ [field]: value ?? '' })}
    />
  );
  return (
    <Loaded query={pairs}>
      {({ items, creatorFeeBps: { min, max } }) => (
        <div className="field-pairs">
          {choice(
            'agentId',
            'Agent',
            agents.map(({ id, name }) => ({ value: id, label: name })),
          )}
          {choice(
            'pair',
            'Paired share',
            items.map(({ symbol, name }) => ({ value: symbol, label: `${symbol} ${name}` })),
          )}
          {text('name', 'Name', 'Dynamo')}
          {text('symbol', 'Symbol', 'DYNAMO')}
          {text('imageUrl', 'Image URL', 'https://example.com/token.png')}
          {text('creatorFeeBps', `Creator fee per trade (bps, ${min} to ${max})`, String(min))}
          <Description
            text={wish.description}
            problem={problemOf(refused, 'description')}
            write={(description) => write({ description })}
          />
        </div>
      )}
    </Loaded>
  );
}

interface DescriptionProps {
  readonly text: string;
  readonly problem: string | null;
  readonly write: (text: string) => void;
}

const Description = ({ text, problem, write }: DescriptionProps) => (
  <Textarea
    size="xs"
    label="Description, 20 to 500 characters"
    autosize
    minRows={3}
    value={text}
    error={problem}
    onChange={({ currentTarget }) => write(currentTarget.value)}
  />
);

function Offer({ offer: { lamports, recipient, expiresAt, launch } }: { readonly offer: QuotedLaunch }) {
  return (
    <dl className="figures tall">
      <div>
        <dt>Price</dt>
        <dd className="num" title={`${lamports} lamports`}>
          {solOf(lamports)} SOL
        </dd>
      </div>
      <div>
        <dt>Recipient</dt>
        <dd>
          <Address address={recipient} />
        </dd>
      </div>
      <div>
        <dt>Offer valid until</dt>
        <dd>{clockAndZone(launch.validUntil)}</dd>
      </div>
      <div>
        <dt>Sign before</dt>
        <dd>{clockAndZone(expiresAt)}</dd>
      </div>
    </dl>
  );
}
