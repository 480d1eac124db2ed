/** Token launch by the external launcher: form, price, and the paying wallet. */
import { useMemo, useState } from 'react';
import { clockAndZone } from '../../words.js';
import { ApiError, api, useRead, type QuotedLaunch } from '../api.ts';
import { Address } from '../kit/address.tsx';
import { type Field, Fields, type Texts } from '../kit/form.tsx';
import { Card, FigureList, Loaded, Trail } from '../kit/lists.tsx';
import { useMay } from '../member.ts';
import { useAgents } from '../organization.ts';
import { goTo } from '../place.ts';
import { Signing } from '../wallet/signing.tsx';
import { madeOnce, submitLaunch } from './prepare.ts';

type Wish = Texts<'agentId' | 'pair' | 'creatorFeeBps' | 'name' | 'symbol' | 'description' | 'imageUrl'>;
type LauncherPairs = Awaited<ReturnType<typeof api.listLauncherPairs>>;
const EMPTY: Wish = { agentId: '', pair: '', creatorFeeBps: '', name: '', symbol: '', description: '', imageUrl: '' };

/** Converts lamports to whole coins, exactly. */
function lamportsToSol(lamports: string): string {
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
      <Trail to="launches" name="Launches" />
      <h1>Launch with the external launcher</h1>
      <section className="card claims stack" aria-label="The token">
        <TokenFields wish={wish} write={(name, text) => setWish((before) => ({ ...before, [name]: text }))} refused={refused} />
      </section>
      <Card title="Pay and sign">
        <p>The wallet that signs is the creator and pays the launcher once. Price and recipient appear here before you sign.</p>
        {offer !== null && <Offer offer={offer} />}
        {mayTrade ? <Signing prepare={prepare} /> : <p className="faint">Launching requires the permission trade:execute.</p>}
      </Card>
    </div>
  );
}

interface TokenFieldsProps {
  readonly wish: Wish;
  readonly write: (name: keyof Wish, text: string) => void;
  readonly refused: ApiError | null;
}

const CHOOSE = { value: '', label: 'Choose…' };

function TokenFields({ wish, write, refused }: TokenFieldsProps) {
  const pairs = useRead(['launcher-pairs'], (call) => api.listLauncherPairs({}, call), { staleTime: Infinity });
  const { data: agents = [] } = useAgents();
  const buildFields = ({ items, creatorFeeBps: { min, max } }: LauncherPairs): readonly Field<keyof Wish>[] => [
    { name: 'agentId', label: 'Agent', choices: [CHOOSE, ...agents.map(({ id, name }) => ({ value: id, label: name }))] },
    {
      name: 'pair',
      label: 'Paired share',
      choices: [CHOOSE, ...items.map(({ symbol, name }) => ({ value: symbol, label: `${symbol} ${name}` }))],
    },
    { name: 'name', label: 'Name', placeholder: 'Dynamo' },
    { name: 'symbol', label: 'Symbol', placeholder: 'DYNAMO' },
    { name: 'imageUrl', label: 'Image URL', placeholder: 'https://example.com/token.png', kind: 'code' },
    { name: 'creatorFeeBps', label: `Creator fee per trade (bps, ${min} to ${max})`, placeholder: String(min), kind: 'number' },
    { name: 'description', label: 'Description, 20 to 500 characters', kind: 'area' },
  ];
  return (
    <Loaded query={pairs}>
      {(data) => (
        <div className="field-pairs">
          <Fields fields={buildFields(data)} texts={wish} write={write} refused={refused} />
        </div>
      )}
    </Loaded>
  );
}

const Offer = ({ offer: { lamports, recipient, expiresAt, launch } }: { readonly offer: QuotedLaunch }) => (
  <FigureList
    lines={[
      ['Price', <span title={`${lamports} lamports`}>{lamportsToSol(lamports)} SOL</span>],
      ['Recipient', <Address address={recipient} />],
      ['Offer valid until', clockAndZone(launch.validUntil)],
      ['Sign before', clockAndZone(expiresAt)],
    ]}
  />
);
