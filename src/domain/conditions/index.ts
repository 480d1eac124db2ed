/** The registry of condition types: reading, describing and compiling the rules of a manifest. */
import type { ManifestCondition } from '../manifest/manifest.ts';
import { describeValue, type FieldValue, isObject, type JsonSchema, objectJsonSchema, type Problem, readFields } from '../values/field.ts';
import { didYouMean } from '../values/nearest-name.ts';
import type { ConditionDefinition } from './condition.ts';
import { FUNDING_PERCENTILE_ABOVE, FUNDING_PERCENTILE_BELOW } from './funding-percentile.ts';
import { HELD_LONGER_THAN } from './held-longer-than.ts';
import { LIQUIDITY_ABOVE } from './liquidity-above.ts';
import { NET_EDGE_ABOVE } from './net-edge-above.ts';
import { STOP_LOSS, TAKE_PROFIT } from './position-profit.ts';
import { BASIS_ABOVE, BASIS_BELOW, GAP_TO_MARK_ABOVE, GAP_TO_MARK_BELOW, PREMIUM_ABOVE, PREMIUM_BELOW } from './price-gaps.ts';
import { REFERENCE_LOST } from './reference-lost.ts';
import { SESSION_IN } from './session-in.ts';
import { EMA_ABOVE, EMA_BELOW, EMA_CROSS_DOWN, EMA_CROSS_UP } from './technical/ema-cross.ts';
import { PRICE_ABOVE, PRICE_BELOW } from './technical/price.ts';
import { RSI_ABOVE, RSI_BELOW } from './technical/rsi.ts';
import { VOLATILITY_BELOW } from './technical/volatility-below.ts';
import { NEGATIVE_EVENT, NO_NEGATIVE_EVENT } from './worst-event.ts';

export type { CompiledCondition, ConditionDefinition, Observed } from './condition.ts';

/** Every condition type, in the order of the documentation. */
export const CONDITIONS: readonly ConditionDefinition[] = [
  PREMIUM_BELOW,
  PREMIUM_ABOVE,
  RSI_BELOW,
  RSI_ABOVE,
  NO_NEGATIVE_EVENT,
  NEGATIVE_EVENT,
  EMA_CROSS_UP,
  EMA_CROSS_DOWN,
  EMA_ABOVE,
  EMA_BELOW,
  GAP_TO_MARK_BELOW,
  GAP_TO_MARK_ABOVE,
  FUNDING_PERCENTILE_BELOW,
  FUNDING_PERCENTILE_ABOVE,
  BASIS_BELOW,
  BASIS_ABOVE,
  SESSION_IN,
  LIQUIDITY_ABOVE,
  PRICE_ABOVE,
  PRICE_BELOW,
  VOLATILITY_BELOW,
  NET_EDGE_ABOVE,
  REFERENCE_LOST,
  TAKE_PROFIT,
  STOP_LOSS,
  HELD_LONGER_THAN,
];

const BY_TYPE: ReadonlyMap<string, ConditionDefinition> = new Map(CONDITIONS.map((definition) => [definition.type, definition]));

/** Returns the definition of a condition type, or undefined if it is unknown. */
export function conditionDefinition(type: string): ConditionDefinition | undefined {
  return BY_TYPE.get(type);
}

/** Returns the definition of a condition that was read. @throws TypeError for an unknown type. */
export function findConditionDefinition(condition: ManifestCondition): ConditionDefinition {
  const definition = BY_TYPE.get(condition.type);
  if (definition === undefined) throw new TypeError(`unknown condition type ${condition.type}: read it with readCondition first`);
  return definition;
}

/**
 * Reads one authored condition. Its type must be known and fit the side. The result is complete, in a fixed order and with every default
 * resolved. Adds all problems and returns null if there is one. @param timeframe Timeframe of the manifest, used by conditions on bars
 * without their own. Null if it is invalid.
 */
export function readCondition(
  value: unknown,
  side: 'entry' | 'exit',
  timeframe: string | null,
  path: string,
  problems: Problem[],
): ManifestCondition | null {
  if (!isObject(value)) {
    problems.push({
      path,
      problem: `must be a condition object, got ${describeValue(value)}`,
      allowed: '{ "type": "<condition type>", … }',
    });
    return null;
  }
  const type = Object.hasOwn(value, 'type') ? value['type'] : undefined;
  const allowedTypes = CONDITIONS.filter((candidate) => candidate.sides.includes(side)).map((candidate) => candidate.type);
  const definition = typeof type === 'string' ? BY_TYPE.get(type) : undefined;
  if (definition === undefined) {
    const hint = typeof type === 'string' ? didYouMean(type, allowedTypes) : '';
    const what = type === undefined ? 'is missing' : `${describeValue(type)} is not a condition type`;
    problems.push({ path: `${path}.type`, problem: hint === '' ? what : `${what}; ${hint}`, allowed: allowedTypes.join(', ') });
    return null;
  }
  if (!definition.sides.includes(side)) {
    problems.push({ path: `${path}.type`, problem: `${definition.type} is not an ${side} condition`, allowed: allowedTypes.join(', ') });
    return null;
  }
  const before = problems.length;
  const fields: Record<string, FieldValue> = readFields(value, definition.fields, path, problems, timeframe, ['type']);
  if (problems.length > before || lacksField(definition, fields)) return null;
  const condition: ManifestCondition = { type: definition.type, ...fields };
  const problem = definition.check?.(condition, path) ?? null;
  if (problem === null) return condition;
  problems.push(problem);
  return null;
}

/** True if a required field is missing, including a timeframe if the manifest has no default for it. */
function lacksField({ fields }: ConditionDefinition, read: Readonly<Record<string, FieldValue>>): boolean {
  return Object.entries(fields).some(
    ([name, { type, optional }]) => read[name] === undefined && (optional !== true || type === 'timeframe'),
  );
}

/** Returns the JSON Schema of one side's condition objects. */
export function conditionJsonSchema(side: 'entry' | 'exit'): JsonSchema {
  return {
    oneOf: CONDITIONS.filter((definition) => definition.sides.includes(side)).map((definition) =>
      objectJsonSchema(definition.fields, definition.description, { type: { type: 'string', const: definition.type } }),
    ),
  };
}
