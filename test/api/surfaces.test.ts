// The committed surfaces: a changed route shows as a diff of api/openapi.json, web/api.ts and docs/permissions.md.
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { documentedRoutes, openApiDocument, permissionTable } from '../../api/openapi.ts';
import { wireTypes } from './wire-types.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
const document = openApiDocument(documentedRoutes(), version);

test('api/openapi.json is what the routes say', async () => {
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot('../../api/openapi.json');
});

test("the console's types are what the routes say", async () => {
  await expect(wireTypes(document as unknown as Parameters<typeof wireTypes>[0])).toMatchFileSnapshot('../../web/api.ts');
});

test('docs/permissions.md is what the routes say', async () => {
  await expect(permissionTable(documentedRoutes())).toMatchFileSnapshot('../../docs/permissions.md');
});

test('every reference of the document leads somewhere', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path);
  const lost = references.filter((path) => {
    let node: unknown = document;
    for (const name of path.split('/')) node = (node as Record<string, unknown> | undefined)?.[name.replaceAll('~1', '/')];
    return node === undefined || node === null;
  });
  expect(references.length).toBeGreaterThan(50);
  expect(lost).toEqual([]);
});

test('every schema of the document compiles, and every example is one of its schema', () => {
  const ajv = new Ajv2020({ strict: false });
  for (const format of ['uuid', 'date-time']) ajv.addFormat(format, true);
  ajv.addSchema(document as never, 'document');
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

test('every operation has its own name, says what it needs and knows 429, 500 and 503', () => {
  const operations = Object.values((document as { paths: Record<string, Record<string, Record<string, unknown>>> }).paths).flatMap((path) =>
    Object.values(path),
  );
  const names = operations.map((operation) => operation['operationId']);
  expect(new Set(names).size).toBe(names.length);
  for (const operation of operations) {
    expect(operation['x-permission']).toBeTypeOf('string');
    const known = Object.keys(operation['responses'] as object);
    expect(known, String(operation['operationId'])).toEqual(expect.arrayContaining(['429', '500', '503']));
  }
});
