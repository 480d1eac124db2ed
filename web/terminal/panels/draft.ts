/** Order that is being written. The palette, the book and the positions fill it too. */
import { createStore } from '../kit/store.ts';
import { panelAsked } from '../place.ts';

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

export const draft = createStore<Draft>({
  side: 'buy',
  kind: 'market',
  size: '',
  unit: 'usd',
  price: '',
  timeInForce: 'gtc',
  postOnly: false,
  slippageBps: '50',
  mode: 'paper',
});

export function changeDraft(change: Partial<Draft>): void {
  draft.set({ ...draft.get(), ...change });
}

/** Fills and shows the order ticket. */
export function writeOrder(change: Partial<Draft>): void {
  changeDraft(change);
  panelAsked.set('ticket');
}
