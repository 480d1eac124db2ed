/** stop_loss: the open position has lost at least a percentage. */
import { type CompiledCondition, type ConditionDefinition, compileNumber, NO_NEEDS, numberField, type Observed } from './condition.ts';
import { profitPct } from './position-profit.ts';

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
