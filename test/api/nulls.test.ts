// What is null in an answer is null on the wire, in every schema of the document; an empty list or object never stands for it.
import fastJsonStringify from 'fast-json-stringify';
import { expect, test } from 'vitest';
import { ObservationBody } from '../../api/v1/agents/decision-body.ts';
import { ROUTES } from '../../api/v1/index.ts';

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

/** A value of a schema: null wherever one is allowed, else the plainest that there is. */
function withNulls(node: Node, top = true): unknown {
  if (!top && isNullable(node)) return null;
  if (node.const !== undefined) return node.const;
  if (node.enum !== undefined) return node.enum.find((word) => word !== null);
  const kinds = node.anyOf ?? node.oneOf;
  if (kinds !== undefined) return withNulls(kinds.find((one) => !isNullable(one)) ?? (kinds[0] as Node), false);
  const type = Array.isArray(node.type) ? node.type.find((one) => one !== 'null') : node.type;
  if (type === 'object')
    return Object.fromEntries(Object.entries(node.properties ?? {}).map(([name, field]) => [name, withNulls(field, false)]));
  if (type === 'array') return node.items === undefined ? [] : [withNulls(node.items, false)];
  if (type === 'integer' || type === 'number') return 1;
  if (type === 'boolean') return true;
  return 'text';
}

/** What says which texts, numbers and lists are allowed: of no concern to what null becomes. */
const BOUNDS = new Set(['$id', 'pattern', 'format', 'minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems']);

/** A schema by its types alone, compiled for itself. */
function byTypes(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(byTypes);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(Object.entries(node).flatMap(([key, value]) => (BOUNDS.has(key) ? [] : [[key, byTypes(value)]])));
}

const answers = ROUTES.flatMap(({ route }) =>
  Object.entries(route.answers).flatMap(([status, { schema }]) =>
    schema === undefined ? [] : [[`${route.method} ${route.url} ${status}`, byTypes(schema) as Node] as const],
  ),
);

test.each(answers)('%s', (_, schema) => {
  const value = withNulls(schema);
  expect(JSON.parse(fastJsonStringify(schema as never)(value))).toEqual(value);
});

test('unknown news is null and no news is an empty list', () => {
  const schema = byTypes(ObservationBody) as Node;
  const observed = withNulls(schema) as Record<string, unknown>;
  const write = fastJsonStringify(schema as never);
  expect(JSON.parse(write({ ...observed, events: null })).events).toBeNull();
  expect(JSON.parse(write({ ...observed, events: [] })).events).toEqual([]);
});
