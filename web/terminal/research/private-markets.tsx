/** Pre-IPO tokens next to their issuers' marks, and the history of each mark. */
import { useState } from 'react';
import { plain } from '../../words.js';
import { api, type CatalogEntry } from '../api.ts';
import { useCatalog } from '../catalog.ts';
import { Opener } from '../kit/beside.tsx';
import { Choice } from '../kit/form.tsx';
import { List, useList } from '../kit/lists.tsx';
import { Instrument } from '../kit/columns.tsx';

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
          { title: 'Token', cell: showToken },
          { title: 'Price', price: ({ livePrice }) => livePrice },
          { title: 'Gap', isFigure: true, change: ({ gapPct }) => gapPct },
          { title: 'Issuer mark', price: ({ issuerMark }) => issuerMark },
          { title: 'Implied valuation', large: ({ impliedValuation }) => impliedValuation },
          { title: 'Mark valuation', large: ({ issuerMarkValuation }) => issuerMarkValuation },
          { title: 'Mark changed', at: ({ issuerMarkChangedAt }) => issuerMarkChangedAt },
          { title: 'Sector', isText: true, text: ({ sector: of }) => plain(of) },
          {
            title: 'Actions',
            buttons: ({ instrument: symbol }) => (
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

const showToken = ({ key, instrument, name, mintVerified }: CatalogEntry) => (
  <>
    <Instrument of={key}>{instrument}</Instrument> <small>{name}</small>{' '}
    {mintVerified === false && <span className="tag down">mint not verified</span>}
  </>
);

/** Changes of issuers' marks, newest first. */
function Marks({ instrument }: { readonly instrument: string | null }) {
  return (
    <>
      <h2>{instrument === null ? 'Mark changes' : `Marks of ${instrument}`}</h2>
      <List
        list={useList(['marks', instrument], (page, options) =>
          api.listMarks({ ...page, ...(instrument === null ? {} : { instrument }) }, options),
        )}
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
          { title: 'Observed', at: ({ seenAt }) => seenAt },
          { title: 'Before', price: ({ previousMarkPrice }) => previousMarkPrice },
          { title: 'Mark', price: ({ markPrice }) => markPrice },
          { title: 'Change', isFigure: true, change: ({ changePct }) => changePct },
          { title: 'Valuation', large: ({ markValuation }) => markValuation },
          { title: 'Source', isText: true, text: ({ source }) => source },
        ]}
      />
    </>
  );
}
