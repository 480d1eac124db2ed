/** Alerts of the organization, newest first, each with a link to act on it. */
import { clockTime, dayAndTime, plain } from '../../words.js';
import type { Alert } from '../api.ts';
import { Loaded } from '../kit/lists.tsx';
import { useAlerts } from '../organization.ts';
import { type Alike, repeated } from './alike.ts';

export const Alerts = () => (
  <Loaded query={useAlerts()}>
    {(alerts) =>
      alerts.length === 0 ? (
        <p className="empty">No alerts. Fills, halts, degraded feeds and breached limits appear here.</p>
      ) : (
        <ul className="alerts panel-scroll">
          {repeated(alerts).map((alike) => (
            <Line key={alike.key} alike={alike} />
          ))}
        </ul>
      )
    }
  </Loaded>
);

function Line({ alike: { last, first, count } }: { readonly alike: Alike }) {
  const { at, what, agentName, venues, detail } = last;
  return (
    <li>
      <time className="num faint" dateTime={at} title={dayAndTime(at)}>
        {clockTime(at)}
      </time>
      <span>
        {agentName !== null && <strong>{agentName} </strong>}
        {plain(what)}
        {venues.length > 0 && ` on ${venues.map(plain).join(', ')}`}
        {detail !== null && <span className="faint"> · {detail}</span>}
        {count > 1 && (
          <span className="faint num" title={dayAndTime(first.at)}>
            {' '}
            · {count} times since {clockTime(first.at)}
          </span>
        )}
      </span>
      <Action alert={last} />
    </li>
  );
}

function Action({ alert: { agentId, ofService } }: { readonly alert: Alert }) {
  if (agentId !== null) return <a href={`#/agents/${agentId}`}>Open agent</a>;
  return ofService ? <a href="#/runtime/alerts">Open runtime</a> : null;
}
