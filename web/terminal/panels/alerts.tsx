/** Alerts of the organization, newest first, each with where to act on it. */
import { clockTime, dayAndTime, plain } from '../../words.js';
import type { Alert } from '../api.ts';
import { Refusal } from '../kit/refusal.tsx';
import { useAlerts } from '../organization.ts';

export function Alerts() {
  const { data, error } = useAlerts();
  if (error !== null) return <Refusal error={error} />;
  if (data?.length === 0) return <p className="empty">No alerts. Fills, halts, degraded feeds and limits that are reached stand here.</p>;
  return (
    <div className="panel-scroll">
      <ul className="alerts">
        {(data ?? []).map((alert) => (
          <li key={`${alert.at} ${alert.what} ${alert.agentId ?? ''}`}>
            <time className="num faint" dateTime={alert.at} title={dayAndTime(alert.at)}>
              {clockTime(alert.at)}
            </time>
            <span>
              {alert.agentName !== null && <strong>{alert.agentName} </strong>}
              {plain(alert.what)}
              {alert.venues.length > 0 && ` on ${alert.venues.map(plain).join(', ')}`}
              {alert.detail !== null && <span className="faint"> · {alert.detail}</span>}
            </span>
            <Action alert={alert} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Action({ alert: { agentId, ofService } }: { readonly alert: Alert }) {
  if (agentId !== null) return <a href={`#/agents/${agentId}`}>Open agent</a>;
  return ofService ? <a href="#/runtime/alerts">Open runtime</a> : null;
}
