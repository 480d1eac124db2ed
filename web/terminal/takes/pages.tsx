/** Pages of Takes: the composer with the list, and one Take. */
import { plain } from '../../words.js';
import { api, type Take } from '../api.ts';
import { List, useList } from '../kit/lists.tsx';
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
        list={useList(['takes'], api.listTakes)}
        label="Takes"
        empty={
          mayTrade
            ? 'No Takes yet. Write a thesis above to create one.'
            : 'No Takes yet. Your role may not create one: it takes trade:execute.'
        }
        keyOf={({ id }) => id}
        markOf={({ state }) => state}
        columns={[
          { title: 'Take', cell: showName },
          {
            title: 'State',
            isText: true,
            text: ({ state, reason }) => (reason === null ? plain(state) : `${plain(state)}: ${plain(reason)}`),
          },
          { title: 'Mode', isText: true, text: ({ mode }) => mode ?? '–' },
          { title: 'Allocation', isFigure: true, money: ({ allocationUsd }) => allocationUsd },
          { title: 'Open points', cell: ({ open }) => (open.length === 0 ? '–' : <span className="warn">{open.length}</span>) },
          { title: 'Expires', at: ({ expiresAt }) => expiresAt },
        ]}
      />
    </div>
  );
}

const showName = ({ id, symbol, thesis }: Take) => (
  <>
    <a href={`#/takes/${id}`}>{symbol}</a> <small className="long">{thesis ?? ''}</small>
  </>
);
