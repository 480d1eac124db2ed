/** Live state chart of an actor, with the steps since the page was opened. */
import { useEffect, useState } from 'react';
import { clockTime, countText, dayAndTime, eventWord, stateText } from '../../words.js';
import { api, refresh, useRead } from '../api.ts';
import { feed } from '../market.ts';
import { changed } from './history.tsx';
import type { StateValue } from './layout.ts';
import { StateChart } from './state-chart.tsx';
import type { Step } from './steps.ts';
import { Loaded } from '../kit/lists.tsx';

const STEPS_SHOWN = 50;

export function LiveChart({ id }: { readonly id: string }) {
  const read = useRead(['actor', id], (call) => api.getActor({ id }, call));
  const { data: actor } = read;
  const steps = useSteps(id);
  const newest = steps[0];
  if (actor === undefined) return <Loaded query={read} />;
  const isNewer = newest !== undefined && newest.version >= actor.version;
  return (
    <div className="live-chart">
      <StateChart
        machine={isNewer ? newest.machine : actor.machine}
        value={isNewer ? newest.to : (actor.value as StateValue)}
        taken={isNewer ? { from: newest.from, to: newest.to, event: newest.event.type } : null}
        isLive
        label="State chart now"
      />
      <div>
        <a href={`#/actors/${id}`}>All {countText(Math.max(actor.version, newest?.version ?? 0))} steps, time travel and what-if</a>
        <ol className="heard" aria-label="Steps since you opened this page">
          {steps.map(({ version, at, event, from, to }) => (
            <li key={version}>
              <time className="num faint" dateTime={at} title={dayAndTime(at)}>
                {clockTime(at)}
              </time>{' '}
              {eventWord(event.type)} <small>{from === null ? stateText(to) : changed(from, to)}</small>
            </li>
          ))}
        </ol>
      </div>
    </div>
  );
}

/** Steps committed since the page was opened, newest first. */
function useSteps(id: string): readonly Step[] {
  const [steps, setSteps] = useState<readonly Step[]>([]);
  useEffect(
    () =>
      feed.subscribe({
        channel: 'inspect',
        params: { actorId: id },
        begin: () => refresh('actor'),
        receive: ({ at, data: { version, machine, event, from, to } }) =>
          setSteps((known) =>
            version <= (known[0]?.version ?? 0)
              ? known
              : [{ version, at, machine, event, from, to, cause: null }, ...known].slice(0, STEPS_SHOWN),
          ),
      }),
    [id],
  );
  return steps;
}
