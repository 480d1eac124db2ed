/** A route as data: its words, schemas and answers in one place; validation, types and the OpenAPI document follow from it. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { CostClass } from './access.ts';
import type { CallerOptions } from './caller.ts';
import type { RoutePermission } from './permission.ts';
import type { ApiPorts } from './ports.ts';
import type { ProblemCode } from './problem.ts';

export interface RouteSchema {
  readonly params?: TSchema;
  readonly querystring?: TSchema;
  readonly body?: TSchema;
}

type PartOf<Schema, Part extends string> = Schema extends { readonly [Name in Part]: infer Found extends TSchema }
  ? Static<Found>
  : unknown;

/** The request as its schemas make it. */
export type RequestOf<Schema extends RouteSchema> = FastifyRequest<{
  Params: PartOf<Schema, 'params'>;
  Querystring: PartOf<Schema, 'querystring'>;
  Body: PartOf<Schema, 'body'>;
}>;

export interface Answer {
  readonly description: string;
  /** The body's schema if it is JSON. */
  readonly schema?: TSchema;
  /** Content type, if it is not JSON. */
  readonly contentType?: string;
  /** Path of what a 201 made, as `locationOf` writes it, if it does not follow from the route's own path. */
  readonly shownAt?: `/${string}`;
}

export interface Route<Schema extends RouteSchema = RouteSchema> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: `/${string}`;
  /** Unique name for generated clients. */
  readonly name: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly cost: CostClass;
  /** True for probes alone: the route has no rate limit. */
  readonly unlimited?: boolean;
  /** Halts or pauses: a token may be out of its time by `CLOCK_ERROR_MS`, because the clock may be wrong. */
  readonly stops?: boolean;
  /** A public probe without input that answers the same to everybody until the process ends. */
  readonly sameForAll?: boolean;
  /** A public answer that is one long document for everybody: it is sent compressed. */
  readonly isDocument?: boolean;
  readonly schema: Schema;
  /** Treatment of the body. By default a body is required and validated against its schema. */
  readonly bodyRule?: 'optional' | 'read_by_handler';
  /** Longest time that a caller may have an answer wait, in seconds; the handler may take so much longer. */
  readonly waitsS?: number;
  /** A signed transaction rides in the body: 256 KiB are taken instead of 64. */
  readonly carriesTransaction?: boolean;
  /** Takes application/yaml besides JSON. */
  readonly yaml?: boolean;
  /** Gets the bytes of JSON or plain text as they came, 16 KiB at most: they are signed, or mapped by a template. */
  readonly raw?: boolean;
  readonly answers: { readonly [status: number]: Answer };
  /** Codes that this route adds to those that every route may answer. */
  readonly refusals: readonly ProblemCode[];
  /** Takes an Idempotency-Key. */
  readonly idempotent?: boolean;
  /** Retirement of an earlier address. It answers as before until its sunset. */
  readonly retired?: Retirement;
  handle(ports: ApiPorts, options: CallerOptions): (request: RequestOf<Schema>, reply: FastifyReply) => unknown;
}

/** Keeps the schemas' types, so that the handler's request is typed by them. */
export function defineRoute<const Schema extends RouteSchema>(route: Route<Schema>): Route<Schema> {
  return route;
}

/** A route with who may call it. */
export interface RouteEntry {
  readonly route: Route;
  readonly permission: RoutePermission;
}

/** Joins a route with its permission. */
export function entry<Schema extends RouteSchema>(route: Route<Schema>, permission: RoutePermission): RouteEntry {
  return { route: route as unknown as Route, permission };
}

/** Days as `YYYY-MM-DD`, and the route to use instead. */
export interface Retirement {
  readonly since: string;
  readonly sunset: string;
  readonly successor: Pick<Route, 'method' | 'url'>;
}

/** Months for which an earlier address is kept. */
const KEPT_MONTHS = 6;

/** Returns a route whose last part was renamed, and its earlier address, which answers the same for six months. */
export function renamed(found: RouteEntry, earlier: Pick<Route, 'url' | 'name'> & Pick<Retirement, 'since'>): readonly RouteEntry[] {
  const { url, name, since } = earlier;
  const sunset = new Date(since);
  sunset.setUTCMonth(sunset.getUTCMonth() + KEPT_MONTHS);
  const retired = { since, sunset: sunset.toISOString().slice(0, 10), successor: found.route };
  return [found, { ...found, route: { ...found.route, url, name, retired } }];
}

/**
 * Headers of a retired route's answers: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a link to its successor, relative to the
 * request's address, of which it replaces the last part.
 */
export function retirementHeaders({ since, sunset, successor }: Retirement): { readonly [name: string]: string } {
  return {
    deprecation: `@${Date.parse(since) / 1_000}`,
    sunset: new Date(sunset).toUTCString(),
    link: `<${successor.url.slice(successor.url.lastIndexOf('/') + 1)}>; rel="successor-version"`,
  };
}

/** Codes that any route may answer, beside those of its own. */
export function commonRefusals({ route, permission }: RouteEntry): ProblemCode[] {
  const codes: ProblemCode[] = ['rate_limited', 'unavailable', 'internal_error'];
  // A token of an agent lacks what every identity has.
  if (permission !== 'public') codes.unshift('ambiguous_credentials', 'unauthenticated', 'token_expired', 'permission_missing');
  if (route.schema.querystring !== undefined || route.method !== 'GET') codes.push('malformed');
  if (route.method !== 'GET') codes.push('origin_refused', 'body_too_large', 'body_too_deep', 'unsupported_media_type');
  if (route.idempotent === true) codes.push('idempotency_in_flight', 'idempotency_mismatch');
  return codes;
}
