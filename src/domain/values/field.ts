/** Fields of authored input (conditions, factors, manifests): one schema reads them, explains problems and describes them. */
import { Decimal, isDecimalString, plainDecimal } from './decimal.ts';
import { didYouMean } from './nearest-name.ts';
import { SHOWN_PATTERN, unseenIn } from './shown-text.ts';
import { HOUR_MS, MINUTE_MS, timeframeMs } from './time.ts';

/** Problem of an input: its place (a JSON path such as `$.entryConditions[0].pct`), the fault and the fix. */
export interface Problem {
  readonly path: string;
  readonly problem: string;
  readonly allowed: string;
}

interface FieldBase {
  readonly description: string;
  /** True if the field may be missing without a default. */
  readonly optional?: boolean;
}

/** Schema of a field. Bounds are inclusive. A `default` makes the field optional. A `timeframe` without one uses the manifest's. */
export type FieldSchema = FieldBase &
  (
    | { readonly type: 'number' | 'integer'; readonly min: number; readonly max: number; readonly default?: number }
    /** Money: a decimal string, or a JSON number of at most 15 significant digits. Once read, a plain decimal string. */
    | { readonly type: 'decimal'; readonly min: string; readonly max: string; readonly default?: string }
    | { readonly type: 'string'; readonly minLength: number; readonly maxLength: number; readonly default?: string }
    | { readonly type: 'choice'; readonly choices: readonly string[]; readonly default?: string }
    /** A set of words. Once read, in the order of `choices` and without duplicates. */
    | { readonly type: 'choices'; readonly choices: readonly string[]; readonly default?: readonly string[] }
    | { readonly type: 'boolean'; readonly default?: boolean }
    | { readonly type: 'timeframe' }
  );

export type FieldValue = string | number | boolean | readonly string[];
export type Fields = Readonly<Record<string, FieldSchema>>;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Describes a value in JSON terms for an error message. Long texts are shortened. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') {
    const isLong = value.length > 60;
    return `the text ${JSON.stringify(isLong ? `${value.slice(0, 60)}…` : value)}${isLong ? ` of ${value.length} characters` : ''}`;
  }
  return `the ${typeof value} ${String(value)}`;
}

/** Normalizes a timeframe: `60m` and `1h` are the same, and whole hours are written in hours. Null if the text is not a timeframe. */
export function canonicalTimeframe(text: string): string | null {
  const length = timeframeMs(text);
  if (length === null) return null;
  return length % HOUR_MS === 0 ? `${length / HOUR_MS}h` : `${length / MINUTE_MS}m`;
}

/** Describes in one phrase what a field accepts. */
export function describeField(field: FieldSchema): string {
  switch (field.type) {
    case 'number':
      return `a number from ${field.min} to ${field.max}`;
    case 'integer':
      return `a whole number from ${field.min} to ${field.max}`;
    case 'decimal':
      return `a decimal such as "1250.50" from ${field.min} to ${field.max}`;
    case 'string':
      return `a text of ${field.minLength} to ${field.maxLength} ${field.minLength > 0 ? 'visible characters, not only spaces' : 'characters'}`;
    case 'choice':
      return `one of ${field.choices.join(', ')}`;
    case 'choices':
      return `a non-empty list of ${field.choices.join(', ')}`;
    case 'boolean':
      return 'true or false';
    case 'timeframe':
      return 'minutes or hours from 1 to 999, such as 5m or 1h';
  }
}

/** True if a JSON number represents its decimal exactly. */
function isExactNumber(value: number): boolean {
  return Number.isFinite(value) && Math.abs(value) < 1e15 && new Decimal(value).precision() <= 15;
}

function readDecimal(value: unknown): string | null {
  if (typeof value === 'number' && isExactNumber(value)) return plainDecimal(value);
  if (typeof value === 'string' && value.length <= 40 && isDecimalString(value)) return plainDecimal(value);
  return null;
}

/** Reads a present value. For an invalid one adds a problem and returns undefined. */
function readField(value: unknown, field: FieldSchema, path: string, problems: Problem[]): FieldValue | undefined {
  const refuse = (problem: string): undefined => {
    problems.push({ path, problem, allowed: describeField(field) });
    return undefined;
  };
  switch (field.type) {
    case 'number':
    case 'integer': {
      if (typeof value !== 'number' || !Number.isFinite(value)) return refuse(`must be a number, got ${describeValue(value)}`);
      if (field.type === 'integer' && !Number.isInteger(value)) return refuse(`must be a whole number, got ${value}`);
      if (value < field.min || value > field.max) return refuse(`${value} is out of range`);
      return value === 0 ? 0 : value;
    }
    case 'decimal': {
      const decimal = readDecimal(value);
      if (decimal === null && typeof value === 'number')
        return refuse(`the number ${value} has more digits than a JSON number keeps; write it as a text`);
      if (decimal === null) return refuse(`must be a plain decimal without an exponent, got ${describeValue(value)}`);
      if (new Decimal(decimal).lt(field.min) || new Decimal(decimal).gt(field.max)) return refuse(`${decimal} is out of range`);
      return decimal;
    }
    case 'string': {
      if (typeof value !== 'string') return refuse(`must be a text, got ${describeValue(value)}`);
      if (value.length < field.minLength || value.length > field.maxLength) return refuse(`has ${value.length} characters`);
      if (field.minLength > 0 && value.trim() === '') return refuse('has only spaces');
      if (!value.isWellFormed()) return refuse('has a lone surrogate');
      const unseen = field.minLength > 0 ? unseenIn(value) : null;
      if (unseen !== null) return refuse(`has ${unseen}, an invisible character`);
      return value;
    }
    case 'choice': {
      if (typeof value === 'string' && field.choices.includes(value)) return value;
      const hint = typeof value === 'string' ? didYouMean(value, field.choices) : '';
      return refuse(`${describeValue(value)} is not known${hint === '' ? '' : `; ${hint}`}`);
    }
    case 'choices': {
      if (!Array.isArray(value) || value.length === 0) return refuse(`must be a non-empty list, got ${describeValue(value)}`);
      const unknown = value.find((item) => !field.choices.includes(item as string));
      if (unknown !== undefined) {
        const hint = typeof unknown === 'string' ? didYouMean(unknown, field.choices) : '';
        return refuse(`${describeValue(unknown)} is not known${hint === '' ? '' : `; ${hint}`}`);
      }
      return field.choices.filter((choice) => value.includes(choice));
    }
    case 'boolean':
      return typeof value === 'boolean' ? value : refuse(`must be true or false, got ${describeValue(value)}`);
    case 'timeframe': {
      const timeframe = typeof value === 'string' ? canonicalTimeframe(value) : null;
      return timeframe ?? refuse(`must be a timeframe, got ${describeValue(value)}`);
    }
  }
}

/** Maximum unknown members that are named individually. The rest is counted. */
const MAX_UNKNOWN_NAMED = 10;

/** Adds a problem for members of an object that its schema does not have: one for each of the first, and one for the rest. */
export function refuseUnknown(object: Record<string, unknown>, known: readonly string[], path: string, problems: Problem[]): void {
  const names = new Set(known);
  const unknown = Object.keys(object).filter((name) => !names.has(name));
  for (const name of unknown.slice(0, MAX_UNKNOWN_NAMED)) {
    const hint = didYouMean(name, known);
    problems.push({
      path: `${path}.${name.slice(0, 60)}`,
      problem: `unknown field${hint === '' ? '' : `; ${hint}`}`,
      allowed: known.length === 0 ? 'no fields' : known.join(', '),
    });
  }
  const more = unknown.length - MAX_UNKNOWN_NAMED;
  if (more > 0)
    problems.push({ path, problem: `${more} more unknown fields`, allowed: known.length === 0 ? 'no fields' : known.join(', ') });
}

/**
 * Reads the fields of an object in the order of their schema, with every default resolved. @param timeframe Value of a missing timeframe
 * field, or null. @param ignored Members that other code reads, such as a condition's `type`.
 */
export function readFields(
  object: Record<string, unknown>,
  fields: Fields,
  path: string,
  problems: Problem[],
  timeframe: string | null = null,
  ignored: readonly string[] = [],
): Record<string, FieldValue> {
  const values: Record<string, FieldValue> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (Object.hasOwn(object, name) && object[name] !== undefined) {
      const value = readField(object[name], field, `${path}.${name}`, problems);
      if (value !== undefined) values[name] = value;
    } else if (field.type === 'timeframe') {
      if (timeframe !== null) values[name] = timeframe;
      else if (field.optional !== true) problems.push({ path: `${path}.${name}`, problem: 'is missing', allowed: describeField(field) });
    } else if (field.default !== undefined) {
      values[name] = field.default;
    } else if (field.optional !== true) {
      problems.push({ path: `${path}.${name}`, problem: 'is missing', allowed: describeField(field) });
    }
  }
  refuseUnknown(object, [...ignored, ...Object.keys(fields)], path, problems);
  return values;
}

/** JSON Schema (draft 2020-12) fragment: plain data, ready for an OpenAPI document. */
export type JsonSchema = { readonly [key: string]: unknown };

function fieldJsonSchema(field: FieldSchema): JsonSchema {
  const described = { description: field.description };
  switch (field.type) {
    case 'number':
    case 'integer':
      return { type: field.type, minimum: field.min, maximum: field.max, ...withDefault(field.default), ...described };
    case 'decimal':
      return {
        anyOf: [
          { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$', maxLength: 40 },
          { type: 'number', minimum: Number(field.min), maximum: Number(field.max) },
        ],
        ...withDefault(field.default),
        ...described,
      };
    case 'string':
      return {
        type: 'string',
        minLength: field.minLength,
        maxLength: field.maxLength,
        ...(field.minLength > 0 ? { pattern: SHOWN_PATTERN } : {}),
        ...withDefault(field.default),
        ...described,
      };
    case 'choice':
      return { type: 'string', enum: field.choices, ...withDefault(field.default), ...described };
    case 'choices':
      return { type: 'array', items: { type: 'string', enum: field.choices }, minItems: 1, ...withDefault(field.default), ...described };
    case 'boolean':
      return { type: 'boolean', ...withDefault(field.default), ...described };
    case 'timeframe':
      return { type: 'string', pattern: '^[1-9]\\d{0,2}[mh]$', ...described };
  }
}

function withDefault(value: FieldValue | undefined): { default?: FieldValue } {
  return value === undefined ? {} : { default: value };
}

/** True if an object may omit the field. */
export function isOptional(field: FieldSchema): boolean {
  return field.optional === true || (field.type !== 'timeframe' && field.default !== undefined);
}

/** Returns a closed object schema over fields. `leading` members come first and are required. */
export function objectJsonSchema(fields: Fields, description: string, leading: Readonly<Record<string, JsonSchema>> = {}): JsonSchema {
  const properties: Record<string, JsonSchema> = { ...leading };
  const required = Object.keys(leading);
  for (const [name, field] of Object.entries(fields)) {
    properties[name] = fieldJsonSchema(field);
    if (!isOptional(field)) required.push(name);
  }
  return { type: 'object', description, additionalProperties: false, required, properties };
}
