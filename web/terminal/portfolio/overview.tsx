/** Overview: items that need attention, health, profit, and every agent in a row. */
import { isolated, plain, priceText, readSymbol } from '../../words.js';
import { AgentTable } from '../agents/list.tsx';
import { api, useRead, type Venue } from '../api.ts';
import { Gain, Money, Today } from '../kit/numbers.tsx';
import { useMay } from '../member.ts';
import { useAgentName, useAgents, usePaused } from '../organization.ts';
import { Alerts } from '../panels/alerts.tsx';
import { usePendingProposals, useProposals } from '../panels/proposals.tsx';
import { FigureList } from '../kit/lists.tsx';

const READ_EVERY_MS = 10_000;
/** States of a venue that need no attention. A closed market is no fault. */
const HEALTHY: readonly Venue['hearing'][] = ['live', 'market_closed', 'no_trades', 'not_followed', 'carried_forward'];
const NO_VENUES: readonly Venue[] = [];

interface Item {
  readonly key: string;
  readonly tone: 'warn' | 'down' | 'accent';
  readonly words: string;
  readonly address: string;
  readonly act: string;
}

export function Overview() {
  const { items, isRead } = useAttention();
  const { data: agents = [] } = useAgents();
  return (
    <div className="page overview">
      <div className="page-head">
        <h1>Overview</h1>
        <p role="status" data-count={items.length} className={items.length > 0 ? 'warn' : isRead ? 'up' : 'faint'}>
          {items.length > 0
            ? `${items.length} ${items.length === 1 ? 'item needs' : 'items need'} your attention.`
            : isRead
              ? 'All systems normal.'
              : UNREAD}
        </p>
      </div>
      <div className="overview-top">
        <section className="card" aria-label="Needs attention">
          <h2 className="card-title">Needs attention</h2>
          {items.length === 0 && <p className="empty">{isRead ? 'Every feed is live and every agent runs.' : UNREAD}</p>}
          <ul className="attention">
            {items.map(({ key, tone, words, address, act }) => (
              <li key={key} data-tone={tone}>
                <span>{words}</span>
                <a href={address} aria-label={`${act}: ${words}`}>
                  {act}
                </a>
              </li>
            ))}
          </ul>
        </section>
        <Earned mode="paper" />
        <Earned mode="live" />
        <section className="card overview-alerts" aria-label="Alerts">
          <h2 className="card-title">Alerts</h2>
          <Alerts />
        </section>
      </div>
      <AgentTable agents={agents} />
    </div>
  );
}

const UNREAD = 'Waiting for proposals, agents and feeds.';

/** Pending proposals, paused agents and feeds that are not received, in this order. `isRead` is true if all of them are known. */
function useAttention(): { readonly items: readonly Item[]; readonly isRead: boolean } {
  const nameOf = useAgentName();
  const pending = usePendingProposals();
  const reads = [useProposals(), useAgents(), useVenues()] as const;
  const [, , { data: venues = NO_VENUES }] = reads;
  const { paused, isWhole } = usePaused();
  const items: readonly Item[] = [
    ...pending.map(({ id, agentId, order, instrument }) => ({
      key: id,
      tone: 'accent' as const,
      words: `${isolated(nameOf(agentId))} wants to ${order.side} ${priceText(order.quantity)} ${readSymbol(instrument)}, limit ${priceText(order.limitPrice)}.`,
      address: `#/proposals/${agentId}`,
      act: 'Review',
    })),
    ...paused.map(({ id, name, pauseCause }) => ({
      key: id,
      tone: 'warn' as const,
      words: `${isolated(name)} is paused${pauseCause === null ? '' : `: ${plain(pauseCause)}`}.`,
      address: `#/agents/${id}`,
      act: pauseCause === 'quarantine' ? 'Release' : 'Resume',
    })),
    ...venues
      .filter(({ hearing }) => !HEALTHY.includes(hearing))
      .map(({ venue, hearing, detail }) => ({
        key: venue,
        tone: 'down' as const,
        words: `${plain(venue)}: ${plain(hearing)}${detail === '' ? '' : `, ${detail}`}.`,
        address: '#/operate',
        act: 'View',
      })),
  ];
  return { items, isRead: isWhole && reads.every(({ isSuccess }) => isSuccess) };
}

const useVenues = () =>
  useRead(['venues', 'all'], async (call) => (await api.listVenues({}, call)).items, {
    refetchInterval: READ_EVERY_MS,
    enabled: useMay('market:read'),
  });

function Earned({ mode }: { readonly mode: 'paper' | 'live' }) {
  const { data } = useRead(['performance', mode], (call) => api.getPerformance({ mode }, call), { refetchInterval: READ_EVERY_MS });
  const totals = data?.totals;
  return (
    <section className="card earned" aria-label={`Profit, ${mode}`}>
      <h2 className="card-title">
        Profit <span className="tag">{mode}</span>
      </h2>
      <FigureList
        look="figures padded"
        lines={[
          ['Today', <Today usd={totals?.todayUsd} without={totals?.todayWithout} />],
          ['Total', <Gain usd={totals?.pnlUsd} />],
          ['Equity', <Money usd={totals?.equityUsd} />],
        ]}
      />
      <p className="padded">
        <a href={`#/portfolio/${mode}`}>Curve, holdings and risks</a>
      </p>
    </section>
  );
}
