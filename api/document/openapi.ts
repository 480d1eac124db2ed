/** The OpenAPI 3.1 document and the permission table, both derived from the routes without booting anything. */
import { Type } from 'typebox';
import { PROBLEMS, type ProblemCode } from '../../src/domain/values/problems.ts';
import { feedRoutes } from '../feeds/feed-routes.ts';
import { MCP, mcpRoute } from '../mcp/route.ts';
import { permissionText } from '../permission.ts';
import { defineRoute, type Route, type Tag } from '../route.ts';
import { ROUTE_GROUPS, ROUTES } from '../v1/index.ts';
import { REPLAY } from '../v1/replay/replay-routes.ts';
import { readExamples } from './examples.ts';
import { buildOperation, ResponseComponents, toPathTemplate } from './openapi-operation.ts';
import { schemaComponents } from './schema-components.ts';

type Node = { readonly [key: string]: unknown };

/** Path of the document. */
export const OPENAPI_URL = '/v1/openapi.json';

/** Returns the route of GET /v1/openapi.json. */
export const openApiRoute = (text: () => string): Route =>
  documentRoute({ url: OPENAPI_URL, name: 'getOpenApi', summary: 'This document', description: 'The OpenAPI document.' }, text);

/** Returns the route of GET /v1/asyncapi.json. */
const asyncApiRoute = (text: () => string): Route =>
  documentRoute(
    {
      url: '/v1/asyncapi.json',
      name: 'getAsyncApi',
      summary: 'The messages of the feed, as AsyncAPI 3',
      description: 'The AsyncAPI document.',
    },
    text,
  );

/** Returns the route of a document about the service. `text` is called once it is written. */
function documentRoute(
  { url, name, summary, description }: Pick<Route, 'url' | 'name' | 'summary'> & { readonly description: string },
  text: () => string,
): Route {
  return defineRoute({
    method: 'GET',
    url,
    name,
    tag: 'operation',
    summary,
    permission: 'public',
    cost: 'read',
    isDocument: true,
    schema: {},
    answers: { 200: { description, schema: Type.Unsafe<object>({ type: 'object', additionalProperties: true }) } },
    refusals: [],
    handle: () => (_, reply) => reply.header('content-type', 'application/json; charset=utf-8').serializer(String).send(text()),
  });
}

/** Documents about the service, once they are written. */
export interface DocumentTexts {
  readonly version: string;
  openApi(): string;
  asyncApi(): string;
}

const UNWRITTEN: DocumentTexts = { version: '', openApi: () => '', asyncApi: () => '' };

/** Returns every route that this room registers. */
export function servedRoutes(more: readonly Route[] = [], texts: DocumentTexts = UNWRITTEN): Route[] {
  const asked = [...ROUTES, ...more];
  return [...asked, openApiRoute(texts.openApi), asyncApiRoute(texts.asyncApi), mcpRoute({ version: texts.version, routes: asked })];
}

/** Returns every route of the document and the permission table: the served ones and the feeds. */
export function documentedRoutes(more: readonly Route[] = []): Route[] {
  return [...servedRoutes(more), ...feedRoutes.routes];
}

/** Sections of the document, each once. */
export const TAGS: readonly Tag[] = [...new Set([...ROUTE_GROUPS.map(({ tag }) => tag), REPLAY, MCP, feedRoutes.tag])].sort(
  (one, other) => one.position - other.position,
);

/** Returns the example of each error. */
function problemExamples(): Node {
  const { problems } = readExamples();
  return Object.fromEntries(
    Object.entries(problems).map(([code, value]) => [code, { summary: PROBLEMS[code as ProblemCode].title, value }]),
  );
}

/** Authentication methods. */
const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  cookie: { type: 'apiKey', in: 'cookie', name: '__Host-sevengate', description: 'Unsafe requests also need an allowed Origin.' },
  loopbackCookie: { type: 'apiKey', in: 'cookie', name: 'sevengate', description: 'The same on http loopback.' },
};

const PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Repeating a request with its key returns the first answer and has no second effect. A different request with the same key is refused with `idempotency_mismatch`.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  },
};

const HEADERS = {
  RequestId: { description: 'Id of this request in the audit trail.', schema: { type: 'string' } },
  RateLimit: {
    description: 'Requests left in the bucket (`r`) and seconds until it is full again (`t`).',
    schema: { type: 'string' },
  },
  Location: { description: 'Path of the created resource.', schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds to wait.', schema: { type: 'integer' } },
};

/** Builds the document. Schemas with an `$id` become components. */
export function openApiDocument(routes: readonly Route[], version: string): Node {
  const { convert, all: schemas } = schemaComponents();
  const responses = new ResponseComponents(convert);
  const paths: { [path: string]: { [method: string]: unknown } } = {};
  for (const route of routes) {
    const path = toPathTemplate(route.url);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: buildOperation(route, convert, responses, routes) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sevengate',
      version,
      description:
        'Trading and research API for tokenized assets with autonomous agents. Money and quantities are decimal strings, times are ISO 8601 in UTC, lists answer `{ items, nextCursor }`, and errors are RFC 9457 problem details with a `code`.',
    },
    servers: [{ url: '/' }],
    tags: TAGS.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      examples: problemExamples(),
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: responses.all(),
      schemas: schemas(),
    },
  };
}

/** Returns `docs/permissions.md`: every route and its permission. */
export function permissionTable(routes: readonly Route[]): string {
  const rows = routes.map(({ method, url, permission, cost }) => `| ${method} | \`${url}\` | ${permissionText(permission)} | ${cost} |`);
  return `# Who may call what

Generated from \`api/v1/index.ts\` and compared by \`test/api/surfaces.test.ts\`, which also writes it (\`vitest run test/api/surfaces.test.ts -u\`). An identity that was granted nothing has \`market:read\` and belongs to no organization. Whoever asks for a thing of another organization gets the same answer as for one that does not exist.

| Method | Path | Needs | Cost class |
|---|---|---|---|
${rows.join('\n')}
| GET | \`/docs\`, \`/docs/*\` | public | read |
| GET | \`/\`, \`/terminal\`, \`/terminal/*\` | public | read |
`;
}
