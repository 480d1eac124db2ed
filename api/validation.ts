/** Validates parameters, queries and bodies against their schemas. Only the text of a query string is converted. */
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import Format from 'typebox/format';
import { once } from '../src/core/once.ts';
import type { Problem as InputProblem } from '../src/domain/values/field.ts';
import { describeValue } from '../src/domain/values/field.ts';
import { SHOWN_PATTERN, unseenIn } from '../src/domain/values/shown-text.ts';
import { wordsOfPattern } from './document/pattern-words.ts';
import { InputError, problemsDetail } from './problem.ts';

/** A JSON schema node, as far as error messages need it. */
interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly properties?: { readonly [name: string]: SchemaNode };
  readonly items?: SchemaNode;
  readonly [keyword: string]: unknown;
}

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
}

export type Part = 'params' | 'querystring' | 'body';
export type Validator = (value: unknown) => { value: unknown } | { error: InputError };

// RFC 3339 and RFC 9557 also allow leap seconds and a zone in brackets, which JavaScript reads as no time at all.
Format.Set('date-time', (text) => Format.IsDateTime(text) && !Number.isNaN(Date.parse(text)));

/** Maximum problems named in one answer. */
const MAX_PROBLEMS = 10;
const ROOTS: Readonly<Record<Part, string>> = { params: 'path', querystring: 'query', body: '$' };

/**
 * Returns the check of a schema, which is compiled with its first value. Nothing is coerced or removed. In a query string, whole numbers
 * and true/false are converted if the schema requires them and the text is exactly that. An `optional` body may be missing.
 */
export function compileValidator(schema: TSchema, part: Part, optional = false): Validator {
  const compiled = once(() => Compile(schema));
  const node = schema as unknown as SchemaNode;
  const read = part === 'querystring' ? queryReader(node) : (value: unknown) => value;
  return (raw) => {
    if (raw === null && optional) return { value: raw };
    const nul = part === 'querystring' ? fieldWithNul(raw) : null;
    if (nul !== null) {
      const problem = {
        path: `${ROOTS[part]}.${nul.slice(0, 80)}`,
        problem: 'the text has a NUL character',
        allowed: 'text without U+0000',
      };
      return { error: new InputError('malformed', problemsDetail([problem]), [problem]) };
    }
    const value = read(raw);
    if (compiled().Check(value)) return { value };
    const problems = explain(compiled().Errors(value) as readonly SchemaError[], node, value, ROOTS[part]);
    return { error: new InputError('malformed', problemsDetail(problems), problems) };
  };
}

/** Returns the first field of a query with a character that the database cannot store, or null. */
function fieldWithNul(query: unknown): string | null {
  for (const [name, value] of Object.entries(query as Record<string, unknown>))
    if (name.includes('\u0000') || String(value).includes('\u0000')) return name.replaceAll('\u0000', '');
  return null;
}

function queryReader(schema: SchemaNode): (value: unknown) => unknown {
  const kinds = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    field.type === 'integer' || field.type === 'number' || field.type === 'boolean' ? [{ name, type: field.type }] : [],
  );
  if (kinds.length === 0) return (value) => value;
  return (raw) => {
    const query = raw as Record<string, unknown>;
    for (const { name, type } of kinds) {
      const text = query[name];
      if (typeof text !== 'string') continue;
      if (type === 'integer' && /^-?(0|[1-9]\d{0,14})$/.test(text)) query[name] = Number(text);
      if (type === 'number' && /^-?(0|[1-9]\d{0,14})(\.\d{1,9})?$/.test(text)) query[name] = Number(text);
      if (type === 'boolean' && (text === 'true' || text === 'false')) query[name] = text === 'true';
    }
    return query;
  };
}

function explain(errors: readonly SchemaError[], schema: SchemaNode, value: unknown, root: string): InputProblem[] {
  const problems: InputProblem[] = [];
  for (const { keyword, instancePath, params } of errors) {
    if (problems.length >= MAX_PROBLEMS) break;
    // The `false` schema of an unknown field. Its parent reports all of them.
    if (keyword === 'boolean') continue;
    const names = instancePath
      .split('/')
      .slice(1)
      .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
    const path = names.reduce((before, name) => (/^\d+$/.test(name) ? `${before}[${name}]` : `${before}.${name}`), root);
    const node = nodeAt(schema, names);
    if (keyword === 'additionalProperties') {
      const known = Object.keys(node?.properties ?? {});
      for (const name of (params as { additionalProperties: readonly string[] }).additionalProperties) {
        if (problems.length >= MAX_PROBLEMS) break;
        problems.push({
          path: `${path}.${name.slice(0, 80)}`,
          problem: 'unknown field',
          allowed: known.length === 0 ? 'no field' : known.join(', '),
        });
      }
    } else if (keyword === 'required') {
      for (const name of (params as { requiredProperties: readonly string[] }).requiredProperties) {
        if (problems.length >= MAX_PROBLEMS) break;
        problems.push({ path: `${path}.${name}`, problem: 'missing', allowed: describeNode(node?.properties?.[name]) });
      }
    } else {
      const got = valueAt(value, names);
      const unseen = node?.pattern === SHOWN_PATTERN && typeof got === 'string' ? unseenIn(got) : null;
      const problem = unseen === null ? `got ${describeValue(got)}` : `has ${unseen}, an invisible character`;
      problems.push({ path, problem, allowed: describeNode(node) });
    }
  }
  return problems;
}

function nodeAt(schema: SchemaNode, names: readonly string[]): SchemaNode | undefined {
  let node: SchemaNode | undefined = schema;
  for (const name of names) node = node?.properties?.[name] ?? node?.items;
  return node;
}

function valueAt(value: unknown, names: readonly string[]): unknown {
  let found = value;
  for (const name of names) found = (found as Record<string, unknown> | null | undefined)?.[name];
  return found;
}

/** Describes in one phrase what a schema accepts. */
function describeNode(node: SchemaNode | undefined): string {
  if (node === undefined) return 'what the schema says';
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (node.enum !== undefined) return `one of ${node.enum.map(String).join(', ')}`;
  const orNull = node.type?.includes('null') === true ? ', or null' : '';
  const type = Array.isArray(node.type) ? node.type.join(' or ') : String(node.type ?? 'any value');
  if (type === 'integer' || type === 'number') {
    const kind = type === 'integer' ? 'a whole number' : 'a number';
    if (node.minimum === undefined && node.maximum === undefined) return kind;
    return `${kind} from ${node.minimum ?? '-∞'} to ${node.maximum ?? '∞'}`;
  }
  if (node.format === 'date-time') return 'an ISO 8601 time such as 2026-03-02T14:31:00.000Z';
  if (node.format !== undefined) return `a text of the format ${node.format}`;
  if (node.pattern === SHOWN_PATTERN) {
    return `a text of ${node.minLength ?? 0} to ${node.maxLength} visible characters, not only spaces${orNull}`;
  }
  if (node.pattern !== undefined) {
    const words = wordsOfPattern(node.pattern) ?? `a text that matches ${node.pattern}`;
    return node.maxLength === undefined ? words : `${words}; ${node.minLength ?? 0} to ${node.maxLength} characters`;
  }
  if (type.startsWith('string') && node.maxLength !== undefined)
    return `a text of ${node.minLength ?? 0} to ${node.maxLength} characters${orNull}`;
  if (type === 'array' && node.maxItems !== undefined) return `a list of ${node.minItems ?? 0} to ${node.maxItems} items`;
  if (type === 'object') {
    const known = Object.keys(node.properties ?? {});
    return known.length === 0 ? 'an empty object' : `an object with ${known.join(', ')}`;
  }
  return type;
}
