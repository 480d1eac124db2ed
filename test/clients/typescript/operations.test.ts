// Every operation of the API document is callable by its operationId, and sends the documented request.
import { expect, test } from 'vitest';
import { documentedRoutes, openApiDocument } from '../../../api/document/openapi.ts';
import { createClient } from '../../../clients/typescript/src/client.ts';
import { testTiming } from './fixture.ts';

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly $ref?: string; readonly in?: string; readonly name?: string }[];
  readonly requestBody?: object;
}
const { paths } = openApiDocument(documentedRoutes(), '0.0.0') as { paths: Record<string, Record<string, Operation>> };
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
);

interface Sent {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Creates a client that records requests instead of sending them. */
function recording() {
  const sent: Sent[] = [];
  const api = createClient({
    baseUrl: 'http://service.test/behind',
    token: 'a-token',
    timing: testTiming(),
    async fetch(url, init) {
      const { method = '', headers, body } = init ?? {};
      sent.push({ method, url: new URL(String(url)), headers: headers as Sent['headers'], body });
      return new Response('{}', { headers: { 'content-type': 'application/json' } });
    },
    WebSocket: class {
      constructor(url: string, options?: { headers: Record<string, string> }) {
        sent.push({ method: 'GET', url: new URL(url.replace(/^ws/, 'http')), headers: options?.headers ?? {}, body: undefined });
      }
      send(): void {}
      close(): void {}
      addEventListener(): void {}
    },
  });
  return { sent, calls: api as unknown as Readonly<Record<string, (input: object) => Promise<unknown>>> };
}

test.each(operations)('$operationId sends $method $path', async ({ path, method, operationId, parameters, requestBody }) => {
  const { sent, calls } = recording();
  const given = parameters.filter(({ in: place }) => place === 'path' || place === 'query').map(({ name = '' }) => [name, `a ${name}/?`]);
  const body = requestBody === undefined ? {} : { body: { some: 'body' } };
  await calls[operationId]?.({ ...Object.fromEntries(given), ...body });

  const [request] = sent;
  const inQuery = parameters.filter(({ in: place }) => place === 'query').map(({ name = '' }) => [name, `a ${name}/?`]);
  expect(request?.method).toBe(method);
  expect(decodeURIComponent(request?.url.pathname ?? '')).toBe(`/behind${path.replaceAll(/\{(\w+)\}/g, 'a $1/?')}`);
  expect(request?.url.pathname.split('/')).toHaveLength(path.split('/').length + 1);
  expect([...(request?.url.searchParams ?? [])]).toEqual(inQuery);
  expect(request?.headers['authorization']).toBe('Bearer a-token');
  const takesKey = parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey'));
  expect(/^[0-9a-f]{32}$/.test(request?.headers['idempotency-key'] ?? '')).toBe(takesKey);
  expect(request?.body ?? undefined).toBe(requestBody === undefined ? undefined : '{"some":"body"}');
});

test('the client has every operation of the document and no other, and feeds', () => {
  const { calls } = recording();
  expect(operations.length).toBeGreaterThan(190);
  expect(Object.keys(calls).sort()).toEqual([...operations.map(({ operationId }) => operationId), 'feed'].sort());
});

test.each([undefined, '', '.', '..'])('a path parameter of %j is empty and is refused before anything is sent', async (id) => {
  const { sent, calls } = recording();
  await expect(calls['getAgent']?.({ id })).rejects.toThrow('getAgent: id must name something');
  expect(sent).toEqual([]);
});

test('an undefined query parameter is left out', async () => {
  const { sent, calls } = recording();
  await calls['listAgents']?.({ limit: undefined, cursor: 'c' });
  expect(sent[0]?.url.search).toBe('?cursor=c');
});

test('a manifest may be sent as YAML', async () => {
  const { sent, calls } = recording();
  await calls['createAgent']?.({ body: 'name: hunter' });
  expect([sent[0]?.headers['content-type'], sent[0]?.body]).toEqual(['application/yaml', 'name: hunter']);
});

test('a caller’s key is sent, and refused if the document takes none', async () => {
  const { sent, calls } = recording() as unknown as {
    sent: Sent[];
    calls: Record<string, (input: object, more: object) => Promise<unknown>>;
  };
  await calls['createAgent']?.({ body: {} }, { idempotencyKey: 'my-key' });
  expect(sent[0]?.headers['idempotency-key']).toBe('my-key');
  await expect(calls['openSession']?.({ body: {} }, { idempotencyKey: 'my-key' })).rejects.toThrow('openSession takes no Idempotency-Key');
});

test.each(['', '127.0.0.1:8080', 'ftp://service.test', 'http://user:secret@service.test', 'http://service.test/?a=1'])(
  'the address %j is refused at once',
  (baseUrl) => {
    expect(() => createClient({ baseUrl })).toThrow('baseUrl must be an address such as');
  },
);
