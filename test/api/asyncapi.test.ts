// The feed's AsyncAPI 3 document has a message for everything a client may send. Clients of the other tests check frames against it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { asyncApiDocument } from '../../api/document/asyncapi.ts';
import { CHANNELS } from '../../api/feeds/channels/index.ts';

const document = asyncApiDocument('1.2.3') as {
  readonly channels: { readonly feeds: { readonly messages: Record<string, { readonly $ref: string }> } };
  readonly operations: Record<string, { readonly messages: readonly { readonly $ref: string }[] }>;
  readonly components: { readonly messages: Record<string, { readonly payload: object }> };
};

test('it is a document of AsyncAPI 3, by its makers’ schema', () => {
  const file = createRequire(import.meta.url).resolve('@asyncapi/specs/schemas/3.0.0.json');
  // It includes the schema of schemas.
  const ajv = new Ajv({ strict: false, meta: false, validateSchema: false });
  addFormats.default(ajv as never);
  const check = ajv.compile(JSON.parse(readFileSync(file, 'utf8')) as object);
  expect(check(document), ajv.errorsText(check.errors)).toBe(true);
  expect(check({ ...document, operations: { ask: { action: 'sing' } } })).toBe(false);
});

test('every message belongs to one operation, and every channel can be subscribed to and received', () => {
  const names = Object.keys(document.components.messages).sort();
  expect(Object.keys(document.channels.feeds.messages).sort()).toEqual(names);
  const used = Object.values(document.operations).flatMap(({ messages }) => messages.map(({ $ref }) => $ref.split('/').at(-1)));
  expect(used.sort()).toEqual(names);
  for (const { name } of CHANNELS) expect(names).toEqual(expect.arrayContaining([`${name}_subscribe`, `${name}_update`]));
});

test('every payload matches its schema, and a subscription with a wrong word matches none', () => {
  const ajv = new Ajv({ strict: false });
  addFormats.default(ajv as never);
  ajv.addSchema(document, 'feed');
  const payload = (name: string) => ajv.compile({ $ref: `feed#/components/messages/${name}/payload` });
  for (const name of Object.keys(document.components.messages)) payload(name);
  const subscribe = payload('decisions_subscribe');
  expect(subscribe({ op: 'subscribe', channel: 'decisions' })).toBe(true);
  expect(subscribe({ op: 'subscribe', channel: 'decisions', parms: {} })).toBe(false);
});
