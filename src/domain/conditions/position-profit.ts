/** take_profit and stop_loss: the unrealized profit of a position in percent of its entry price. */
import type { BookPosition } from '../agents/decision.ts';
import type { Observation } from '../market/cut.ts';
import { percentAbove } from '../market/valuation.ts';
import { type CompiledCondition, type ConditionDefinition, compileNumber, NO_NEEDS, numberField, type Observed } from './condition.ts';

let lastPosition: BookPosition | null = null;
let lastPrice: string | null = null;
let lastProfit: number | null = null;

/**
 * Returns the profit in percent at the price of closing now: the bid for a long position, the ask for a short one. Null without a position
 * or that side of the book. Several rules of a tick ask for it, so the last answer is kept.
 */
function profitPct(observation: Observation, position: BookPosition | null): number | null {
  if (position === null || observation.quote === null) return null;
  const short = position.quantity.charCodeAt(0) === 45;
  const price = short ? observation.quote.ask : observation.quote.bid;
  if (price === null) return null;
  if (position !== lastPosition || price !== lastPrice) {
    const gain = percentAbove(price, position.averageEntryPrice);
    lastProfit = gain === null || !short ? gain : 0 - gain;
    lastPosition = position;
    lastPrice = price;
  }
  return lastProfit;
}

export const TAKE_PROFIT: ConditionDefinition = {
  type: 'take_profit',
  description: 'The open position stands at this profit or more. Needs a live quote.',
  sides: ['exit'],
  kinds: null,
  inputs: ['position', 'quote'],
  fields: { pct: { type: 'number', min: 0, max: 10_000, description: 'Percent of the average entry price; passes at it or above.' } },
  needs: NO_NEEDS,
  compile: (condition): CompiledCondition => {
    const limit = numberField(condition, 'pct');
    const read = compileNumber(profitPct, 'above', limit, 'quote');
    return { ...read, passes: (observed: Observed) => typeof observed === 'number' && observed >= limit };
  },
  threshold: (condition) => numberField(condition, 'pct'),
};

export const STOP_LOSS: ConditionDefinition = {
  type: 'stop_loss',
  description:
    'The open position stands at this loss or more. Needs a live quote. The rule matrix shows profit against minus this percentage.',
  sides: ['exit'],
  kinds: null,
  inputs: ['position', 'quote'],
  fields: {
    pct: {
      type: 'number',
      min: 0,
      max: 100,
      description: 'Percent of the average entry price, as a positive number; passes at that loss or more.',
    },
  },
  needs: NO_NEEDS,
  compile: (condition): CompiledCondition => {
    const limit = -numberField(condition, 'pct');
    const read = compileNumber(profitPct, 'below', limit, 'quote');
    return { ...read, passes: (observed: Observed) => typeof observed === 'number' && observed <= limit };
  },
  threshold: (condition) => 0 - numberField(condition, 'pct'),
};
