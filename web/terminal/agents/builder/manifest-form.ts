/** Form of a manifest, derived from its JSON Schema: every field and condition type. */

interface Schema {
  readonly [name: string]: unknown;
}

export type FieldKind = 'text' | 'number' | 'decimal' | 'choice' | 'choices' | 'boolean' | 'timeframe';

export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  readonly meaning: string;
  readonly isRequired: boolean;
  readonly choices: readonly string[];
  /** Bounds and default, in words. */
  readonly allowed: string;
  readonly min: number | null;
  readonly max: number | null;
}

export interface ConditionForm {
  readonly type: string;
  readonly meaning: string;
  readonly fields: readonly Field[];
}

export interface ManifestForm {
  readonly fields: readonly Field[];
  readonly entry: readonly ConditionForm[];
  readonly exit: readonly ConditionForm[];
}

const LISTS: readonly string[] = ['universe', 'entryConditions', 'exitConditions'];

const readMembers = (schema: Schema, name: string): Schema => (schema[name] ?? {}) as Schema;
const readList = (schema: Schema, name: string): readonly unknown[] => (Array.isArray(schema[name]) ? schema[name] : []);

/** @param schema JSON Schema of a manifest's payload form. */
export function readForm(schema: Schema): ManifestForm {
  const conditions = (name: string) =>
    readList(readMembers(readMembers(readMembers(schema, 'properties'), name), 'items'), 'oneOf').map(readCondition);
  return {
    fields: readFields(schema).filter(({ name }) => !LISTS.includes(name)),
    entry: conditions('entryConditions'),
    exit: conditions('exitConditions'),
  };
}

function readCondition(found: unknown): ConditionForm {
  const schema = found as Schema;
  const { const: type } = readMembers(readMembers(schema, 'properties'), 'type');
  return {
    type: String(type),
    meaning: String(schema['description'] ?? ''),
    fields: readFields(schema).filter(({ name }) => name !== 'type'),
  };
}

function readFields(schema: Schema): readonly Field[] {
  const required = readList(schema, 'required');
  return Object.entries(readMembers(schema, 'properties')).map(([name, found]) => {
    const field = found as Schema;
    const kind = chooseKind(field);
    const numbers = kind === 'decimal' ? (readList(field, 'anyOf')[1] as Schema) : field;
    const bound = (which: string): number | null => (typeof numbers[which] === 'number' ? numbers[which] : null);
    return {
      name,
      kind,
      meaning: String(field['description'] ?? ''),
      isRequired: required.includes(name),
      choices: (kind === 'choices' ? readList(readMembers(field, 'items'), 'enum') : readList(field, 'enum')).map(String),
      allowed: describeAllowed(bound('minimum'), bound('maximum'), field['default']),
      min: bound('minimum'),
      max: bound('maximum'),
    };
  });
}

function chooseKind(field: Schema): FieldKind {
  if (field['anyOf'] !== undefined) return 'decimal';
  if (field['enum'] !== undefined) return 'choice';
  const { type } = field;
  if (type === 'array') return 'choices';
  if (type === 'boolean') return 'boolean';
  if (type === 'number' || type === 'integer') return 'number';
  return String(field['pattern']).endsWith('[mh]$') ? 'timeframe' : 'text';
}

function describeAllowed(min: number | null, max: number | null, first: unknown): string {
  const bounds = min === null || max === null ? '' : `${min} to ${max}`;
  const empty = first === undefined || first === '' ? '' : `${String(first)} if empty`;
  return [bounds, empty].filter((part) => part !== '').join(', ');
}

/** Splits a condition type: `rsi_below` is `rsi` and `below`. A type without a comparison has no operator. */
export function splitConditionType(type: string): readonly [subject: string, operator: string] {
  const [, subject = type, operator = ''] = /^(.+?)_(cross_up|cross_down|below|above|in)$/.exec(type) ?? [];
  return [subject, operator];
}

/** Returns the problem of a text before a request is made, or null. */
export function objectionTo({ kind, isRequired, min, max, allowed }: Field, text: string): string | null {
  if (text === '') return isRequired ? 'Needed.' : null;
  if (kind === 'timeframe') return /^[1-9]\d{0,2}[mh]$/.test(text) ? null : 'Minutes or hours, such as 5m or 1h.';
  if (kind !== 'number' && kind !== 'decimal') return null;
  if (!/^-?\d+(\.\d+)?$/.test(text)) return 'A plain number.';
  const number = Number(text);
  return (min !== null && number < min) || (max !== null && number > max) ? `Allowed: ${allowed}.` : null;
}
