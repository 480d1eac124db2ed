/** Draft of a prediction order, and its request body. */
import { isAmount, isSlippage } from '../kit/decimal.ts';

export interface PredictionDraft {
  readonly mode: 'paper' | 'live';
  readonly outcome: 'yes' | 'no';
  readonly side: 'buy' | 'sell';
  readonly unit: 'usd' | 'contracts';
  readonly size: string;
  /** Empty for a market order. */
  readonly price: string;
  readonly slippageBps: string;
}

export const FIRST: PredictionDraft = { mode: 'paper', outcome: 'yes', side: 'buy', unit: 'usd', size: '', price: '', slippageBps: '100' };

/** Price as a probability, above 0 and below 1. */
const CHANCE = /^0\.\d{1,12}$/;

/** Returns the first missing or invalid field, or null if the order can be sent. */
export function findProblem({ size, price, slippageBps }: PredictionDraft): 'size' | 'price' | 'slippageBps' | null {
  if (!isAmount(size)) return 'size';
  if (price !== '' && !(CHANCE.test(price) && isAmount(price))) return 'price';
  return isSlippage(slippageBps) ? null : 'slippageBps';
}

/** @throws Error if a field is missing. */
export function toOrderBody(marketId: string, draft: PredictionDraft) {
  const wrong = findProblem(draft);
  if (wrong !== null) throw new Error('Enter a size above zero, a price between 0 and 1 or none, and a slippage from 0 to 1000.');
  const { outcome, side, unit, size, price, slippageBps } = draft;
  return {
    marketId,
    outcome,
    side,
    maxSlippageBps: Number(slippageBps),
    ...(unit === 'usd' ? { notionalUsd: size } : { quantity: size }),
    ...(price === '' ? {} : { limitPrice: price }),
  };
}
