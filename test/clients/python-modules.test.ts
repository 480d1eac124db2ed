// The generated modules of the Python client: a changed route or channel shows as a difference of clients/python/sevengate.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { asyncApiDocument } from '../../api/document/asyncapi.ts';
import { documentedRoutes, openApiDocument } from '../../api/document/openapi.ts';
import { PYTHON, python } from './run-python.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };

test.skipIf(PYTHON === null)('the modules of operations and of feeds are what the routes and the channels say', async () => {
  const documents = { openapi: openApiDocument(documentedRoutes(), version), asyncapi: asyncApiDocument(version) };
  const { code, stdout, stderr } = await python(['generate.py'], { input: JSON.stringify(documents) });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const modules = JSON.parse(stdout) as Readonly<Record<string, string>>;
  expect(Object.keys(modules)).toEqual(['api.py', 'feeds.py']);
  for (const [name, text] of Object.entries(modules)) await expect(text).toMatchFileSnapshot(`../../clients/python/sevengate/${name}`);
});
