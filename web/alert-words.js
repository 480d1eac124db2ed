/** An alert in words: what happened, to which agent, and on which venues. */
import { agentNames } from './agent-names.js';
import { plain } from './words.js';

/** @typedef {import('./wire.ts').News<'alerts'>} Alert */

/**
 * `Crypto trend: data degraded on spotexchange`, and what else the alert says.
 * @param {Alert} alert
 */
export async function alertWords(alert) {
  const venues = 'venues' in alert ? (alert.venues ?? []) : [];
  const where = venues.length > 0 ? ` on ${venues.map(plain).join(', ')}` : '';
  const detail = 'detail' in alert ? (alert.detail ?? '') : '';
  return `${await subjectOf(alert)}${plain(alert.what)}${where}${detail === '' ? '' : `: ${detail}`}`;
}

/** Returns the subject of an alert, if it has one. @param {Alert} alert */
async function subjectOf(alert) {
  if ('takeId' in alert) return `Take on ${alert.symbol}: `;
  if (!('agentId' in alert)) return '';
  const { agentId } = alert;
  try {
    const names = await agentNames(undefined, [agentId]);
    return `${names.get(agentId) ?? 'An agent'}: `;
  } catch {
    // The alert matters more than the name.
    return 'An agent: ';
  }
}
