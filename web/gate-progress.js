/** Progress of an agent at its gate, and the next step. */
import { plain } from './words.js';

/** @typedef {import('./wire.ts').Gate} Gate */

/** Conditions with a count, and its unit: `day 3 of 14`. */
const COUNTED = /** @type {{ readonly [name: string]: string }} */ ({
  elapsed_days: 'day',
  closed_trades: 'closed trades',
  fills: 'measured fills',
  history_days: 'days of history',
});
/** Actions that start a stage. */
const BEGUN = /** @type {{ readonly [stage: string]: string }} */ ({
  backtest: 'Start a backtest.',
  stress_test: 'Start a stress test.',
  limited_live: 'A risk manager other than its creator must sign it off.',
});

/**
 * Returns the gate in front of the agent, or null if it has passed all.
 * @param {readonly Gate[]} gates
 */
export function gateHere(gates) {
  return gates.find(({ state }) => state === 'here') ?? null;
}

/**
 * Describes progress at a gate: `day 3 of 14, 2 of 5 conditions`.
 * @param {Gate | null} gate
 */
export function progressWords(gate) {
  if (gate === null) return 'all gates passed';
  const met = gate.checks.filter(({ passed }) => passed).length;
  const counted = gate.checks.flatMap(({ name, observed, rule, limit, passed }) =>
    rule === 'at_least' && !passed && observed !== null && limit !== null && name in COUNTED
      ? [`${COUNTED[name]} ${Math.floor(observed)} of ${limit}`]
      : [],
  );
  return [...counted, `${met} of ${gate.checks.length} conditions`].join(', ');
}

/**
 * Returns the next action for an agent.
 * @param {{ readonly stage: string, readonly paused: boolean, readonly pauseCause: string | null, readonly autonomy: string }} agent
 * @param {Gate | null} gate
 */
export function nextAction({ stage, paused, pauseCause, autonomy }, gate) {
  if (pauseCause === 'quarantine') return 'Fix the incident, then a risk manager can release it.';
  if (paused) return `Paused${pauseCause === null ? '' : ` (${plain(pauseCause)})`}: a risk manager can resume it.`;
  if (gate?.passed === true) return `Ready for ${plain(gate.to)}: promote it.`;
  if (gate !== null && gate.evidence === null && BEGUN[stage] !== undefined) return BEGUN[stage] ?? '';
  if (autonomy === 'research' || autonomy === 'suggest')
    return `At autonomy ${plain(autonomy)} it places no orders. Set autonomy to confirm or above.`;
  return gate === null ? 'None: it is trading.' : `Collecting evidence for ${plain(gate.to)}.`;
}
