// Null values are sent as null in every schema of the document; an empty list or object never replaces them.
import fastJsonStringify from 'fast-json-stringify';
import { expect, test } from 'vitest';
import { ROUTES } from '../../api/v1/index.ts';
import { ObservationBody } from '../../src/core/decision-shapes.ts';

interface Node {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: { readonly [name: string]: Node };
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
  readonly [keyword: string]: unknown;
}

const isNullable = ({ type, anyOf = [] }: Node): boolean =>
  type === 'null' || (Array.isArray(type) && type.includes('null')) || anyOf.some(isNullable);

/**
 * Returns values of a schema that together cover it: each nullable field null and not null, each branch of a choice, each kind of a
 * map's values. The first is the simplest, with nothing null that need not be.
 */
function valuesOf(node: Node): readonly unknown[] {
  if (node['$ref'] !== undefined) throw new Error(`a reference is not followed: ${JSON.stringify(node['$ref'])}`);
  if (node.const !== undefined) return [node.const];
  if (node.enum !== undefined) return node.enum;
  const kinds = node.anyOf ?? node.oneOf;
  if (kinds !== undefined) return [...kinds].sort((one, other) => Number(isNullable(one)) - Number(isNullable(other))).flatMap(valuesOf);
  const types = [node.type].flat().sort((one, other) => Number(one === 'null') - Number(other === 'null'));
  return types.flatMap((type) => (type === 'object' ? objectsOf(node) : type === 'array' ? listsOf(node) : [PLAIN[type ?? ''] ?? null]));
}

const PLAIN: Readonly<Record<string, unknown>> = { integer: 1, number: 1, boolean: true, string: 'text', null: null };

/** Returns an object with the simplest value of every field, and one for each other value. */
function objectsOf({ properties = {}, patternProperties = {}, additionalProperties }: Node): readonly unknown[] {
  const fields = Object.entries(properties).map(([name, field]) => [name, valuesOf(field)] as const);
  for (const [pattern, field] of Object.entries(patternProperties as Record<string, Node>)) {
    const name = ['0', 'name', '1h'].find((candidate) => new RegExp(pattern).test(candidate));
    if (name === undefined) throw new Error(`no name is known that fits ${pattern}`);
    fields.push([name, valuesOf(field)]);
  }
  if (typeof additionalProperties === 'object' && additionalProperties !== null)
    fields.push(['any', valuesOf(additionalProperties as Node)]);
  const plainest = Object.fromEntries(fields.map(([name, [first]]) => [name, first]));
  return [plainest, ...fields.flatMap(([name, [, ...others]]) => others.map((value) => ({ ...plainest, [name]: value })))];
}

const listsOf = ({ items }: Node): readonly unknown[] => (items === undefined ? [[]] : [...valuesOf(items).map((value) => [value]), []]);

/** Keywords that limit texts, numbers and lists, which do not affect null. */
const BOUNDS = new Set(['$id', 'pattern', 'format', 'minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems']);

/** Reduces a schema to its types, so that it compiles by itself. */
function byTypes(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(byTypes);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(Object.entries(node).flatMap(([key, value]) => (BOUNDS.has(key) ? [] : [[key, byTypes(value)]])));
}

const answers = ROUTES.flatMap((route) =>
  Object.entries(route.answers).flatMap(([status, { schema }]) =>
    schema === undefined ? [] : [[`${route.method} ${route.url} ${status}`, byTypes(schema) as Node] as const],
  ),
);

test.each(answers)('%s', (_, schema) => {
  const written = fastJsonStringify(schema as never);
  for (const value of valuesOf(schema)) expect(JSON.parse(written(value))).toEqual(value);
});

test('unknown news is null and no news is an empty list', () => {
  const schema = byTypes(ObservationBody) as Node;
  const observed = valuesOf(schema)[0] as Record<string, unknown>;
  const write = fastJsonStringify(schema as never);
  expect(JSON.parse(write({ ...observed, events: null })).events).toBeNull();
  expect(JSON.parse(write({ ...observed, events: [] })).events).toEqual([]);
});
