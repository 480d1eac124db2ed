/** held_longer_than: the open position is older than a number of hours. */
import { type ConditionDefinition, compileNumber, NO_NEEDS, numberField } from './condition.ts';
import { HOUR_MS } from '../values/time.ts';

export const HELD_LONGER_THAN: ConditionDefinition = {
  type: 'held_longer_than',
  description: 'The position has been open for longer than this.',
  sides: ['exit'],
  kinds: null,
  inputs: ['position'],
  fields: { hours: { type: 'number', min: 0, max: 87_600, description: 'Hours since the position was opened; passes strictly above it.' } },
  needs: NO_NEEDS,
  compile: (condition) =>
    compileNumber(
      // Rounded to 1e-6 hours (3.6 ms) so that the matrix shows 1.016667 instead of its float.
      (observation, position) => (position === null ? null : Math.round(((observation.slot - position.openedAt) / HOUR_MS) * 1e6) / 1e6),
      'above',
      numberField(condition, 'hours'),
      'none',
    ),
  threshold: (condition) => numberField(condition, 'hours'),
};
