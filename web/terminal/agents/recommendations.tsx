/** What agents at autonomy “suggest” would trade, the newest first; a person decides and sends the order. */
import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { dayAndTime, plain, symbolOf } from '../../words.js';
import { api, type Recommendation } from '../api.ts';
import { Refusal } from '../kit/refusal.tsx';
import { useMay } from '../member.ts';
import { writeOrder } from '../panels/draft.ts';
import { choose } from '../place.ts';

export function Recommendations() {
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['recommendations'],
    queryFn: ({ pageParam, signal }) =>
      api.listRecommendations({ limit: 30, ...(pageParam === null ? {} : { cursor: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: 30_000,
  });
  const items = (data?.pages ?? []).flatMap((page) => page.items);
  return (
    <div className="page">
      <h1>Recommendations</h1>
      <p className="faint">Agents at autonomy “suggest” say here what they would trade. Nothing is sent until you send it.</p>
      <Refusal error={error} />
      {isPending && <p className="empty">Reading…</p>}
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
          <span className={side === 'buy' ? 'up' : 'down'}>{side === 'buy' ? 'Buy' : 'Sell'}</span>{' '}
          <button type="button" className="plain" onClick={() => choose(instrument)}>
            {symbolOf(instrument)}
          </button>
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
      <p>{summary}</p>
      <p className="faint">{seen}</p>
      <details>
        <summary>Why</summary>
        <ul>
          {why.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
          {rules.map(({ type, passed, sentence }) => (
            <li key={`${type} ${sentence}`} className={passed ? undefined : 'faint'}>
              {passed ? '✓' : '✗'} {plain(type)}: {sentence}
            </li>
          ))}
        </ul>
      </details>
    </li>
  );
}
