/** Builds the HTTP server from its routes: strict parsing, one gate for every request, problems for every error. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import cookie from '@fastify/cookie';
import cors from '@fastify/cors';
import compileSerializer, { type Schema } from 'fast-json-stringify';
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteShorthandOptions,
} from 'fastify';
import type { TSchema } from 'typebox';
import { once } from '../src/core/once.ts';
import { PROBLEMS, type ProblemCode } from '../src/domain/values/problems.ts';
import { type CallerOptions, createGate } from './caller.ts';
import { SameAnswers } from './document/same-answers.ts';
import { compressesDocuments } from './http/compression.ts';
import { findLocation, sendsLocation } from './http/location.ts';
import { securityHeaders } from './http/security-headers.ts';
import { parseStrictJson, decodeUtf8 } from './http/strict-json.ts';
import { parseStrictYaml } from './http/strict-yaml.ts';
import { InputError, sendProblem } from './problem.ts';
import { type ApiPorts, type Retirement, type Route, retirementHeaders } from './route.ts';
import { serializable } from './shapes.ts';
import { compileValidator, type Part } from './validation.ts';

export interface ApiOptions extends CallerOptions {
  /** Version in the OpenAPI document. */
  readonly version: string;
  /** Addresses of proxies whose X-Forwarded-For counts. Default: none. */
  readonly trustedProxies?: readonly string[];
  readonly logger?: FastifyBaseLogger;
  /** Milliseconds after which an incomplete request is dropped and an unanswered handler is given up. Default 10,000. */
  readonly timeoutMs?: number;
  /** Registers parts that are not plain routes: feeds, the terminal. Each of their routes also needs `config.permission`. */
  readonly extend?: readonly ((app: FastifyInstance) => void | Promise<void>)[];
}

/** Maximum bytes of a body. Routes with a transaction raise it to 256 KiB, those with raw bytes lower it. */
const BODY_LIMIT = 64 * 1024;
const TRANSACTION_BODY_LIMIT = 256 * 1024;
const RAW_BODY_LIMIT = 16 * 1024;
/** Time limit of a request in milliseconds. */
export const TIMEOUT_MS = 10_000;
const START_PATIENCE_MS = 120_000;
/** Additional milliseconds of an idle connection after its handler's time limit. */
const CONNECTION_SLACK_MS = 5_000;
/** Interval in milliseconds of the check for requests that arrive too slowly. */
const CHECK_MS = 1_000;
const HEADERS_TIMEOUT_MS = 5_000;
const PREFLIGHT_SECONDS = 600;
/** Headers of Model Context Protocol clients in a page. */
const MCP_HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name'];

/** Address of the documentation, the only pages without a permission. */
export const DOCS_URL = '/docs';

/** Hooks of a route that answers with a document. */
export type DocumentHook = ReturnType<typeof compressesDocuments>;

/**
 * Builds a server of the routes that `listRoutes` returns; it may register others itself. The caller calls `listen` or `inject`.
 * @throws Error if a route has no permission, or two routes are the same.
 */
export async function buildServer(
  ports: ApiPorts,
  options: ApiOptions,
  listRoutes: (app: FastifyInstance, compressed: DocumentHook) => readonly Route[],
): Promise<FastifyInstance> {
  const app = emptyServer(ports, options);
  const known: KnownRoute[] = [];
  app.decorateRequest('caller', null);
  app.addHook('onRoute', ({ method, url, config }) => {
    // The preflight handler precedes every route and belongs to none.
    if (method === 'OPTIONS' && url === '*') return;
    const isDocs = url === DOCS_URL || url.startsWith(`${DOCS_URL}/`);
    if (config?.permission === undefined && !isDocs)
      throw new Error(`the route ${String(method)} ${url} says nothing about its permission: name one in config.permission`);
    known.push({ methods: [method].flat(), pattern: toUrlPattern(url) });
  });
  await nameAllowedOrigins(app, options);
  // Writes cookies. The session cookie is read separately, because it may appear twice (`caller.ts`).
  await app.register(cookie, { hook: false });
  readBodiesStrictly(app);
  app.setErrorHandler((error, request, reply) => answerError(ports, error as FastifyError, request, reply));
  await letInByTheGate(app, ports, options, known);
  app.addHook('onResponse', (request, reply, done) => {
    ports.operation.metrics.observe({
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
    });
    done();
  });
  app.setValidatorCompiler(({ schema, httpPart }) => compileValidator(schema as TSchema, (httpPart ?? 'body') as Part));
  app.setSerializerCompiler(({ schema }) => compiledWhenUsed(schema as Schema));
  const same = new SameAnswers(ports);
  const compressed = compressesDocuments();
  const routes = listRoutes(app, compressed);
  function buildHooks(route: Route): AnswerHooks {
    const location = findLocation(route, routes);
    if (location !== null) return { onSend: sendsLocation(location) };
    if (route.permission !== 'public') return {};
    if (route.sameForAll === true) return same.hooksOf(route.url);
    return route.isDocument === true ? { onSend: compressed } : {};
  }
  for (const route of routes) registerRoute(app, ports, options, route, buildHooks(route));
  for (const extend of options.extend ?? []) await extend(app);
  same.answerOn(app);
  return app;
}

/** Returns a serializer that is compiled with the first answer, in milliseconds. Compiling all at the start would take two seconds. */
function compiledWhenUsed(schema: Schema): (data: unknown) => string {
  const serializer = once(() => compileSerializer(serializable(schema) as Schema));
  return (data) => serializer()(data);
}

/** Configures CORS with an exact list. Other origins get no CORS headers. */
async function nameAllowedOrigins(app: FastifyInstance, { allowedOrigins }: ApiOptions): Promise<void> {
  await app.register(cors, {
    origin: [...allowedOrigins],
    credentials: true,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: ['authorization', 'content-type', 'idempotency-key', 'last-event-id', 'prefer', ...MCP_HEADERS],
    exposedHeaders: [
      'x-request-id',
      'ratelimit',
      'ratelimit-policy',
      'retry-after',
      'idempotency-replayed',
      'location',
      'preference-applied',
    ],
    maxAge: PREFLIGHT_SECONDS,
    strictPreflight: false,
  });
}

/** Returns a server without routes, with the limits and time-outs of every connection. */
function emptyServer(ports: ApiPorts, options: ApiOptions): FastifyInstance {
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const app = fastify({
    ...(options.logger === undefined ? { logger: false } : { loggerInstance: options.logger }),
    bodyLimit: BODY_LIMIT,
    connectionTimeout: timeoutMs + CONNECTION_SLACK_MS,
    requestTimeout: timeoutMs,
    handlerTimeout: timeoutMs,
    // A slow start on a busy machine is better than none.
    pluginTimeout: START_PATIENCE_MS,
    http: { connectionsCheckingInterval: CHECK_MS, headersTimeout: Math.min(timeoutMs, HEADERS_TIMEOUT_MS) },
    forceCloseConnections: 'idle',
    genReqId: () => ports.operation.newRequestId(),
    requestIdHeader: false,
    trustProxy: options.trustedProxies === undefined ? false : [...options.trustedProxies],
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, maxParamLength: 200 },
    frameworkErrors: (error, _request, reply) => {
      void sendProblem(reply as unknown as FastifyReply, 'malformed', error.message);
    },
    clientErrorHandler: refuseBrokenRequest,
  });
  closeStuckConnections(app.server);
  closeUnusedConnections(app);
  return app;
}

/** Closes connections that have not sent a request, such as those that a browser opens in advance. Node.js would wait for their first one. */
function closeUnusedConnections(app: FastifyInstance): void {
  const unused = new Set<Socket>();
  app.server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  for (const event of ['request', 'upgrade']) app.server.on(event, ({ socket }: IncomingMessage) => unused.delete(socket as Socket));
  app.addHook('preClose', (done) => {
    for (const socket of unused) socket.destroy();
    app.server.prependListener('connection', (socket) => socket.destroy());
    done();
  });
}

/**
 * Closes a connection that is idle for twice `connectionTimeout` without a request being handled. The handler's own time limit answers
 * running requests. After a single time-out a busy process may not have read a request or written an answer yet.
 */
function closeStuckConnections(server: FastifyInstance['server']): void {
  const answers = new WeakMap<Socket, ServerResponse>();
  const moved = new WeakMap<Socket, number>();
  server.on('request', (request, response) => answers.set(request.socket, response));
  server.on('timeout', (socket) => {
    const isHandled = answers.get(socket)?.writableEnded === false;
    const bytes = socket.bytesRead + socket.bytesWritten;
    if (!isHandled && moved.get(socket) === bytes) return void socket.destroy();
    moved.set(socket, bytes);
    socket.setTimeout(server.timeout);
  });
}

/** Runs the gate for every request before its body is read, because a refused body is not worth parsing. */
async function letInByTheGate(app: FastifyInstance, ports: ApiPorts, options: ApiOptions, known: readonly KnownRoute[]): Promise<void> {
  const gate = createGate(ports, options);
  const safe = await securityHeaders({
    contentSecurityPolicy: { useDefaults: false, directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] } },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    // Headers that only outdated browsers read would be a third of a small answer.
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    xDnsPrefetchControl: false,
    originAgentCluster: false,
    // http loopback has no transport security.
    strictTransportSecurity: !options.loopback,
  });
  function goOn(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
    if (request.is404) answerUnknown(request, reply, known);
    else done();
  }
  // Not an async function, so that probes need not wait.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(safe);
    const answered = gate(request, reply);
    if (answered === undefined) goOn(request, reply, done);
    else if (answered instanceof Promise) answered.then((late) => (late === undefined ? goOn(request, reply, done) : undefined), done);
  });
  app.setNotFoundHandler((request, reply) => answerUnknown(request, reply, known));
}

type AnswerHooks = Pick<RouteShorthandOptions, 'onSend' | 'onResponse'>;

function registerRoute(app: FastifyInstance, ports: ApiPorts, options: ApiOptions, route: Route, hooks: AnswerHooks): void {
  const { params, querystring, body } = route.schema;
  const response = Object.fromEntries(
    Object.entries(route.answers).flatMap(([status, { schema }]) => (schema === undefined ? [] : [[status, schema]])),
  );
  app.route({
    method: route.method,
    url: route.url,
    ...hooks,
    ...(route.retired === undefined ? {} : { onRequest: sendsRetirement(route.retired) }),
    bodyLimit: route.carriesTransaction === true ? TRANSACTION_BODY_LIMIT : route.raw === true ? RAW_BODY_LIMIT : BODY_LIMIT,
    config: {
      permission: route.permission,
      cost: route.cost,
      yaml: route.yaml === true,
      raw: route.raw === true,
      unlimited: route.unlimited === true,
      stops: route.stops === true,
      takesKey: route.idempotent === true,
    },
    schema: {
      ...(params === undefined ? {} : { params: withoutFormats(params) }),
      ...(querystring === undefined ? {} : { querystring }),
      ...(body === undefined ? {} : { body }),
      response,
    },
    ...(route.waitsS === undefined ? {} : { handlerTimeout: (options.timeoutMs ?? TIMEOUT_MS) + route.waitsS * 1_000 }),
    validatorCompiler: createValidatorCompiler(route),
    handler: route.handle(ports, options),
  });
}

/** Returns the hook that tells callers of a retired route its end and its successor. */
function sendsRetirement(retired: Retirement) {
  const headers = retirementHeaders(retired);
  return (_: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    reply.headers(headers);
    done();
  };
}

function createValidatorCompiler(route: Route) {
  return ({ schema, httpPart }: { schema: TSchema; httpPart?: string }) => {
    // The domain reads manifests, with more rules than a schema can have.
    if (httpPart === 'body' && route.bodyRule === 'read_by_handler') return (value: unknown) => ({ value });
    return compileValidator(schema, (httpPart ?? 'body') as Part, route.bodyRule === 'optional');
  };
}

/** Ids in paths are documented as UUIDs, but another text is simply an unknown id: 404, not 400. */
function withoutFormats(schema: TSchema): TSchema {
  const { properties, ...rest } = schema as unknown as { properties: { [name: string]: { format?: string } } };
  const plain = Object.fromEntries(Object.entries(properties).map(([name, { format: _, ...field }]) => [name, field]));
  return { ...rest, properties: plain } as unknown as TSchema;
}

function readBodiesStrictly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const onlyJson = () => new InputError('unsupported_media_type', 'this route takes application/json only');
  app.addContentTypeParser('text/plain', { parseAs: 'buffer' }, (request, body: Buffer, done) =>
    request.routeOptions.config.raw === true ? done(null, body) : done(onlyJson()),
  );
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (request.routeOptions.config.raw === true) return done(null, body);
    if (body.length === 0) return done(null, undefined);
    try {
      done(null, parseStrictJson(decodeUtf8(body)));
    } catch (error) {
      done(error as Error);
    }
  });
  app.addContentTypeParser('application/yaml', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    try {
      if (request.routeOptions.config.yaml !== true) throw onlyJson();
      done(null, parseStrictYaml(decodeUtf8(body)));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Codes of Fastify's own errors that depend on the sender. */
const FRAMEWORK_ERRORS: { readonly [code: string]: readonly [ProblemCode, string] } = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'the body is of an unknown media type; send application/json'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['malformed', 'the length of the body differs from Content-Length'],
};

/** Returns the problem of a framework error if it depends on the request. */
function frameworkProblem({ code }: FastifyError, request: FastifyRequest): readonly [ProblemCode, string] | undefined {
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return ['body_too_large', `the body is larger than ${request.routeOptions.bodyLimit ?? BODY_LIMIT} bytes`];
  if (code !== 'FST_ERR_HANDLER_TIMEOUT') return FRAMEWORK_ERRORS[code];
  return ['unavailable', `the request timed out; ${wayOut(request)}`];
}

/** Returns the next step of a sender if the result of its request is unknown. */
function wayOut({ method, routeOptions: { config } }: FastifyRequest): string {
  if (method === 'GET') return 'nothing was changed, so ask again';
  return `it may have had an effect, so ${config.takesKey === true ? 'ask again with the same Idempotency-Key' : 'look before you ask again'}`;
}

function answerError(ports: ApiPorts, error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // A route's own serializer must not change a problem.
  if (error instanceof InputError)
    return sendProblem(reply, error.code, error.message, error.problems.length > 0 ? { problems: error.problems } : {});
  const framework = frameworkProblem(error, request);
  if (framework !== undefined) return sendProblem(reply, framework[0], framework[1]);
  if (ports.operation.isUnavailable(error))
    return sendProblem(reply, 'unavailable', `the database is not reachable or has no space left; ${wayOut(request)}`);
  if (typeof error.statusCode === 'number' && error.statusCode >= 400 && error.statusCode < 500)
    return sendProblem(reply, 'malformed', 'the request cannot be read');
  ports.operation.reportDefect(error, { requestId: request.id, route: `${request.method} ${request.routeOptions.url ?? 'unknown'}` });
  return sendProblem(reply, 'internal_error', 'internal error, recorded under this request id');
}

interface KnownRoute {
  readonly methods: readonly string[];
  readonly pattern: RegExp;
}

function toUrlPattern(url: string): RegExp {
  const escaped = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/:[A-Za-z]+/g, '[^/]+').replace(/\*$/, '.*')}$`);
}

/** Answers a request without a route: 405 with the path's methods, 204 for OPTIONS, else 404. */
function answerUnknown(request: FastifyRequest, reply: FastifyReply, known: readonly KnownRoute[]): FastifyReply {
  const path = request.url.split('?')[0] ?? '';
  const methods = [...new Set(known.filter(({ pattern }) => pattern.test(path)).flatMap((route) => route.methods))].sort();
  if (methods.length === 0) return sendProblem(reply, 'not_found', 'there is no such route; /docs lists them');
  reply.header('allow', methods.join(', '));
  if (request.method !== 'OPTIONS') return sendProblem(reply, 'method_not_allowed', `allowed here: ${methods.join(', ')}`);
  return reply.code(204).send();
}

/** Answers requests that are not HTTP, or whose headers are too large, on the raw socket. */
function refuseBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) return letGoOfSilent(socket);
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const phrase = { 400: 'Bad Request', 408: 'Request Timeout', 431: 'Request Header Fields Too Large' }[status];
  const body = JSON.stringify({
    type: 'urn:sevengate:problem:malformed',
    title: PROBLEMS.malformed.title,
    status,
    detail: phrase,
    code: 'malformed',
    requestId: '',
  });
  socket.write(
    `HTTP/1.1 ${status} ${phrase}\r\ncontent-type: application/problem+json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
  // Not merely ended: a peer that continues to send would keep its half of the connection.
  socket.destroySoon();
}

/**
 * Closes a silent connection without an answer: browsers open connections in advance, and would take it for the answer to their next
 * request. Unread data, left because this process was busy, is read first and restarts the time limit.
 */
function letGoOfSilent(socket: Socket): void {
  setImmediate(() => {
    if (socket.bytesRead === 0) socket.destroy();
  });
}
