/** Value locked on each chain, its change, and its history over a month. */
import { api, useRead, type Chains as Answer } from '../api.ts';
import { Ago } from '../kit/ages.tsx';
import { FigureList, Loaded } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';
import { Change, Large } from '../kit/numbers.tsx';
import { Sparkline } from '../kit/sparkline.tsx';

const READ_EVERY_MS = 60_000;

export function Chains() {
  const chains = useRead(['chains'], (call) => api.listChains({ historyDays: 30, limit: 200 }, call), { refetchInterval: READ_EVERY_MS });
  return (
    <div className="page">
      <h1>Chains</h1>
      <Loaded query={chains}>
        {({ items, total }) => (
          <>
            {total !== null && <Total total={total} />}
            <Table
              label="Chains"
              empty="No chains yet. Their value locked appears here once the source answers."
              rows={items}
              keyOf={({ chain }) => chain}
              columns={[
                {
                  title: 'Chain',
                  cell: ({ chain, tokenSymbol }) => (
                    <>
                      {chain} <small>{tokenSymbol}</small>
                    </>
                  ),
                },
                { title: 'Value locked', large: ({ tvlUsd }) => tvlUsd },
                { title: '1 day', change: ({ change1dPct }) => change1dPct },
                { title: '7 days', change: ({ change7dPct }) => change7dPct },
                {
                  title: '30 days',
                  isSorted: false,
                  cell: ({ chain, history = [] }) => (
                    <Sparkline values={history.map(({ tvlUsd }) => tvlUsd)} label={`Course of ${chain}`} isValued />
                  ),
                },
                { title: 'Read', ago: ({ receivedAt }) => receivedAt },
              ]}
            />
          </>
        )}
      </Loaded>
    </div>
  );
}

const Total = ({ total: { tvlUsd, change1dPct, change7dPct, receivedAt } }: { readonly total: NonNullable<Answer['total']> }) => (
  <FigureList
    look="card figures"
    lines={[
      ['All chains', <Large usd={tvlUsd} />],
      ['1 day', <Change percent={change1dPct} />],
      ['7 days', <Change percent={change7dPct} />],
      ['Read', <Ago at={receivedAt} />],
    ]}
  />
);
