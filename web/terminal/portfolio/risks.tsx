/** Risks of a portfolio: stress scenarios, sectors, one underlying in several instruments, and pool exits. */
import type { ReactNode } from 'react';
import type { PortfolioView } from '../../../clients/typescript/src/index.ts';
import { plain } from '../../words.js';
import { At } from '../kit/ages.tsx';
import { type Column, Table } from '../kit/lists.tsx';
import { Money, Ratio } from '../kit/numbers.tsx';

type Row<Name extends 'scenarios' | 'sectors' | 'duplicates' | 'exits'> = PortfolioView[Name][number];

const SCENARIOS: readonly Column<Row<'scenarios'>>[] = [
  { title: 'Scenario', cell: ({ id, opensAt }) => <Scenario id={id} opensAt={opensAt} /> },
  { title: 'Loss', cell: ({ lossUsd }) => <Money usd={lossUsd} /> },
  { title: '%', cell: ({ lossPct }) => <Ratio value={lossPct} /> },
  { title: 'Value after', cell: ({ afterUsd }) => <Money usd={afterUsd} /> },
  { title: 'Left out', cell: ({ leftOut }) => leftOut.length },
];

function Scenario({ id, opensAt }: Pick<Row<'scenarios'>, 'id' | 'opensAt'>) {
  if (opensAt === null) return plain(id);
  return (
    <>
      {plain(id)}{' '}
      <small>
        to the open of <At at={opensAt} />
      </small>
    </>
  );
}

const SECTORS: readonly Column<Row<'sectors'>>[] = [
  { title: 'Sector', cell: ({ sector }) => plain(sector) },
  { title: 'Net', cell: ({ netUsd }) => <Money usd={netUsd} /> },
  { title: 'Weight', cell: ({ weightPct }) => <Ratio value={weightPct} unit=" %" /> },
];

const DUPLICATES: readonly Column<Row<'duplicates'>>[] = [
  { title: 'Underlying', cell: ({ underlying }) => underlying },
  {
    title: 'Held in',
    isText: true,
    cell: ({ members }) =>
      members.map(({ instrument, relation }) => (relation === 'paired_stock' ? `${instrument} (paired)` : instrument)).join(', '),
  },
  {
    title: 'Weight',
    cell: ({ weightPct, limitPct, exceedsLimit }) => <OfLimit pct={weightPct} limitPct={limitPct} exceeds={exceedsLimit} />,
  },
];

const EXITS: readonly Column<Row<'exits'>>[] = [
  { title: 'Instrument', cell: ({ instrument }) => instrument },
  { title: 'Position', cell: ({ positionUsd }) => <Money usd={positionUsd} /> },
  {
    title: 'Share of pool',
    cell: ({ sharePct, limitSharePct, exceedsLimit }) => <OfLimit pct={sharePct} limitPct={limitSharePct} exceeds={exceedsLimit} />,
  },
  { title: 'Sellable', cell: ({ exitableUsd }) => <Money usd={exitableUsd} /> },
  { title: 'Why', isText: true, cell: ({ why }) => <span className="long faint">{why}</span> },
];

interface OfLimitProps {
  readonly pct: number | null;
  readonly limitPct: number;
  readonly exceeds: boolean;
}

const OfLimit = ({ pct, limitPct, exceeds }: OfLimitProps) => (
  <span className={exceeds ? 'down' : undefined}>
    <Ratio value={pct} /> of {limitPct} %
  </span>
);

export function Risks({ of: { scenarios, sectors, duplicates, exits } }: { readonly of: PortfolioView }) {
  return (
    <div className="two-columns">
      <Part title="Stress scenarios">
        <Table label="Stress scenarios" rows={scenarios} keyOf={({ id }) => id} columns={SCENARIOS} />
      </Part>
      <Part title="Sectors">
        <Table label="Sectors" rows={sectors} keyOf={({ sector }) => sector} columns={SECTORS} />
      </Part>
      {duplicates.length > 0 && (
        <Part title="Held in more than one instrument">
          <Table label="Concentration by underlying" rows={duplicates} keyOf={({ underlying }) => underlying} columns={DUPLICATES} />
        </Part>
      )}
      {exits.length > 0 && (
        <Part title="Pool liquidity">
          <Table label="Pool liquidity" rows={exits} keyOf={({ instrument }) => instrument} columns={EXITS} />
        </Part>
      )}
    </div>
  );
}

const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <div className="stack part">
    <h2>{title}</h2>
    {children}
  </div>
);
