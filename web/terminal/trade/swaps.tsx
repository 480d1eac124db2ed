/** Swaps of the organization on the primary chain: state, route and signature. */
import { useState } from 'react';
import { plain, priceText } from '../../words.js';
import { api, type SwapOrder } from '../api.ts';
import { Address } from '../kit/address.tsx';
import { List, useList } from '../kit/lists.tsx';
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
  const swaps = useList(['swaps'], api.listSwaps, { everyMs: READ_EVERY_MS });
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
          { title: 'Token', cell: showWhat },
          { title: 'State', isText: true, cell: showState },
          { title: 'Paid', text: ({ input }) => priceText(input.uiAmount) },
          { title: 'Received', text: ({ output }) => priceText(output.uiAmount) },
          { title: 'Value', isFigure: true, money: ({ notionalUsd }) => notionalUsd },
          { title: 'Price', price: ({ price }) => price },
          { title: 'Worst price', price: ({ worstPrice }) => worstPrice },
          { title: 'Impact (%)', text: ({ priceImpactPct }) => priceImpactPct ?? '–' },
          { title: 'Route', isText: true, text: ({ route }) => route.map(({ venue, percent }) => `${venue} ${percent} %`).join(', ') },
          { title: 'Wallet', isText: true, address: ({ wallet }) => wallet },
          {
            title: 'Signature',
            isText: true,
            value: ({ signature }) => signature,
            cell: ({ signature }) => (signature === null ? '–' : <Address address={signature} />),
          },
          { title: 'Changed', ago: ({ changedAt }) => changedAt },
          { title: 'Actions', buttons: ({ id, state }) => <Sign id={id} state={state} sign={setSigning} /> },
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

const showWhat = ({ side, instrument }: SwapOrder) => (
  <>
    <span className={side === 'buy' ? 'up' : 'down'}>{side}</span>{' '}
    <button type="button" className="plain" onClick={() => choose(`spotchain:${instrument.replace(/^spotchain:/, '')}`)}>
      {instrument.replace(/^spotchain:/, '')}
    </button>
  </>
);

function showState({ state, reason, detail }: SwapOrder) {
  const why = detail ?? (reason === null ? null : plain(reason));
  return (
    <>
      <span className={TONES[state] ?? ''}>{plain(state)}</span>
      {why !== null && <small className="long"> {why}</small>}
    </>
  );
}

function Sign({ id, state, sign }: { readonly id: string; readonly state: SwapOrder['state']; readonly sign: (id: string) => void }) {
  const mayTrade = useMay('trade:execute');
  if (!mayTrade || state !== 'prepared') return null;
  return (
    <button type="button" className="plain" onClick={() => sign(id)}>
      Sign
    </button>
  );
}
