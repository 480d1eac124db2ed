/** Vaults of agents, ranked by the return of a share over a window. */
import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { plain } from '../../words.js';
import { api } from '../api.ts';
import { List, useList } from '../kit/lists.tsx';

const READ_EVERY_MS = 30_000;
const WINDOWS = ['24h', '7d', '30d', 'all'] as const;
type Window = (typeof WINDOWS)[number];

export function Vaults() {
  const [window, setWindow] = useState<Window>('30d');
  const vaults = useList(['vaults', window], (page, options) => api.rankVaults({ ...page, window }, options), { everyMs: READ_EVERY_MS });
  return (
    <div className="page">
      <div className="page-head">
        <h1>Vaults</h1>
        <SegmentedControl aria-label="Window" data={[...WINDOWS]} value={window} onChange={(value) => setWindow(value as Window)} />
      </div>
      <p className="faint">
        A vault holds the money that an agent trades with. Its share price is the present value of one dollar deposited at the beginning.
      </p>
      <List
        list={vaults}
        label="Vaults"
        empty={
          <>
            No vaults with deposits yet. <a href="#/agents">Open an agent</a> and deposit into its vault.
          </>
        }
        keyOf={({ agentId }) => agentId}
        columns={[
          { title: 'Vault', cell: showName },
          { title: 'Stage', isText: true, text: ({ stage }) => plain(stage) },
          { title: 'Return', isFigure: true, change: ({ returnPct }) => returnPct },
          {
            title: 'Drawdown',
            cell: ({ drawdownPct }) => (drawdownPct === null ? '–' : <span className="down">{drawdownPct.toFixed(2)} %</span>),
          },
          { title: 'Share', price: ({ sharePriceUsd }) => sharePriceUsd },
          { title: 'High', price: ({ highWaterMarkUsd }) => highWaterMarkUsd },
          { title: 'Equity', isFigure: true, money: ({ equityUsd }) => equityUsd },
          { title: 'Allocated', money: ({ allocatedUsd }) => allocatedUsd },
          { title: 'Realized', gain: ({ realizedPnlUsd }) => realizedPnlUsd },
          { title: 'Depositors', text: ({ depositors }) => depositors },
          { title: 'Since', at: ({ sinceAt }) => sinceAt },
          { title: 'Marked', ago: ({ markedAt }) => markedAt },
        ]}
      />
    </div>
  );
}

const showName = ({ rank, agentId, name }: { readonly rank: number | null; readonly agentId: string; readonly name: string }) => (
  <>
    <span className="faint num">{rank ?? '–'}</span> <a href={`#/agents/${agentId}`}>{name}</a>
  </>
);
