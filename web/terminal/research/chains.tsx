/** Value locked on each chain, its change, and its history over a month. */
import type { Chains as Answer } from '../../../clients/typescript/src/index.ts';
import { api, useRead } from '../api.ts';
import { Ago } from '../kit/ages.tsx';
import { FigureList, Loaded, Table } from '../kit/lists.tsx';
import { Change, compactText } from '../kit/numbers.tsx';
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
            {items.length === 0 ? (
              <p className="empty">No chains yet. Their value locked appears here once the source answers.</p>
            ) : (
              <Table
                label="Chains"
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
                  { title: 'Value locked', cell: ({ tvlUsd }) => <Locked usd={tvlUsd} /> },
                  { title: '1 day', cell: ({ change1dPct }) => <Change percent={change1dPct} /> },
                  { title: '7 days', cell: ({ change7dPct }) => <Change percent={change7dPct} /> },
                  {
                    title: '30 days',
                    cell: ({ chain, history = [] }) => (
                      <Sparkline values={history.map(({ tvlUsd }) => tvlUsd)} label={`Course of ${chain}`} isValued />
                    ),
                  },
                  { title: 'Read', cell: ({ receivedAt }) => <Ago at={receivedAt} /> },
                ]}
              />
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}

const Locked = ({ usd }: { readonly usd: string }) => <span title={`${usd} USD`}>${compactText(usd)}</span>;

function Total({ total: { tvlUsd, change1dPct, change7dPct, receivedAt } }: { readonly total: NonNullable<Answer['total']> }) {
  return (
    <FigureList
      look="card figures"
      lines={[
        ['All chains', <Locked usd={tvlUsd} />],
        ['1 day', <Change percent={change1dPct} />],
        ['7 days', <Change percent={change7dPct} />],
        ['Read', <Ago at={receivedAt} />],
      ]}
    />
  );
}
