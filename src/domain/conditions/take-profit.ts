/** take_profit: the open position has gained at least a percentage. */
import { type CompiledCondition, type ConditionDefinition, compileNumber, NO_NEEDS, numberField, type Observed } from './condition.ts';
import { profitPct } from './position-profit.ts';

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
