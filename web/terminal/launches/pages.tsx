/** Launches of the organization: the list, the two forms, and the page of one. */
import { Button } from '@mantine/core';
import { plain } from '../../words.js';
import { api, type Launch, type LauncherLaunch } from '../api.ts';
import { List, useList } from '../kit/lists.tsx';
import { useStore } from '../kit/store.ts';
import { useMay } from '../member.ts';
import { useAnnouncements } from '../organization.ts';
import { within } from '../place.ts';
import { LaunchForm } from './form.tsx';
import { LaunchPage } from './launch.tsx';
import { LauncherForm } from './launcher.tsx';

export function LaunchPages() {
  const [id = ''] = useStore(within).split(/[/?]/);
  if (id === 'new') return <LaunchForm />;
  if (id === 'launcher') return <LauncherForm />;
  return id === '' ? <Launches /> : <LaunchPage key={id} id={id} />;
}

function Launches() {
  useAnnouncements('launches', 'launches');
  const mayTrade = useMay('trade:execute');
  return (
    <div className="page">
      <div className="page-head">
        <h1>Launches</h1>
        <span className="space" />
        <a href="#/agent-tokens">Market of agent tokens</a>
        {mayTrade && (
          <>
            <Button component="a" href="#/launches/new">
              Launch a token
            </Button>
            <Button component="a" variant="default" href="#/launches/launcher">
              Launch with the external launcher
            </Button>
          </>
        )}
      </div>
      <List
        list={useList<Launch | LauncherLaunch>(['launches'], api.listLaunches)}
        label="Launches, newest first"
        empty="No launches yet. A token of an agent or a Take begins on a bonding curve, and trades from its first minute."
        keyOf={({ id }) => id}
        markOf={({ state }) => state}
        columns={[
          { title: 'Token', cell: showName },
          { title: 'Method', isText: true, text: ({ kind }) => (kind === 'curve' ? 'bonding curve' : 'launcher') },
          { title: 'State', isFigure: true, isText: true, text: ({ state }) => plain(state) },
          { title: 'Quote token', isText: true, text: ({ quoteSymbol }) => quoteSymbol },
          { title: 'Created', at: ({ createdAt }) => createdAt },
        ]}
      />
    </div>
  );
}

const showName = ({ id, symbol, name }: { readonly id: string; readonly symbol: string; readonly name: string }) => (
  <>
    <a href={`#/launches/${id}`}>{symbol}</a> <small>{name}</small>
  </>
);
