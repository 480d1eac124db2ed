/** rsi_below and rsi_above: Wilder's RSI of the last closed bar is below or above a value. */
import {
  type ConditionDefinition,
  type Direction,
  indicatorCondition,
  numberField,
  PERIOD_FIELD,
  TIMEFRAME_FIELD,
  textField,
} from '../condition.ts';

function rsiCondition(direction: Direction): ConditionDefinition {
  return indicatorCondition({
    type: `rsi_${direction}`,
    description: `Wilder RSI of the last closed bar lies ${direction} a value.`,
    direction,
    kinds: null,
    fields: {
      period: PERIOD_FIELD,
      value: { type: 'number', min: 0, max: 100, description: `RSI, 0 to 100; passes strictly ${direction} it.` },
      timeframe: TIMEFRAME_FIELD,
    },
    limit: 'value',
    need: (condition) => ({ name: 'rsi', period: numberField(condition, 'period'), timeframe: textField(condition, 'timeframe') }),
  });
}

export const RSI_BELOW = rsiCondition('below');

export const RSI_ABOVE = rsiCondition('above');
