/** Subject of an actor: its name, its page, and its instrument with its activity there. */
import type { ActorDetail } from '../../../clients/typescript/src/index.ts';
import { eventWord, plain, priceText, readSymbol } from '../../words.js';
import { useAgent, useOverlay } from '../agents/data.ts';
import type { Rules } from '../agents/rules.ts';
import type { Step } from './steps.ts';

/** Order as the contexts of proposals and manual orders hold it. */
interface Order {
  readonly instrument: string;
  readonly side: string;
  readonly quantity: string;
  readonly limitPrice?: string | null;
}

export interface EventMark {
  readonly at: number;
  readonly kind: 'entry' | 'exit' | 'blocked' | 'proposed';
  readonly text: string;
}

export interface Traded {
  /** Instrument with candles, or null if the actor has none. */
  readonly key: string | null;
  readonly marks: readonly EventMark[];
  readonly lines: readonly { readonly price: string; readonly title: string; readonly colour: string }[];
}

const PAGES: { readonly [kind: string]: (id: string, context: ActorDetail['context']) => string } = {
  agent: (id) => `#/agents/${id}`,
  take: (id) => `#/takes/${id}`,
  launch: (id) => `#/launches/${id}`,
  proposal: (_id, { agentId }) => `#/proposals/${String(agentId)}`,
  evaluation: (_id, { agentId }) => `#/agents/${String(agentId)}/evaluations`,
};

/** Returns the address of an actor's own page, or null. */
export const findActorPage = ({ id, kind, context }: ActorDetail): string | null => PAGES[kind]?.(id, context) ?? null;

const readOrder = ({ context }: ActorDetail): Order | undefined => context['order'] as Order | undefined;

/** Returns the name of an agent, or the side and instrument of an order. */
export function nameActor(actor: ActorDetail): string {
  const order = readOrder(actor);
  if (order !== undefined) return `${plain(actor.kind)}: ${order.side} ${priceText(order.quantity)} ${readSymbol(order.instrument)}`;
  return actorWord(actor);
}

export function actorWord({ id, kind, name }: Pick<ActorDetail, 'id' | 'kind' | 'name'>): string {
  if (name === null) return `${plain(kind)} ${id.slice(-8)}`;
  return kind === 'agent' ? name : `${plain(kind)}: ${name}`;
}

const NOTHING: readonly never[] = [];
const NO_RULES = { universe: [], entry: [], exit: [], stopLossPct: 0, takeProfitPct: 0 } as unknown as Rules;

/** Returns an actor's instrument with its activity there: an agent's trades and decisions, an order's steps. */
export function useTraded(actor: ActorDetail, steps: readonly Step[]): Traded {
  const isAgent = actor.kind === 'agent';
  const agent = useAgent(isAgent ? actor.id : '');
  const rules = (agent.data?.manifest as unknown as Rules | undefined) ?? NO_RULES;
  const key = isAgent ? (rules.universe[0]?.key ?? null) : withCandles(instrumentIn(actor));
  const overlay = useOverlay(isAgent ? actor.id : '', rules, key ?? '');
  if (isAgent) return { key, marks: overlay.marks as readonly EventMark[], lines: overlay.lines };
  const marks = steps.map(({ at, event }) => ({ at: Date.parse(at), kind: 'proposed' as const, text: eventWord(event.type) }));
  return { key, marks, lines: listLines(actor) };
}

const instrumentIn = (actor: ActorDetail): string | null => {
  const own = actor.context['instrument'];
  return readOrder(actor)?.instrument ?? (typeof own === 'string' ? own : null);
};

/** Outcomes of prediction markets have no candles. */
const withCandles = (key: string | null): string | null =>
  key === null || key.startsWith('prediction:') || !key.includes(':') ? null : key;

function listLines(actor: ActorDetail): Traded['lines'] {
  const order = readOrder(actor);
  if (order === undefined) return NOTHING;
  const decided = actor.context['decisionPrice'];
  return [
    ...(typeof order.limitPrice === 'string' ? [{ price: order.limitPrice, title: 'limit', colour: 'warn' }] : []),
    ...(typeof decided === 'string' ? [{ price: decided, title: 'decided on', colour: 'accent' }] : []),
  ];
}
