/** The registry of factors, which expand the declarative form into conditions. */
import { describeValue, isObject, isOptional, type JsonSchema, objectJsonSchema, type Problem, readFields } from '../values/field.ts';
import { didYouMean } from '../values/nearest-name.ts';
import { EMA_CROSS } from './ema-cross.ts';
import { EVENT_SENTIMENT } from './event-sentiment.ts';
import type { Expansion, FactorDefinition } from './factor.ts';
import { FUNDING_PERCENTILE_FACTOR } from './funding-percentile.ts';
import { BASIS_FACTOR, GAP_TO_MARK_FACTOR, PREMIUM_FACTOR } from './percentage.ts';
import { RSI_FACTOR } from './rsi.ts';
import { VOLATILITY_FACTOR } from './volatility.ts';

export type { Expansion, FactorDefinition, FactorParameters } from './factor.ts';

/** Every factor, in the order of the documentation. */
const FACTORS: readonly FactorDefinition[] = [
  EMA_CROSS,
  FUNDING_PERCENTILE_FACTOR,
  RSI_FACTOR,
  PREMIUM_FACTOR,
  GAP_TO_MARK_FACTOR,
  BASIS_FACTOR,
  VOLATILITY_FACTOR,
  EVENT_SENTIMENT,
];

const BY_NAME: ReadonlyMap<string, FactorDefinition> = new Map(FACTORS.map((definition) => [definition.name, definition]));

/** Reads one authored factor. Adds all problems and returns null if it is invalid. `timeframes` are those it reads. */
export function readFactor(
  value: unknown,
  timeframes: readonly string[],
  path: string,
  problems: Problem[],
): (Expansion & { readonly timeframes: readonly string[] }) | null {
  if (!isObject(value)) {
    problems.push({
      path,
      problem: `must be a factor object, got ${describeValue(value)}`,
      allowed: '{ name: <factor name>, parameters: { … } }',
    });
    return null;
  }
  const before = problems.length;
  for (const member of Object.keys(value)) {
    if (member !== 'name' && member !== 'parameters') {
      problems.push({ path: `${path}.${member.slice(0, 60)}`, problem: 'unknown field', allowed: 'name, parameters' });
    }
  }
  const name = Object.hasOwn(value, 'name') ? value['name'] : undefined;
  const definition = typeof name === 'string' ? BY_NAME.get(name) : undefined;
  if (definition === undefined) {
    const hint = typeof name === 'string' ? didYouMean(name, BY_NAME.keys()) : '';
    const what = name === undefined ? 'is missing' : `${describeValue(name)} is no factor`;
    problems.push({ path: `${path}.name`, problem: hint === '' ? what : `${what}; ${hint}`, allowed: [...BY_NAME.keys()].join(', ') });
    return null;
  }
  const given = Object.hasOwn(value, 'parameters') ? value['parameters'] : {};
  if (!isObject(given)) {
    problems.push({
      path: `${path}.parameters`,
      problem: `must be an object, got ${describeValue(given)}`,
      allowed: Object.keys(definition.parameters).join(', '),
    });
    return null;
  }
  const parameters = readFields(given, definition.parameters, `${path}.parameters`, problems);
  if (problems.length > before || timeframes.length === 0) return null;
  const own = parameters['timeframe'];
  const read = !definition.usesTimeframe ? [] : typeof own === 'string' ? [own] : timeframes;
  const { entry, exit } = definition.expand(parameters, read);
  return { entry, exit, timeframes: read };
}

/** Returns the JSON Schema of a factor object. */
export function factorJsonSchema(): JsonSchema {
  return {
    oneOf: FACTORS.map((definition) => ({
      type: 'object',
      description: definition.description,
      additionalProperties: false,
      required: Object.values(definition.parameters).every(isOptional) ? ['name'] : ['name', 'parameters'],
      properties: {
        name: { type: 'string', const: definition.name },
        parameters: objectJsonSchema(definition.parameters, definition.description),
      },
    })),
  };
}
