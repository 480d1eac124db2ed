/** Items that need attention: proposals, paused agents and feeds. */
import { agentNames } from './agent-names.js';
import { h } from './dom.js';
import { read } from './http.js';
import { may, withheld } from './permissions.js';
import { clockAndZone, plain, priceText, symbolOf } from './words.js';

/** @typedef {import('./wire.ts').Proposal} Proposal */
/** @typedef {import('./wire.ts').Agent} Agent */
/** @typedef {{ readonly kind: 'approval' | 'agent' | 'feed', readonly text: string, readonly address: string, readonly action: string }} Attention */

const PER_PAGE = 200;
/** States of a venue that need no attention: a closed market is no fault. */
const HEALTHY = ['live', 'market_closed', 'no_trades', 'not_followed', 'carried_forward'];

/** @param {AbortSignal} signal @returns {Promise<readonly Attention[]>} */
export async function readAttention(signal) {
  const [proposals, agents, venues] = await Promise.all([
    read(`/v1/agent-orders?state=pending_approval&limit=${PER_PAGE}`, { signal }),
    read(`/v1/agents?limit=${PER_PAGE}`, { signal }),
    may('market:read') ? read('/v1/venues', { signal }) : { items: [] },
  ]);
  const waiting = /** @type {import('./wire.ts').Page<Proposal>} */ (proposals).items;
  const names = await agentNames(
    signal,
    waiting.map(({ agentId }) => agentId),
  );
  return [
    ...waiting.map((proposal) => approval(proposal, names)),
    .../** @type {import('./wire.ts').Page<Agent>} */ (agents).items.filter(({ paused }) => paused).map(pausedAgent),
    .../** @type {{ readonly items: readonly import('./api.ts').Venue[] }} */ (venues).items
      .filter(({ hearing }) => !HEALTHY.includes(hearing))
      .map(silentVenue),
  ];
}

/** @param {Proposal} proposal @param {ReadonlyMap<string, string>} names @returns {Attention} */
function approval({ agentId, order, instrument, expiresAt }, names) {
  const what = `${order.side} ${priceText(order.quantity)} ${symbolOf(instrument)}, limit ${priceText(order.limitPrice)}`;
  return {
    kind: 'approval',
    text: `${names.get(agentId) ?? 'An agent'} wants to ${what} (expires ${clockAndZone(expiresAt)}).`,
    address: `#/proposals/${agentId}`,
    action: 'Review',
  };
}

/** @param {Agent} agent @returns {Attention} */
function pausedAgent({ id, name, pauseCause }) {
  return {
    kind: 'agent',
    text: `${name} is paused${pauseCause === null ? '' : `: ${plain(pauseCause)}`}.`,
    address: `#/agents/${id}`,
    action: pauseCause === 'quarantine' ? 'Release' : 'Resume',
  };
}

/** @param {import('./api.ts').Venue} venue @returns {Attention} */
function silentVenue({ venue, hearing, detail }) {
  return {
    kind: 'feed',
    text: `${plain(venue)}: ${plain(hearing)}${detail === '' ? '' : `, ${detail}`}.`,
    address: '#/markets/venues',
    action: 'View',
  };
}

/** @param {readonly Attention[]} all */
export function attentionList(all) {
  const unread = withheld('market:read', 'Market data feeds');
  if (all.length === 0) {
    const words =
      unread === null
        ? 'Nothing needs your attention: every feed is live and every agent is running.'
        : 'Nothing needs your attention: every agent is running.';
    return h('div', { class: 'panel-body' }, h('p', { class: 'faint' }, words), unread);
  }
  const list = h(
    'ul',
    { class: 'attention-list' },
    all.map(({ kind, text, address, action }) =>
      h('li', { 'data-kind': kind }, h('span', {}, text), h('a', { href: address, 'aria-label': `${action}: ${text}` }, action)),
    ),
  );
  return unread === null ? list : h('div', {}, list, h('div', { class: 'panel-body' }, unread));
}
