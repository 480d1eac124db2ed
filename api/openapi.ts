/** The OpenAPI 3.1 document and the permission table: both follow from the routes alone, without booting anything. */
import { type TSchema, Type } from 'typebox';
import { codeSamples } from './code-samples.ts';
import { FEED_ENTRIES } from './documented-feeds.ts';
import { EXAMPLES } from './examples.ts';
import { permissionText } from './permission.ts';
import { PROBLEMS, ProblemBody, type ProblemCode } from './problem.ts';
import { commonRefusals, defineRoute, entry, type Route, type RouteEntry } from './route.ts';
import { schemaComponents } from './schema-components.ts';
import { ROUTES } from './v1/index.ts';

type Node = { readonly [key: string]: unknown };

/** Where the document is served, and where people read it. */
export const OPENAPI_URL = '/v1/openapi.json';
export const DOCS_URL = '/docs';

/** Headers of every answer that was let in. */
const COMMON_HEADERS = {
  'x-request-id': { $ref: '#/components/headers/RequestId' },
  ratelimit: { $ref: '#/components/headers/RateLimit' },
};

/** GET /v1/openapi.json itself. */
export const openApiRoute = (text: () => string): RouteEntry =>
  documentRoute({ url: OPENAPI_URL, name: 'getOpenApi', summary: 'This document', description: 'The OpenAPI document.' }, text);

/** GET /v1/asyncapi.json. */
const asyncApiRoute = (text: () => string): RouteEntry =>
  documentRoute(
    {
      url: '/v1/asyncapi.json',
      name: 'getAsyncApi',
      summary: 'The messages of the feed, as AsyncAPI 3',
      description: 'The AsyncAPI document.',
    },
    text,
  );

/** A document that the service tells of itself: `text` is asked for once it is written. */
function documentRoute(
  { url, name, summary, description }: Pick<Route, 'url' | 'name' | 'summary'> & { readonly description: string },
  text: () => string,
): RouteEntry {
  const route = defineRoute({
    method: 'GET',
    url,
    name,
    tag: 'operation',
    summary,
    cost: 'read',
    schema: {},
    answers: { 200: { description, schema: Type.Unsafe<object>({ type: 'object', additionalProperties: true }) } },
    refusals: [],
    handle: () => (_, reply) => reply.header('content-type', 'application/json; charset=utf-8').serializer(String).send(text()),
  });
  return entry(route, 'public');
}

/** The documents that the service tells of itself, once they are written. */
export interface DocumentTexts {
  openApi(): string;
  asyncApi(): string;
}

const UNWRITTEN: DocumentTexts = { openApi: () => '', asyncApi: () => '' };

/** Every route that this room registers. */
export function servedRoutes(more: readonly RouteEntry[] = [], texts: DocumentTexts = UNWRITTEN): RouteEntry[] {
  return [...ROUTES, ...more, openApiRoute(texts.openApi), asyncApiRoute(texts.asyncApi)];
}

/** Every route that the document and the permission table tell of: those and the feeds. */
export function documentedRoutes(more: readonly RouteEntry[] = []): RouteEntry[] {
  return [...servedRoutes(more), ...FEED_ENTRIES];
}

/** A route's address as the document writes it: `/v1/agents/{id}`. */
const templateOf = (url: string): string => url.replace(/:(\w+)/g, '{$1}');

const exampleOf = (value: unknown): { readonly example?: unknown } => (value === undefined ? {} : { example: value });

/** Whether what is answered is JSON; a refusal always is. */
function answersJson(answers: RouteEntry['route']['answers']): boolean {
  return Object.entries(answers).some(([status, { schema }]) => Number(status) < 400 && schema !== undefined);
}

/** What was answered with each of the codes, by code. */
function problemExamples(codes: readonly ProblemCode[]): { readonly examples?: Node } {
  const known = codes.filter((code) => EXAMPLES.problems[code] !== undefined);
  return known.length === 0 ? {} : { examples: Object.fromEntries(known.map((code) => [code, { $ref: `#/components/examples/${code}` }])) };
}

const PROBLEM_EXAMPLES = Object.fromEntries(
  Object.entries(EXAMPLES.problems).map(([code, value]) => [code, { summary: PROBLEMS[code as ProblemCode].title, value }]),
);

/** How a caller says who it is. */
const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  cookie: { type: 'apiKey', in: 'cookie', name: '__Host-sevengate', description: 'Unsafe requests also need an allowed Origin.' },
  loopbackCookie: { type: 'apiKey', in: 'cookie', name: 'sevengate', description: 'The same on http loopback.' },
};

/** Builds the document. Schemas with an `$id` become components. */
export function openApiDocument(routes: readonly RouteEntry[], version: string): Node {
  const { convert, all: schemas } = schemaComponents();
  const responseComponents: { [name: string]: unknown } = {};

  function parameters(schema: TSchema | undefined, place: 'path' | 'query'): unknown[] {
    const { properties = {}, required = [] } = (schema ?? {}) as { properties?: { [name: string]: Node }; required?: readonly string[] };
    return Object.entries(properties).map(([name, { description, ...field }]) => ({
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: convert(field),
    }));
  }

  function problemResponse(codes: readonly ProblemCode[], status: number): Node {
    const headers: { [name: string]: unknown } = { ...COMMON_HEADERS };
    if (status === 429 || status === 503) headers['retry-after'] = { $ref: '#/components/headers/RetryAfter' };
    const name = `${status}.${codes.join('-')}`;
    responseComponents[name] ??= {
      description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' '),
      headers,
      content: { 'application/problem+json': { schema: convert(ProblemBody), ...problemExamples(codes) } },
    };
    return { $ref: `#/components/responses/${name}` };
  }

  function requestBody({ route }: RouteEntry): Node {
    const content = { schema: convert(route.schema.body) };
    return {
      required: route.bodyRule !== 'optional',
      content: {
        'application/json': { ...content, ...exampleOf(EXAMPLES.operations[route.name]?.body) },
        ...(route.yaml === true ? { 'application/yaml': content } : {}),
      },
    };
  }

  function operation(found: RouteEntry): Node {
    const { route, permission } = found;
    const responses: { [status: string]: unknown } = {};
    const example = EXAMPLES.operations[route.name];
    for (const [status, { description, schema, contentType }] of Object.entries(route.answers)) {
      if (Number(status) === 101 || Number(status) === 204) {
        responses[status] = { description };
        continue;
      }
      const content =
        schema === undefined
          ? { [contentType ?? 'text/plain']: { schema: { type: 'string' } } }
          : { 'application/json': { schema: convert(schema), ...exampleOf(example?.answers[status]) } };
      responses[status] = { description, headers: COMMON_HEADERS, content };
    }
    const codes = [...new Set([...commonRefusals(found), ...route.refusals])];
    for (const status of [...new Set(codes.map((code) => PROBLEMS[code].status))].sort()) {
      const own = responses[status] as { content: object } | undefined;
      // A status may mean an answer and a problem alike (readiness): both content types are then documented.
      responses[status] =
        own === undefined
          ? problemResponse(
              codes.filter((code) => PROBLEMS[code].status === status),
              status,
            )
          : {
              ...own,
              content: { ...own.content, 'application/problem+json': { schema: convert(ProblemBody), ...problemExamples(codes) } },
            };
    }
    return {
      operationId: route.name,
      tags: [route.tag],
      summary: route.summary,
      ...(route.description === undefined ? {} : { description: route.description }),
      ...(permission === 'public' ? { security: [] } : { security: [{ bearer: [] }, { cookie: [] }, { loopbackCookie: [] }] }),
      'x-permission': permissionText(permission),
      'x-cost': route.cost,
      'x-codeSamples': codeSamples(
        { method: route.method, isPublic: permission === 'public', answersJson: answersJson(route.answers) },
        example ?? { url: templateOf(route.url) },
      ),
      parameters: [
        ...parameters(route.schema.params, 'path'),
        ...parameters(route.schema.querystring, 'query'),
        ...(route.idempotent === true ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
      ],
      ...(route.schema.body === undefined ? {} : { requestBody: requestBody(found) }),
      responses,
    };
  }

  const paths: { [path: string]: { [method: string]: unknown } } = {};
  for (const found of routes) {
    const path = templateOf(found.route.url);
    paths[path] = { ...paths[path], [found.route.method.toLowerCase()]: operation(found) };
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
    tags: [
      { name: 'operation', description: 'Whether the service runs.' },
      { name: 'identity', description: 'Who asks.' },
      { name: 'market', description: 'What the venues say.' },
      { name: 'agents', description: 'Agents, their decisions and their state charts.' },
      { name: 'feeds', description: 'What happens, as it happens.' },
    ],
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      examples: PROBLEM_EXAMPLES,
      parameters: {
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description: 'The same key and request again gets the same answer and has no second effect; another request under it is refused.',
          schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
        },
      },
      headers: {
        RequestId: { description: 'Names this request in the audit trail.', schema: { type: 'string' } },
        RateLimit: {
          description: 'What is left of the bucket (`r`) and in how many seconds it is full again (`t`).',
          schema: { type: 'string' },
        },
        RetryAfter: { description: 'Seconds to wait.', schema: { type: 'integer' } },
      },
      responses: Object.fromEntries(Object.entries(responseComponents).sort(([a], [b]) => (a < b ? -1 : 1))),
      schemas: schemas(),
    },
  };
}

/** `docs/permissions.md`: every route and what its caller needs. */
export function permissionTable(routes: readonly RouteEntry[]): string {
  const rows = routes.map(
    ({ route, permission }) => `| ${route.method} | \`${route.url}\` | ${permissionText(permission)} | ${route.cost} |`,
  );
  return `# Who may call what

Generated from \`api/v1/index.ts\` and compared by \`test/api/surfaces.test.ts\`, which also writes it (\`vitest run test/api/surfaces.test.ts -u\`). An identity that was granted nothing has \`market:read\` and belongs to no organization. Whoever asks for a thing of another organization gets the same answer as for one that does not exist.

| Method | Path | Needs | Cost class |
|---|---|---|---|
${rows.join('\n')}
| GET | \`/docs\`, \`/docs/*\` | public | read |
| GET | \`/\`, \`/console/*\` | public | read |
`;
}
