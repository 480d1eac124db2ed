/** Pre-IPO tokens next to their issuers' marks, and the history of each mark. */
import { useState } from 'react';
import type { CatalogEntry } from '../../../clients/typescript/src/index.ts';
import { plain } from '../../words.js';
import { api } from '../api.ts';
import { useCatalog } from '../catalog.ts';
import { At } from '../kit/ages.tsx';
import { Opener } from '../kit/beside.tsx';
import { Choice } from '../kit/form.tsx';
import { List, useList } from '../kit/lists.tsx';
import { Change, compactText, Price } from '../kit/numbers.tsx';
import { choose } from '../place.ts';

const READ_EVERY_MS = 15_000;

export function PrivateMarkets() {
  const [sector, setSector] = useState('');
  const [instrument, setInstrument] = useState<string | null>(null);
  const sectors = useCatalog()
    .filter(({ kind }) => kind === 'pre_ipo')
    .map((entry) => entry.sector);
  const markets = useList(
    ['private-markets', sector],
    (page, options) => api.listPrivateMarkets({ ...page, ...(sector === '' ? {} : { sector }) }, options),
    { everyMs: READ_EVERY_MS },
  );
  return (
    <div className="page">
      <div className="page-head">
        <h1>Private markets</h1>
        <span className="space" />
        <Choice label="Sector" every="All sectors" choices={[...new Set(sectors)]} value={sector} choose={setSector} />
      </div>
      <List
        list={markets}
        label="Pre-IPO tokens"
        empty="No pre-IPO token is in the catalog."
        keyOf={({ key }) => key}
        columns={[
          { title: 'Token', cell: (entry) => <Token entry={entry} /> },
          { title: 'Price', cell: ({ livePrice }) => <Price price={livePrice} /> },
          { title: 'Gap', cell: ({ gapPct }) => <Change percent={gapPct} /> },
          { title: 'Issuer mark', cell: ({ issuerMark }) => <Price price={issuerMark} /> },
          { title: 'Implied valuation', cell: ({ impliedValuation }) => <Large usd={impliedValuation} /> },
          { title: 'Mark valuation', cell: ({ issuerMarkValuation }) => <Large usd={issuerMarkValuation} /> },
          { title: 'Mark changed', cell: ({ issuerMarkChangedAt }) => <At at={issuerMarkChangedAt} /> },
          { title: 'Sector', isText: true, cell: ({ sector: of }) => plain(of) },
          {
            title: '',
            cell: ({ instrument: symbol }) => (
              <Opener isOpen={instrument === symbol} toggle={() => setInstrument(instrument === symbol ? null : symbol)}>
                Marks
              </Opener>
            ),
          },
        ]}
      />
      <Marks instrument={instrument} />
    </div>
  );
}

function Token({ entry: { key, instrument, name, mintVerified } }: { readonly entry: CatalogEntry }) {
  return (
    <>
      <button type="button" className="plain" onClick={() => choose(key)}>
        {instrument}
      </button>{' '}
      <small>{name}</small> {mintVerified === false && <span className="tag down">mint not verified</span>}
    </>
  );
}

const Large = ({ usd }: { readonly usd: string | null }) =>
  usd === null ? <span className="faint">–</span> : <span title={`${usd} USD`}>${compactText(usd)}</span>;

/** Changes of issuers' marks, newest first. */
function Marks({ instrument }: { readonly instrument: string | null }) {
  const marks = useList(['marks', instrument], (page, options) =>
    api.listMarks({ ...page, ...(instrument === null ? {} : { instrument }) }, options),
  );
  return (
    <>
      <h2>{instrument === null ? 'Mark changes' : `Marks of ${instrument}`}</h2>
      <List
        list={marks}
        label="Mark changes"
        empty="No mark has changed since it was first read."
        keyOf={({ instrument: symbol, seenAt }) => `${symbol} ${seenAt}`}
        columns={[
          {
            title: 'Token',
            cell: ({ instrument: symbol, issuer }) => (
              <>
                {symbol} <small>{issuer}</small>
              </>
            ),
          },
          { title: 'Seen', cell: ({ seenAt }) => <At at={seenAt} /> },
          { title: 'Before', cell: ({ previousMarkPrice }) => <Price price={previousMarkPrice} /> },
          { title: 'Mark', cell: ({ markPrice }) => <Price price={markPrice} /> },
          { title: 'Change', cell: ({ changePct }) => <Change percent={changePct} /> },
          { title: 'Valuation', cell: ({ markValuation }) => <Large usd={markValuation} /> },
          { title: 'Source', isText: true, cell: ({ source }) => source },
        ]}
      />
    </>
  );
}
