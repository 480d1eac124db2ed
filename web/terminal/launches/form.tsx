/** Form of a token launch from an agent or Take to the signature, with a live preview of its curve. */
import { useDebouncedValue } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import { USDC_MINT } from '../../../src/domain/catalog/catalog.ts';
import { NATIVE_MINT } from '../../../src/domain/launch/quote-tokens.ts';
import { clockAndZone, plain, readSymbol } from '../../words.js';
import { ApiError, api, useRead, type LaunchPreview } from '../api.ts';
import { useCatalog } from '../catalog.ts';
import { type Field, Fields, type Texts } from '../kit/form.tsx';
import { Card, Loaded, Trail } from '../kit/lists.tsx';
import { useMay } from '../member.ts';
import { useAgents } from '../organization.ts';
import { goTo } from '../place.ts';
import { Signing } from '../wallet/signing.tsx';
import { Curve } from './curve.tsx';
import { madeOnce, submitLaunch } from './prepare.ts';
import { Terms } from './terms.tsx';

/** Wrapped native coin and the stablecoin: quote tokens that are not in the catalog. */
const COINS = [
  { value: NATIVE_MINT, label: 'SOL' },
  { value: USDC_MINT, label: 'USDC' },
];
/** Pause after typing before the preview is requested, in milliseconds. */
const QUIET_MS = 250;

type Name = 'name' | 'symbol' | 'uri' | 'preset' | 'quoteMint' | 'startingFdv' | 'firstBuy' | 'agentId' | 'takeId';
type Wish = Texts<Name>;
type Preset = LaunchPreview['preset'];

/** Reads the agent or Take of a launch from the address: `#/launches/new?agent=…`, or `?take=…`. */
function asked(): Pick<Wish, 'agentId' | 'takeId'> {
  const query = new URLSearchParams(location.hash.split('?')[1] ?? '');
  return { agentId: query.get('agent') ?? '', takeId: query.get('take') ?? '' };
}

const FIRST: Omit<Wish, 'agentId' | 'takeId'> = {
  name: '',
  symbol: '',
  uri: '',
  preset: 'reference_anchored',
  quoteMint: COINS[0]?.value ?? '',
  startingFdv: '30',
  firstBuy: '',
};

const given = (wish: Wish) =>
  Object.fromEntries(Object.entries(wish).filter(([, value]) => value.trim() !== '')) as Partial<Wish> & Pick<Wish, 'name'>;

export function LaunchForm() {
  const [wish, setWish] = useState<Wish>(() => ({ ...FIRST, ...asked() }));
  const [until, setUntil] = useState('');
  const [refused, setRefused] = useState<ApiError | null>(null);
  const mayTrade = useMay('trade:execute');
  const write = (field: Name, text: string) => {
    setRefused(null);
    setWish((before) => ({ ...before, [field]: text }));
  };
  const prepareOnce = useMemo(() => madeOnce((body: Parameters<typeof api.prepareLaunch>[0]['body']) => api.prepareLaunch({ body })), []);
  const prepare = async ([creator]: readonly string[]) => {
    if (creator === undefined) throw new Error('The wallet shared no account.');
    try {
      const { id, transactions, expiresAt } = await prepareOnce({ ...(given(wish) as Wish & { preset: Preset }), creator });
      setUntil(clockAndZone(expiresAt));
      const handIn = async (signed: readonly string[]) => {
        await submitLaunch(id, 'curve', signed);
        goTo(`launches/${id}`);
      };
      return { unsigned: transactions, signer: creator, handIn };
    } catch (error) {
      if (error instanceof ApiError) setRefused(error);
      throw error;
    }
  };
  return (
    <div className="page">
      <Trail to="launches" name="Launches" />
      <h1>Launch a token</h1>
      <div className="launch-sight">
        <div className="stack">
          <Card title="The token">
            <div className="field-pairs">
              <Fields fields={useLaunchFields(wish.takeId !== '')} texts={wish} write={write} refused={refused} />
            </div>
          </Card>
          <Card title="Sign">
            <p>
              The wallet that signs is the creator. It pays for the launch, receives the tokens of the first buy, and earns the creator
              fees.
            </p>
            {until !== '' && <p role="status">Prepared. Sign before {until}.</p>}
            {mayTrade ? <Signing prepare={prepare} /> : <p className="faint">A launch requires the permission trade:execute.</p>}
          </Card>
        </div>
        <Card title="Its curve">
          <Preview wish={wish} />
        </Card>
      </div>
    </div>
  );
}

function useLaunchFields(isOfTake: boolean): readonly Field<Name>[] {
  const { data: presets } = useRead(['launch-presets'], (call) => api.listLaunchPresets({}, call), { staleTime: Infinity });
  const { data: agents = [] } = useAgents();
  const quoted = useCatalog().filter(({ token, kind }) => token !== null && (kind === 'tokenized_equity' || kind === 'pre_ipo'));
  const curves = (presets?.items ?? []).map(({ key, graduationMultiple }) => ({
    value: key,
    label: `${plain(key)}: graduates at ${graduationMultiple}×`,
  }));
  const coins = [...COINS, ...quoted.map(({ token, instrument }) => ({ value: token?.mint ?? '', label: readSymbol(instrument) }))];
  return [
    isOfTake
      ? { name: 'takeId', label: 'Take' }
      : {
          name: 'agentId',
          label: 'Agent',
          choices: [{ value: '', label: 'none' }, ...agents.map(({ id, name }) => ({ value: id, label: name }))],
        },
    { name: 'name', label: 'Name', placeholder: 'Lantern Bearer' },
    { name: 'symbol', label: 'Symbol', placeholder: 'LANTERN' },
    { name: 'uri', label: 'Metadata URL', placeholder: 'https://example.com/token.json', kind: 'code' },
    { name: 'preset', label: 'Curve', choices: curves },
    { name: 'quoteMint', label: 'Quote token', choices: coins },
    { name: 'startingFdv', label: 'Worth at the start (in quote tokens)', placeholder: '30', kind: 'number' },
    { name: 'firstBuy', label: 'Creator’s first buy (in quote tokens)', placeholder: 'none', kind: 'number' },
  ];
}

function Preview({ wish }: { readonly wish: Wish }) {
  const [{ preset, quoteMint, startingFdv, symbol }] = useDebouncedValue(wish, QUIET_MS);
  const preview = useRead(
    ['launch-preview', preset, quoteMint, startingFdv],
    (call) => api.previewLaunch({ body: { preset: preset as Preset, quoteMint, startingFdv } }, call),
    { staleTime: Infinity, placeholderData: (before) => before },
  );
  return (
    <Loaded query={preview}>
      {(data) => (
        <>
          <Curve preview={data} now={null} symbol={symbol === '' ? 'the token' : symbol} />
          <Terms preview={data} />
        </>
      )}
    </Loaded>
  );
}
