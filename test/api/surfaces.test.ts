// The committed surfaces: a changed route or feed channel shows as a difference of api/surface.txt, of api.ts and feed-messages.ts of the TypeScript client, and of docs/permissions.md.
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { asyncApiDocument } from '../../api/document/asyncapi.ts';
import { documentedRoutes, openApiDocument, permissionTable } from '../../api/document/openapi.ts';
import { PROBLEMS } from '../../src/domain/values/problems.ts';
import { surfaceRecord } from './surface-record.ts';
import { feedTypes, wireTypes } from './wire-types.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
const document = openApiDocument(documentedRoutes(), version);

test('api/surface.txt records what callers rely on: a removed field, a changed type or limit', async () => {
  await expect(surfaceRecord(document as unknown as Parameters<typeof surfaceRecord>[0])).toMatchFileSnapshot('../../api/surface.txt');
});

test.each<[string, boolean, (of: Editable) => void]>([
  ['a field of an answer goes', true, ({ components }) => delete components.schemas['Agent']?.properties['stage']],
  ['a field is no longer always there', true, ({ components }) => components.schemas['Agent']?.required.pop()],
  ['a word of a field goes', true, ({ components }) => components.schemas['Agent']?.properties['stage']?.enum?.pop()],
  ['a parameter becomes required', true, ({ list }) => Object.assign(list.parameters[0] ?? {}, { required: true })],
  ['a parameter takes less', true, ({ list }) => Object.assign(list.parameters[0]?.schema ?? {}, { maximum: 5 })],
  ['a limit of a kind that is not known yet', true, ({ list }) => Object.assign(list.parameters[0]?.schema ?? {}, { multipleOf: 2 })],
  ['an operation has another name', true, ({ list }) => Object.assign(list, { operationId: 'agents' })],
  ['it needs another permission', true, ({ list }) => Object.assign(list, { 'x-permission': 'risk:manage' })],
  ['it refuses otherwise', true, ({ list }) => delete list.responses['403']],
  ['a text', false, ({ list, components }) => Object.assign(components.schemas['Agent'] ?? {}, { description: `${list.summary}!` })],
])('the record of what callers rely on: %s, it changes: %s', (_, changes, edit) => {
  const edited = structuredClone(document) as unknown as Editable & { paths: Record<string, { get: Editable['list'] }> };
  edit({ components: edited.components, list: (edited.paths['/v1/agents'] as { get: Editable['list'] }).get });
  expect(surfaceRecord(edited as never) !== surfaceRecord(document as never)).toBe(changes);
});

/** Parts of the document that a release could change: a schema, and the operation that lists agents. */
interface Editable {
  readonly components: {
    readonly schemas: Record<string, { readonly required: string[]; readonly properties: Record<string, { readonly enum?: string[] }> }>;
  };
  readonly list: { readonly summary: string; readonly parameters: { schema: object }[]; readonly responses: Record<string, unknown> };
}

test("the client's types and operations match the routes", async () => {
  await expect(wireTypes(document as unknown as Parameters<typeof wireTypes>[0])).toMatchFileSnapshot(
    '../../clients/typescript/src/api.ts',
  );
});

test("the client's feed message types match the channels", async () => {
  type Types = Parameters<typeof feedTypes>;
  const { schemas } = (document as { components: { schemas: Types[1] } }).components;
  const types = feedTypes(asyncApiDocument(version) as unknown as Types[0], schemas);
  await expect(types).toMatchFileSnapshot('../../clients/typescript/src/feed-messages.ts');
});

test('docs/permissions.md matches the routes', async () => {
  await expect(permissionTable(documentedRoutes())).toMatchFileSnapshot('../../docs/permissions.md');
});

test('every reference of the document resolves', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path);
  const lost = references.filter((path) => {
    let node: unknown = document;
    for (const name of path.split('/')) node = (node as Record<string, unknown> | undefined)?.[name.replaceAll('~1', '/')];
    return node === undefined || node === null;
  });
  expect(references.length).toBeGreaterThan(50);
  expect(lost).toEqual([]);
});

test('each time is a declared ISO 8601 text, or a number with its unit', () => {
  const unsaid: string[] = [];
  const walk = (node: unknown, path: string): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [name, field] of Object.entries((node as { properties?: Record<string, Field> }).properties ?? {})) {
      const types = [field, ...(field.anyOf ?? [])].flatMap(({ type }) => type ?? []);
      const isMoment = /(?:At|Time|Since|Until)$|^(?:slot|since|until)$/.test(name);
      const said = /milliseconds since the epoch|slot (?:of the chain|at which the chain)/i.test(field.description ?? '');
      if (isMoment && types.some((type) => type === 'integer' || type === 'number') && !said) unsaid.push(`${path}/${name}`);
      // Clients parse by format. A text with a pattern is not a time, such as a resting order's price.
      const isUnread = [field, ...(field.anyOf ?? [])].every(({ format, pattern }) => format === undefined && pattern === undefined);
      if (isMoment && types.includes('string') && isUnread && !path.includes('/requestBody/')) unsaid.push(`${path}/${name}`);
    }
    for (const [name, child] of Object.entries(node)) walk(child, `${path}/${name}`);
  };
  walk(document, '');
  expect(unsaid).toEqual([]);
});

interface Field {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly anyOf?: readonly Field[];
}

/** Validator with the document's schemas, each compiled once. */
const ajv = new Ajv2020({ strict: false, formats: { uuid: true, 'date-time': true } });
ajv.addSchema(document as never, 'document');

test('every schema of the document compiles, and every example matches its schema', () => {
  const { schemas } = (document as { components: { schemas: Record<string, { examples?: unknown[] }> } }).components;
  let examples = 0;
  for (const [name, schema] of Object.entries(schemas)) {
    const check = ajv.compile({ $ref: `document#/components/schemas/${name}` });
    for (const example of schema.examples ?? []) {
      examples++;
      expect(check(example), `${name}: ${ajv.errorsText(check.errors)}`).toBe(true);
    }
  }
  expect(examples).toBeGreaterThanOrEqual(5);
});

interface Content {
  readonly [type: string]: {
    readonly schema: object;
    readonly example?: unknown;
    readonly examples?: Record<string, { readonly $ref: string }>;
  };
}
interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Content };
  readonly responses: Record<string, { readonly $ref?: string; readonly content?: Content }>;
  readonly 'x-codeSamples'?: readonly { readonly lang: string; readonly source: string }[];
}
const { paths, components } = document as unknown as {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    readonly responses: Record<string, { readonly content: Content }>;
    readonly examples: Record<string, { readonly value: { readonly code: string } }>;
  };
};
const operations = Object.values(paths).flatMap((methods) => Object.values(methods));

/** Yields every schema next to an example, with the name of its place. */
function* examplesIn(place: string, content: Content = {}): Generator<readonly [place: string, schema: object, example: unknown]> {
  for (const { schema, example, examples = {} } of Object.values(content)) {
    if (example !== undefined) yield [place, schema, example];
    for (const code of Object.keys(examples)) yield [`${place} ${code}`, schema, components.examples[code]?.value];
  }
}

test('every recorded request and answer matches its schema, and every error its code', () => {
  const found = [
    ...operations.flatMap(({ operationId, requestBody, responses }) => [
      ...examplesIn(`${operationId} asks`, requestBody?.content),
      ...Object.entries(responses).flatMap(([status, { content }]) => [...examplesIn(`${operationId} ${status}`, content)]),
    ]),
    ...Object.entries(components.responses).flatMap(([name, { content }]) => [...examplesIn(name, content)]),
  ];
  // Hundreds of answers share a schema, and compiling one costs far more than a validation.
  const compiled = new Map<string, ValidateFunction>();
  for (const [place, schema, example] of found) {
    const whole = JSON.stringify(schema).replaceAll('"#/', '"document#/');
    const validate = compiled.get(whole) ?? ajv.compile(JSON.parse(whole));
    compiled.set(whole, validate);
    expect(validate(example), `${place}: ${ajv.errorsText(validate.errors)}`).toBe(true);
  }
  for (const [code, { value }] of Object.entries(components.examples)) expect(value.code).toBe(code);
  expect(found.length).toBeGreaterThan(300);
});

test('an operation with a JSON answer shows a real one, and a sample in three languages', () => {
  const answersJson = ({ responses }: Operation): boolean =>
    Object.entries(responses).some(([status, { content }]) => Number(status) < 400 && content?.['application/json'] !== undefined);
  const isRecorded = ({ responses }: Operation): boolean =>
    Object.values(responses).some(({ content }) => content?.['application/json']?.example !== undefined);
  const silent = operations.filter((one) => answersJson(one) && !isRecorded(one)).map(({ operationId }) => operationId);
  expect(silent.sort()).toEqual(NOT_RECORDED);
  for (const { 'x-codeSamples': samples } of operations)
    expect(samples?.map(({ lang }) => lang)).toEqual(['Shell', 'TypeScript', 'Python']);
});
/** Documents that are too long to be examples. */
const NOT_RECORDED: readonly string[] = ['getAsyncApi', 'getOpenApi'];

test('every error of an operation shows a real answer', () => {
  const told = documentedRoutes().flatMap(({ refusals }) => refusals);
  expect([...new Set(told)].filter((code) => components.examples[code] === undefined)).toEqual([]);
  // An API error that no operation answers would be documented without ever occurring.
  expect(Object.keys(PROBLEMS).filter((code) => components.examples[code] === undefined)).toEqual(NOT_ANSWERED);
});
/** Reasons of the signer for refusing an agent's trade. They are in the order's record and never answer a request. */
const NOT_ANSWERED: readonly string[] = ['autonomy_refused'];

test('every operation has a unique name, states its permission and lists 429, 500 and 503', () => {
  const names = operations.map(({ operationId }) => operationId);
  expect(new Set(names).size).toBe(names.length);
  for (const operation of operations) {
    expect((operation as unknown as Record<string, unknown>)['x-permission']).toBeTypeOf('string');
    const known = Object.keys(operation.responses);
    expect(known, operation.operationId).toEqual(expect.arrayContaining(['429', '500', '503']));
  }
});
