/** Trades that agents at autonomy “suggest” recommend, the newest first; a person decides and sends the order. */
import { Button } from '@mantine/core';
import { dayAndTime, forPeople, plain } from '../../words.js';
import { api, type Recommendation } from '../api.ts';
import { Loaded, useList, renderItems } from '../kit/lists.tsx';
import { useMay } from '../member.ts';
import { writeOrder } from '../panels/draft.ts';
import { choose } from '../place.ts';
import { Instrument } from '../kit/columns.tsx';

export function Recommendations() {
  const mayRead = useMay('agent:read');
  const read = useList(['recommendations'], api.listRecommendations, {
    everyMs: 30_000,
    isWanted: mayRead,
  });
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = read;
  const items = (data?.pages ?? []).flatMap((page) => page.items);
  return (
    <div className="page">
      <h1>Recommendations</h1>
      <p className="faint">Agents at autonomy “suggest” list their trades here. Nothing is sent until you place the order.</p>
      {mayRead && <Loaded query={read} />}
      {!mayRead && <p className="empty">Your role may not read recommendations. Ask for the permission agent:read.</p>}
      {data !== undefined && items.length === 0 && (
        <p className="empty">No recommendations yet. Set the autonomy of an agent to “suggest”.</p>
      )}
      <ul className="recommendations">
        {items.map((one) => (
          <OneRecommendation key={one.decisionId} of={one} />
        ))}
      </ul>
      {hasNextPage && (
        <div>
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Older recommendations
          </Button>
        </div>
      )}
    </div>
  );
}

function OneRecommendation({ of }: { readonly of: Recommendation }) {
  const { decisionId, agentId, agentName, slot, side, instrument, summary, seen, why, rules } = of;
  const mayTrade = useMay('trade:execute');
  const write = () => {
    choose(instrument);
    writeOrder({ side, kind: 'market' });
  };
  return (
    <li className="card recommendation" data-recommendation={decisionId}>
      <div className="part-head">
        <strong>
          <span className={side === 'buy' ? 'up' : 'down'}>{side === 'buy' ? 'Buy' : 'Sell'}</span> <Instrument of={instrument} />
        </strong>
        <a href={`#/agents/${agentId}`}>{agentName}</a>
        <span className="num faint">{dayAndTime(slot)}</span>
        <span className="space" />
        {mayTrade && (
          <Button size="compact-xs" variant="default" onClick={write}>
            Write the order
          </Button>
        )}
      </div>
      <p>{forPeople(summary)}</p>
      <p className="faint">{forPeople(seen)}</p>
      <details>
        <summary>Why</summary>
        <ul>
          {renderItems(why.map(forPeople))}
          {rules.map(({ type, passed, sentence }) => (
            <li key={`${type} ${sentence}`} className={passed ? undefined : 'faint'}>
              {passed ? '✓' : '✗'} {plain(type)}: {forPeople(sentence)}
            </li>
          ))}
        </ul>
      </details>
    </li>
  );
}
