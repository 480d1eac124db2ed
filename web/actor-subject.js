/** Subject of an actor: its name, its own page, and its markets with its activity there. */
import { actorWord } from './actors-panel.js';
import { agentOverlay } from './agent-overlay.js';
import { read } from './http.js';
import { instrumentWords } from './outcome-names.js';
import { eventWord, plain, priceText } from './words.js';

/** @typedef {import('./api.ts').ActorDetail} ActorDetail */
/** @typedef {import('./wire.ts').Step} Step */
/** @typedef {import('./candle-panel.js').OverlayOf} OverlayOf */
/** @typedef {{ readonly instruments: readonly string[], readonly overlay: OverlayOf }} Traded */

/** An order as the contexts of proposals and of people's orders hold it. */
/** @typedef {{ readonly instrument: string, readonly side: string, readonly quantity: string, readonly limitPrice?: string | null }} Order */

/** Maximum steps of an order marked on its chart. */
const STEPS_MARKED = 200;

/** The pages of single actors by their kind. @type {{ readonly [kind: string]: (id: string, context: ActorDetail['context']) => string }} */
const PAGES = {
  agent: (id) => `#/agents/${id}`,
  take: (id) => `#/takes/${id}`,
  launch: (id) => `#/launches/${id}`,
  proposal: (_id, { agentId }) => `#/proposals/${String(agentId)}`,
  evaluation: (_id, { agentId }) => `#/agents/${String(agentId)}/gates`,
};

/** The address of an actor's own page; null if it has none. @param {ActorDetail} actor */
export function pageOfActor({ id, kind, context }) {
  return PAGES[kind]?.(id, context) ?? null;
}

/**
 * Returns the name of an actor: of an agent its name, of an order what it buys or sells.
 * @param {ActorDetail} actor @returns {Promise<string>}
 */
export async function actorTitle({ id, kind, name, context }) {
  const order = /** @type {Order | undefined} */ (context['order']);
  if (order !== undefined) return `${plain(kind)}: ${order.side} ${priceText(order.quantity)} ${await instrumentWords(order.instrument)}`;
  return actorWord({ actorId: id, actorKind: kind, actorName: name });
}

/**
 * The markets that it trades; null if it trades none.
 * @param {ActorDetail} actor
 * @param {AbortSignal} signal
 * @returns {Promise<Traded | null>}
 */
export async function tradedBy({ id, kind, context }, signal) {
  if (kind === 'agent') {
    /** @type {{ readonly manifest: import('./agent-overlay.js').Rules & { readonly universe: readonly { readonly key: string }[] } }} */
    const { manifest } = await read(`/v1/agents/${id}`, { signal });
    return { instruments: manifest.universe.map(({ key }) => key), overlay: agentOverlay(id, manifest, signal) };
  }
  const order = /** @type {Order | undefined} */ (context['order']);
  // Outcomes of prediction markets have no candles.
  if (order?.instrument.startsWith('prediction:')) return null;
  if (order !== undefined) return { instruments: [order.instrument], overlay: orderOverlay(id, order, context, signal) };
  if (kind !== 'take') return null;
  /** @type {import('./wire.ts').Take} */
  const { instrument } = await read(`/v1/takes/${id}`, { signal });
  return instrument.startsWith('prediction:') ? null : { instruments: [instrument], overlay: stepOverlay(id, [], signal) };
}

/**
 * @param {string} id
 * @param {Order} order
 * @param {ActorDetail['context']} context
 * @param {AbortSignal} signal
 */
function orderOverlay(id, { limitPrice }, { decisionPrice }, signal) {
  /** @type {import('./price-chart.js').PriceLine[]} */
  const lines = [];
  if (typeof limitPrice === 'string') lines.push({ price: limitPrice, title: 'limit', colour: 'warn' });
  if (typeof decisionPrice === 'string') lines.push({ price: decisionPrice, title: 'decided on', colour: 'accent' });
  return stepOverlay(id, lines, signal);
}

/**
 * Its first steps on the bars, each by its event.
 * @param {string} id
 * @param {readonly import('./price-chart.js').PriceLine[]} lines
 * @param {AbortSignal} signal
 * @returns {OverlayOf}
 */
function stepOverlay(id, lines, signal) {
  return async () => {
    /** @type {{ readonly items: readonly Step[] }} */
    const { items } = await read(`/v1/actors/${id}/steps?from=0&to=${STEPS_MARKED}`, { signal });
    const marks = items.map(
      ({ at, event }) =>
        /** @type {import('./price-chart.js').Mark} */ ({ at: Date.parse(at), kind: 'proposed', text: eventWord(event.type) }),
    );
    return { marks, lines, stretches: [], curves: [], gauges: [] };
  };
}
