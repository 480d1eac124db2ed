/** Risks of a portfolio: stress scenarios, sectors, one underlying in several instruments, and pool exits. */
import type { ReactNode } from 'react';
import type { PortfolioView } from '../../../clients/typescript/src/index.ts';
import { plain } from '../../words.js';
import { At } from '../kit/ages.tsx';
import type { Column } from '../kit/columns.tsx';
import { Table } from '../kit/table.tsx';
import { ratioText } from '../kit/numbers.tsx';

type Row<Name extends 'scenarios' | 'sectors' | 'duplicates' | 'exits'> = PortfolioView[Name][number];

const SCENARIOS: readonly Column<Row<'scenarios'>>[] = [
  { title: 'Scenario', value: ({ id }) => plain(id), cell: showScenario },
  { title: 'Loss', money: ({ lossUsd }) => lossUsd },
  { title: 'Loss (%)', ratio: ({ lossPct }) => lossPct },
  { title: 'Value after', money: ({ afterUsd }) => afterUsd },
  { title: 'Left out', hint: 'Holdings without a price', text: ({ leftOut }) => leftOut.length },
];

function showScenario({ id, opensAt }: Pick<Row<'scenarios'>, 'id' | 'opensAt'>) {
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
  { title: 'Sector', text: ({ sector }) => plain(sector) },
  { title: 'Net', money: ({ netUsd }) => netUsd },
  { title: 'Weight (%)', ratio: ({ weightPct }) => weightPct },
];

const DUPLICATES: readonly Column<Row<'duplicates'>>[] = [
  { title: 'Underlying', text: ({ underlying }) => underlying },
  {
    title: 'Held in',
    isText: true,
    text: ({ members }) =>
      members.map(({ instrument, relation }) => (relation === 'paired_stock' ? `${instrument} (paired)` : instrument)).join(', '),
  },
  { title: 'Weight', isFigure: true, cell: ({ weightPct, limitPct, exceedsLimit }) => showOfLimit(weightPct, limitPct, exceedsLimit) },
];

const EXITS: readonly Column<Row<'exits'>>[] = [
  { title: 'Instrument', text: ({ instrument }) => instrument },
  { title: 'Position', money: ({ positionUsd }) => positionUsd },
  { title: 'Share of pool', cell: ({ sharePct, limitSharePct, exceedsLimit }) => showOfLimit(sharePct, limitSharePct, exceedsLimit) },
  { title: 'Sellable', money: ({ exitableUsd }) => exitableUsd },
  { title: 'Why', isText: true, cell: ({ why }) => <span className="long faint">{why}</span> },
];

const showOfLimit = (pct: number | null, limitPct: number, isAbove: boolean) => (
  <span className={isAbove ? 'down' : undefined} title={pct === null ? undefined : `${pct} %`}>
    {pct === null ? '–' : ratioText(pct)} of {limitPct} %
  </span>
);

export const Risks = ({ of: { scenarios, sectors, duplicates, exits } }: { readonly of: PortfolioView }) => (
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

const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <div className="stack part">
    <h2>{title}</h2>
    {children}
  </div>
);
