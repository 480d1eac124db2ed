/** Order that is being written. The palette, the book and the positions fill it too. */
import { readSymbol } from '../../words.js';
import { isAmount, isSlippage } from '../kit/decimal.ts';
import { createStore } from '../kit/store.ts';
import { instrument, panelAsked } from '../place.ts';

export interface Draft {
  readonly side: 'buy' | 'sell';
  readonly kind: 'market' | 'limit';
  readonly size: string;
  /** US dollars, or units of the instrument. */
  readonly unit: 'usd' | 'units';
  readonly price: string;
  readonly timeInForce: 'gtc' | 'ioc';
  readonly postOnly: boolean;
  readonly slippageBps: string;
  readonly mode: 'paper' | 'live';
}

const FIRST: Draft = {
  side: 'buy',
  kind: 'market',
  size: '',
  unit: 'usd',
  price: '',
  timeInForce: 'gtc',
  postOnly: false,
  slippageBps: '50',
  mode: 'paper',
};

export const draft = createStore(FIRST);

// A price, and a number of units, belong to the instrument that they were written for.
instrument.subscribe(() => changeDraft({ price: '', ...(draft.get().unit === 'units' ? { size: '' } : {}) }));

/** Forgets the order, for example because another member signs in. */
export const forgetDraft = (): void => draft.set(FIRST);

export function changeDraft(change: Partial<Draft>): void {
  draft.set({ ...draft.get(), ...change });
}

/** Fills and shows the order ticket. */
export function writeOrder(change: Partial<Draft>): void {
  changeDraft(change);
  panelAsked.set('ticket');
}

/** Writes the order that closes a paper position into the ticket, whatever the ticket was for. */
export const writeClosingOrder = (quantity: string): void =>
  writeOrder({ mode: 'paper', side: 'sell', kind: 'market', unit: 'units', size: quantity });

/** Returns the body of the order, or null if it is incomplete. */
export function toOrder(key: string, { side, kind, size, unit, price, timeInForce, postOnly, slippageBps }: Draft) {
  if (!isAmount(size) || !(kind === 'limit' ? isAmount(price) : isSlippage(slippageBps))) return null;
  return {
    instrument: readSymbol(key),
    side,
    ...(unit === 'usd' ? { notionalUsd: size } : { quantity: size }),
    ...(kind === 'limit'
      ? { limitPrice: price, timeInForce, ...(timeInForce === 'gtc' ? { postOnly } : {}) }
      : { maxSlippageBps: Number(slippageBps) }),
  } as const;
}
