/** An alert in words: what happened, to which agent, and on which venues. */
import { agentNames } from './agent-names.js';
import { plain } from './words.js';

/**
 * `Crypto trend: data degraded on spotexchange`, and what else the alert says.
 * @param {{ readonly what?: unknown, readonly agentId?: unknown, readonly venues?: unknown, readonly detail?: unknown }} alert
 */
export async function alertWords({ what, agentId, venues, detail }) {
  const event = plain(String(what ?? 'alert'));
  const where = Array.isArray(venues) && venues.length > 0 ? ` on ${venues.map((venue) => plain(String(venue))).join(', ')}` : '';
  const more = typeof detail === 'string' && detail !== '' ? `: ${detail}` : '';
  return `${await nameOf(agentId)}${event}${where}${more}`;
}

/** @param {unknown} agentId */
async function nameOf(agentId) {
  if (typeof agentId !== 'string') return '';
  try {
    const names = await agentNames(undefined, [agentId]);
    return `${names.get(agentId) ?? 'An agent'}: `;
  } catch {
    // The alert matters more than the name.
    return 'An agent: ';
  }
}
