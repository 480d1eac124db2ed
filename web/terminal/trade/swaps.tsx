/** Swaps of the organization on the primary chain: state, route and signature. */
import { useState } from 'react';
import type { SwapOrder } from '../../../clients/typescript/src/index.ts';
import { plain, priceText } from '../../words.js';
import { api } from '../api.ts';
import { Address } from '../kit/address.tsx';
import { Ago } from '../kit/ages.tsx';
import { List, useList } from '../kit/lists.tsx';
import { Money, Price } from '../kit/numbers.tsx';
import { useMay } from '../member.ts';
import { SwapSigning } from '../wallet/signing.tsx';
import { choose } from '../place.ts';

const READ_EVERY_MS = 5_000;
const TONES: { readonly [state: string]: string } = {
  prepared: 'warn',
  finalized: 'up',
  confirmed: 'up',
  refused: 'down',
  failed: 'down',
  unknown: 'down',
  expired: 'faint',
};

export function Swaps() {
  const [signing, setSigning] = useState<string | null>(null);
  const swaps = useList(['swaps'], (page, options) => api.listSwaps(page, options), { everyMs: READ_EVERY_MS });
  return (
    <div className="page">
      <h1>Swaps</h1>
      <p className="faint">A swap is prepared in the ticket of a token, signed by your wallet, and followed here until it is final.</p>
      <List
        list={swaps}
        label="Swaps"
        empty={
          <>
            No swaps yet. <a href="#/trade/spotchain%3AAAPLx">Open the ticket of a token</a> to see its route and prepare one.
          </>
        }
        keyOf={({ id }) => id}
        markOf={({ state }) => state}
        columns={[
          { title: 'Token', cell: (swap) => <What swap={swap} /> },
          { title: 'State', isText: true, cell: (swap) => <State swap={swap} /> },
          { title: 'Paid', cell: ({ input }) => priceText(input.uiAmount) },
          { title: 'Received', cell: ({ output }) => priceText(output.uiAmount) },
          { title: 'Value', cell: ({ notionalUsd }) => <Money usd={notionalUsd} /> },
          { title: 'Price', cell: ({ price }) => <Price price={price} /> },
          { title: 'Worst price', cell: ({ worstPrice }) => <Price price={worstPrice} /> },
          { title: 'Impact', cell: ({ priceImpactPct }) => (priceImpactPct === null ? '–' : `${priceImpactPct} %`) },
          { title: 'Route', isText: true, cell: ({ route }) => route.map(({ venue, percent }) => `${venue} ${percent} %`).join(', ') },
          { title: 'Wallet', isText: true, cell: ({ wallet }) => <Address address={wallet} /> },
          { title: 'Signature', isText: true, cell: ({ signature }) => (signature === null ? '–' : <Address address={signature} />) },
          { title: 'Changed', cell: ({ changedAt }) => <Ago at={changedAt} /> },
          { title: '', cell: ({ id, state }) => <Sign id={id} state={state} sign={setSigning} /> },
        ]}
      />
      {signing !== null && (
        <section className="card claims" aria-label="Sign the swap">
          <h2>Sign the swap</h2>
          <SwapSigning key={signing} id={signing} />
        </section>
      )}
    </div>
  );
}

function What({ swap: { side, instrument } }: { readonly swap: SwapOrder }) {
  return (
    <>
      <span className={side === 'buy' ? 'up' : 'down'}>{side}</span>{' '}
      <button type="button" className="plain" onClick={() => choose(`spotchain:${instrument.replace(/^spotchain:/, '')}`)}>
        {instrument.replace(/^spotchain:/, '')}
      </button>
    </>
  );
}

function State({ swap: { state, reason, detail } }: { readonly swap: SwapOrder }) {
  const why = detail ?? (reason === null ? null : plain(reason));
  return (
    <>
      <span className={TONES[state] ?? ''}>{plain(state)}</span>
      {why !== null && <small className="long"> {why}</small>}
    </>
  );
}

interface SignProps {
  readonly id: string;
  readonly state: SwapOrder['state'];
  readonly sign: (id: string) => void;
}

function Sign({ id, state, sign }: SignProps) {
  const mayTrade = useMay('trade:execute');
  if (!mayTrade || state !== 'prepared') return null;
  return (
    <button type="button" className="plain" onClick={() => sign(id)}>
      Sign
    </button>
  );
}
