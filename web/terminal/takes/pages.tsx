/** Pages of Takes: the composer with the list, and one Take. */
import type { Take } from '../../../clients/typescript/src/index.ts';
import { plain } from '../../words.js';
import { api } from '../api.ts';
import { At } from '../kit/ages.tsx';
import { List, useList } from '../kit/lists.tsx';
import { Money } from '../kit/numbers.tsx';
import { useStore } from '../kit/store.ts';
import { useMay } from '../member.ts';
import { useAnnouncements } from '../organization.ts';
import { within } from '../place.ts';
import { Composer } from './composer.tsx';
import { TakePage } from './take.tsx';

export function TakePages() {
  const [id = ''] = useStore(within).split('/');
  return id === '' ? <Takes /> : <TakePage key={id} id={id} />;
}

function Takes() {
  useAnnouncements('takes', 'takes');
  const takes = useList(['takes'], (page, options) => api.listTakes(page, options));
  const mayTrade = useMay('trade:execute');
  return (
    <div className="page">
      <div className="page-head">
        <h1>Takes</h1>
        <span className="space" />
        <a href="#/published-takes">Published Takes</a>
      </div>
      {mayTrade && <Composer />}
      <List
        list={takes}
        label="Takes"
        empty={
          mayTrade
            ? 'No Takes yet. Write a thesis above to create one.'
            : 'No Takes yet. Your role may not create one: it takes trade:execute.'
        }
        keyOf={({ id }) => id}
        markOf={({ state }) => state}
        columns={[
          { title: 'Take', cell: (take) => <Name take={take} /> },
          {
            title: 'State',
            isText: true,
            cell: ({ state, reason }) => (reason === null ? plain(state) : `${plain(state)}: ${plain(reason)}`),
          },
          { title: 'Mode', isText: true, cell: ({ mode }) => mode ?? '–' },
          { title: 'Allocation', cell: ({ allocationUsd }) => <Money usd={allocationUsd} /> },
          { title: 'Open points', cell: ({ open }) => (open.length === 0 ? '–' : <span className="warn">{open.length}</span>) },
          { title: 'Expires', cell: ({ expiresAt }) => <At at={expiresAt} /> },
        ]}
      />
    </div>
  );
}

const Name = ({ take: { id, symbol, thesis } }: { readonly take: Take }) => (
  <>
    <a href={`#/takes/${id}`}>{symbol}</a> <small className="long">{thesis ?? ''}</small>
  </>
);
