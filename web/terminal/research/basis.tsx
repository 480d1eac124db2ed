/** Basis of each share: token, share and perpetual side by side, with the net arbitrage after costs. */
import { useState } from 'react';
import { plain } from '../../words.js';
import { api, type BasisRow, useRead } from '../api.ts';
import { useCatalog, useEntry } from '../catalog.ts';
import { Choice } from '../kit/form.tsx';
import type { Column } from '../kit/columns.tsx';
import { Price, Quality } from '../kit/numbers.tsx';
import { useStore } from '../kit/store.ts';
import { instrument } from '../place.ts';
import { ArmPolicy } from './basis-policies.tsx';
import { Loaded } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';
import { Instrument } from '../kit/columns.tsx';

const SIZES = ['100', '1000', '10000', '100000'];
const FIRST_SIZE = '1000';

const useBasis = (notionalUsd: string) =>
  useRead(['basis', notionalUsd], (call) => api.listBasis({ notionalUsd, limit: 200 }, call), {
    refetchInterval: 15_000,
    placeholderData: (before) => before,
  });

/** Basis of the chosen instrument, or of the token with the same underlying. */
export function BasisPanel() {
  const entry = useEntry(useStore(instrument));
  const read = useBasis(FIRST_SIZE);
  const same = (read.data?.items ?? []).filter(({ underlying }) => underlying === entry?.underlying);
  const row = same.find(({ symbol }) => symbol === entry?.instrument) ?? same[0];
  return (
    <div className="panel-scroll padded">
      <Loaded query={read}>
        {() =>
          row === undefined ? (
            <p className="empty">{entry?.instrument ?? 'This instrument'} has no second leg to compare its price with.</p>
          ) : (
            <BasisCard row={row} />
          )
        }
      </Loaded>
    </div>
  );
}

export function Basis() {
  const [notionalUsd, setNotional] = useState(FIRST_SIZE);
  const read = useBasis(notionalUsd);
  return (
    <div className="page">
      <div className="page-head">
        <h1>Basis</h1>
        <a href="#/basis-policies">Policies</a>
        <span className="space" />
        <Choice
          label="Trade size"
          choices={SIZES.map((value) => ({ value, label: `$${Number(value).toLocaleString('en-US')} each way` }))}
          value={notionalUsd}
          choose={setNotional}
        />
      </div>
      <p className="faint">
        In basis points (bps). Net edge is the spread less fees, spreads, price impact, transfer fees and funding, both ways.
      </p>
      <Loaded query={read} />
      <div className="basis-cards">
        {(read.data?.items ?? []).map((row) => (
          <BasisCard key={row.symbol} row={row} />
        ))}
      </div>
    </div>
  );
}

function BasisCard({ row }: { readonly row: BasisRow }) {
  const { symbol, underlying, legs, hourlyFunding, edges } = row;
  const key = useCatalog().find(({ instrument }) => instrument === symbol)?.key ?? `spotchain:${symbol}`;
  return (
    <article className="card basis" data-basis={symbol}>
      <h2>
        <Instrument of={key}>{symbol}</Instrument> <small>{underlying}</small>
      </h2>
      <div className="legs">
        {(['token', 'reference', 'perpetual'] as const).map((leg) => (
          <div key={leg}>
            <span className="faint">{leg === 'reference' ? 'share' : leg === 'token' ? 'spot' : leg}</span>
            <strong>
              <Price price={legs[leg]?.price} />
            </strong>
            {legs[leg] === null ? <span className="faint">no price</span> : <Quality row={legs[leg] ?? undefined} />}
          </div>
        ))}
      </div>
      <Table rows={edges} keyOf={({ against }) => against} columns={EDGES} />
      <div className="basis-foot">
        <p className="faint">{hourlyFunding === null ? 'No funding rate.' : `Funding ${annualPct(hourlyFunding)} % a year`}</p>
        {legs.reference !== null && <ArmPolicy symbol={symbol} />}
      </div>
    </article>
  );
}

const EDGES: readonly Column<BasisRow['edges'][number]>[] = [
  { title: 'Against', text: ({ against }) => (against === 'reference' ? 'share' : against) },
  { title: 'Spread', text: ({ spreadBps }) => bpsText(spreadBps) },
  {
    title: 'Costs',
    cell: ({ costs }) => (
      <span title={costs.map(({ name, bps }) => `${name}: ${bps} bps`).join('\n')}>
        {costs.reduce((total, { bps }) => total + Number(bps), 0).toFixed(1)}
      </span>
    ),
  },
  { title: 'Net edge', cell: showNetEdge },
  { title: 'Half-life', text: ({ halfLifeHours }) => (halfLifeHours === null ? '–' : `${halfLifeHours.toFixed(1)} h`) },
];

function showNetEdge({ netEdgeBps, reasons }: BasisRow['edges'][number]) {
  const why = reasons.map(plain).join(', ');
  return (
    <span className={netEdgeBps === null ? 'faint' : Number(netEdgeBps) > 0 ? 'up' : 'down'} title={why}>
      {netEdgeBps === null ? why || '–' : bpsText(netEdgeBps)}
    </span>
  );
}

/** Converts an hourly rate to percent a year, for display only. */
const annualPct = (hourly: string): string => (Number(hourly) * 24 * 365 * 100).toFixed(2);

const bpsText = (bps: string | null): string => (bps === null ? '–' : Number(bps).toFixed(1));
