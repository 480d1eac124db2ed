/** An operation of the OpenAPI document: what a route takes, answers and refuses. */
import type { TSchema } from 'typebox';
import { PROBLEMS, type ProblemCode } from '../../src/domain/values/problems.ts';
import { CREATED, findLocation } from '../http/location.ts';
import { permissionText } from '../permission.ts';
import { ProblemBody } from '../problem.ts';
import { commonRefusals, type Route } from '../route.ts';
import { codeSamples, snakeCase } from './code-samples.ts';
import { readExamples } from './examples.ts';
import type { schemaComponents } from './schema-components.ts';

type Node = { readonly [key: string]: unknown };
/** Converts a schema for the document. One with an `$id` becomes a component. */
type Convert = ReturnType<typeof schemaComponents>['convert'];

/** Headers of every answer to an admitted request. */
const COMMON_HEADERS = {
  'x-request-id': { $ref: '#/components/headers/RequestId' },
  ratelimit: { $ref: '#/components/headers/RateLimit' },
};

const LOCATION_HEADER = { location: { $ref: '#/components/headers/Location' } };

/** Returns a route's path as in the document: `/v1/agents/{id}`. */
export const toPathTemplate = (url: string): string => url.replace(/:(\w+)/g, '{$1}');

const withExample = (value: unknown): { readonly example?: unknown } => (value === undefined ? {} : { example: value });

/** Returns a sample URL if none was recorded, with the minimum of each required parameter. */
function sampleUrl({ url, schema: { querystring } }: Route): string {
  const { properties = {}, required = [] } = (querystring ?? {}) as {
    readonly properties?: {
      readonly [name: string]: { readonly enum?: readonly unknown[]; readonly minimum?: number; readonly examples?: unknown[] };
    };
    readonly required?: readonly string[];
  };
  const query = required.map((name) => {
    const field = properties[name];
    return `${name}=${String(field?.examples?.[0] ?? field?.enum?.[0] ?? field?.minimum ?? 1)}`;
  });
  return `${toPathTemplate(url)}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

/**
 * Returns the name of the Python client's argument for a whole body, as `clients/python/generate.py` names it, or null if it takes the
 * fields.
 */
function wholeBody(schema: TSchema | undefined): string | null {
  const { $id, properties, additionalProperties } = (schema ?? {}) as Node;
  if ($id !== undefined) return snakeCase(String($id));
  return properties === undefined && Boolean(additionalProperties) ? 'body' : null;
}

/** True if clients read the answer page by page: a list with a cursor, or only a list. */
function isPaged({ answers, schema: { querystring } }: Route): boolean {
  const schema = Object.entries(answers).find(([status]) => status.startsWith('2'))?.[1].schema as
    | { readonly properties?: { readonly [name: string]: Node }; readonly required?: readonly string[] }
    | undefined;
  if (schema?.properties?.['items']?.['type'] !== 'array' || schema.required?.includes('items') !== true) return false;
  const takesCursor = Object.hasOwn((querystring as { properties?: object } | undefined)?.properties ?? {}, 'cursor');
  return takesCursor || Object.keys(schema.properties).length === 1;
}

function problemExamples(codes: readonly ProblemCode[]): { readonly examples?: Node } {
  const known = codes.filter((code) => readExamples().problems[code] !== undefined);
  return known.length === 0 ? {} : { examples: Object.fromEntries(known.map((code) => [code, { $ref: `#/components/examples/${code}` }])) };
}

/** Refusals shared by operations, by status and codes. */
export class ResponseComponents {
  readonly #convert: Convert;
  readonly #made: { [name: string]: unknown } = {};

  constructor(convert: Convert) {
    this.#convert = convert;
  }

  /** Returns a reference to the answer with one of these codes. */
  problem(codes: readonly ProblemCode[], status: number): Node {
    const headers: { [name: string]: unknown } = { ...COMMON_HEADERS };
    if (status === 429 || status === 503) headers['retry-after'] = { $ref: '#/components/headers/RetryAfter' };
    const name = `${status}.${codes.join('-')}`;
    this.#made[name] ??= {
      description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' '),
      headers,
      content: problemContent(codes, this.#convert),
    };
    return { $ref: `#/components/responses/${name}` };
  }

  /** Returns every created component, by name. */
  all(): Node {
    return Object.fromEntries(Object.entries(this.#made).sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

const problemContent = (codes: readonly ProblemCode[], convert: Convert) => ({
  'application/problem+json': { schema: convert(ProblemBody), ...problemExamples(codes) },
});

function listParameters(schema: TSchema | undefined, place: 'path' | 'query', convert: Convert): unknown[] {
  const { properties = {}, required = [] } = (schema ?? {}) as { properties?: { [name: string]: Node }; required?: readonly string[] };
  return Object.entries(properties).map(([name, { description, ...field }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: convert(field),
  }));
}

/** Returns the names of number and boolean fields. */
function plainFields(schema: TSchema | undefined): readonly string[] {
  const { properties = {} } = (schema ?? {}) as { readonly properties?: { readonly [name: string]: { readonly type?: unknown } } };
  return Object.keys(properties).filter((name) => ['integer', 'number', 'boolean'].includes(String(properties[name]?.type)));
}

function buildRequestBody(route: Route, convert: Convert): Node {
  const content = { schema: convert(route.schema.body) };
  return {
    required: route.bodyRule !== 'optional',
    content: {
      'application/json': { ...content, ...withExample(readExamples().operations[route.name]?.body) },
      ...(route.yaml === true ? { 'application/yaml': content } : {}),
      ...(route.raw === true ? { 'text/plain': { schema: { type: 'string' } } } : {}),
    },
  };
}

/** Returns the successful answers of a route, by status. */
function buildAnswers(route: Route, convert: Convert, hasLocation: boolean): { [status: string]: unknown } {
  const responses: { [status: string]: unknown } = {};
  for (const [status, { description, schema, contentType }] of Object.entries(route.answers)) {
    if (Number(status) === 101 || Number(status) === 204) {
      responses[status] = { description };
      continue;
    }
    const content =
      schema === undefined
        ? { [contentType ?? 'text/plain']: { schema: { type: 'string' } } }
        : { 'application/json': { schema: convert(schema), ...withExample(readExamples().operations[route.name]?.answers[status]) } };
    const headers = hasLocation && Number(status) === CREATED ? { ...COMMON_HEADERS, ...LOCATION_HEADER } : COMMON_HEADERS;
    responses[status] = { description, headers, content };
  }
  return responses;
}

/** Returns answers and refusals by status. */
function buildResponses(route: Route, convert: Convert, shared: ResponseComponents, hasLocation: boolean): { [status: string]: unknown } {
  const responses = buildAnswers(route, convert, hasLocation);
  const codes = [...new Set([...commonRefusals(route), ...route.refusals])];
  for (const status of [...new Set(codes.map((code) => PROBLEMS[code].status))].sort()) {
    const own = responses[status] as { content: object } | undefined;
    // A status may have an answer and a problem (readiness). Both content types are then documented.
    responses[status] =
      own === undefined
        ? shared.problem(
            codes.filter((code) => PROBLEMS[code].status === status),
            status,
          )
        : { ...own, content: { ...own.content, ...problemContent(codes, convert) } };
  }
  return responses;
}

/** Returns the description of a route. For a retired route it begins with its sunset and its successor. */
function buildDescription({ description, retired }: Route): Node {
  if (retired === undefined) return description === undefined ? {} : { description };
  const { since, sunset, successor } = retired;
  const use = `Deprecated since ${since}: use \`${successor.method} ${toPathTemplate(successor.url)}\`. It answers until ${sunset}.`;
  return { deprecated: true, description: [use, description ?? ''].join(' ').trim() };
}

/** Returns the operation of a route, one of `routes`. Adds the refusals it shares with others to `shared`. */
export function buildOperation(route: Route, convert: Convert, shared: ResponseComponents, routes: readonly Route[]): Node {
  const { permission } = route;
  const responses = buildResponses(route, convert, shared, findLocation(route, routes) !== null);
  return {
    operationId: route.name,
    tags: [route.tag],
    summary: route.summary,
    ...buildDescription(route),
    ...(permission === 'public' ? { security: [] } : { security: [{ bearer: [] }, { cookie: [] }, { loopbackCookie: [] }] }),
    'x-permission': permissionText(permission),
    'x-cost': route.cost,
    'x-codeSamples': codeSamples(
      {
        name: route.name,
        template: toPathTemplate(route.url),
        plainQuery: plainFields(route.schema.querystring),
        method: route.method,
        isPublic: permission === 'public',
        whole: wholeBody(route.schema.body),
        isPaged: isPaged(route),
      },
      readExamples().operations[route.name] ?? { url: sampleUrl(route) },
    ),
    parameters: [
      ...listParameters(route.schema.params, 'path', convert),
      ...listParameters(route.schema.querystring, 'query', convert),
      ...(route.idempotent === true ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    ...(route.schema.body === undefined ? {} : { requestBody: buildRequestBody(route, convert) }),
    responses,
  };
}
