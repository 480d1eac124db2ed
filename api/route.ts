/** A route as data: its description, schemas and answers. Validation, types and the OpenAPI document follow from it. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { IdempotencyStore } from '../src/adapters/store/callers/idempotency-store.ts';
import type { ProblemCode } from '../src/domain/values/problems.ts';
import type { Clock } from '../streams/clock/clock.ts';
import type { AccessPorts, CostClass } from './access.ts';
import type { CallerOptions } from './caller.ts';
import type { OperationPorts } from './operation/operation-ports.ts';
import type { RoutePermission } from './permission.ts';

/** Ports of the server. Each group of routes declares what it reaches beside them. Boot supplies them all; nothing is global. */
export interface ApiPorts {
  readonly clock: Pick<Clock, 'now' | 'elapsed' | 'deadline'>;
  readonly operation: OperationPorts;
  readonly access: AccessPorts;
  readonly answers: Pick<IdempotencyStore, 'find'>;
}

interface RouteSchema {
  readonly params?: TSchema;
  readonly querystring?: TSchema;
  readonly body?: TSchema;
}

type PartOf<Schema, Part extends string> = Schema extends { readonly [Name in Part]: infer Found extends TSchema }
  ? Static<Found>
  : unknown;

/** Request type of a route's schemas. */
type RequestOf<Schema extends RouteSchema> = FastifyRequest<{
  Params: PartOf<Schema, 'params'>;
  Querystring: PartOf<Schema, 'querystring'>;
  Body: PartOf<Schema, 'body'>;
}>;

interface Answer {
  readonly description: string;
  /** The body's schema if it is JSON. */
  readonly schema?: TSchema;
  /** Content type if it is not JSON. */
  readonly contentType?: string;
  /** Path of what a 201 created, in the form of `findLocation`, if it does not follow from the route's own path. */
  readonly shownAt?: `/${string}`;
}

export interface Route<Schema extends RouteSchema = RouteSchema> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: `/${string}`;
  /** Unique name, used by generated clients. */
  readonly name: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly permission: RoutePermission;
  readonly cost: CostClass;
  /** True for probes only, which have no rate limit. */
  readonly unlimited?: boolean;
  /** True for halts and pauses: a token may be expired by up to `CLOCK_ERROR_MS`, because the clock may be wrong. */
  readonly stops?: boolean;
  /** A public probe without input that answers the same to everybody until the process ends. */
  readonly sameForAll?: boolean;
  /** A public answer that is one long document for everybody. It is compressed. */
  readonly isDocument?: boolean;
  readonly schema: Schema;
  /** Treatment of the body. By default it is required and validated against its schema. */
  readonly bodyRule?: 'optional' | 'read_by_handler';
  /** Maximum seconds that a caller can request an answer to wait. The handler's time limit is extended by them. */
  readonly waitsS?: number;
  /** True if the body contains a signed transaction, which raises its limit from 64 to 256 KiB. */
  readonly carriesTransaction?: boolean;
  /** Accepts application/yaml besides JSON. */
  readonly yaml?: boolean;
  /** Passes the bytes of JSON or plain text unchanged, up to 16 KiB, because they are signed or mapped by a template. */
  readonly raw?: boolean;
  readonly answers: { readonly [status: number]: Answer };
  /** Codes that this route adds to those of every route. */
  readonly refusals: readonly ProblemCode[];
  /** Accepts an Idempotency-Key. */
  readonly idempotent?: boolean;
  /** Retirement of an earlier path, which answers as before until its sunset. */
  readonly retired?: Retirement;
  handle(ports: ApiPorts, options: CallerOptions): (request: RequestOf<Schema>, reply: FastifyReply) => unknown;
}

/** Returns the route. The handler's request has the types of its schemas, which lists of routes need not know. */
export function defineRoute<const Schema extends RouteSchema>(route: Route<Schema>): Route {
  return route as unknown as Route;
}

/** Section of the API's document. */
export interface Tag {
  readonly name: string;
  /** Place among the sections: they are sorted by it. */
  readonly position: number;
  /** Introduction: purpose, order of the calls, and what can go wrong. */
  readonly description: string;
}

/** Routes in the order of the document, and their section. */
export interface RouteGroup {
  readonly tag: Tag;
  readonly routes: readonly Route[];
}

/** Days as `YYYY-MM-DD`, and the replacing route. */
export interface Retirement {
  readonly since: string;
  readonly sunset: string;
  readonly successor: Pick<Route, 'method' | 'url'>;
}

/** Months for which an earlier path is kept. */
const KEPT_MONTHS = 6;

/** Returns a route whose last path segment was renamed, and its earlier path, which answers the same for six months. */
export function renamed(route: Route, earlier: Pick<Route, 'url' | 'name'> & Pick<Retirement, 'since'>): readonly Route[] {
  const { url, name, since } = earlier;
  const sunset = new Date(since);
  sunset.setUTCMonth(sunset.getUTCMonth() + KEPT_MONTHS);
  const retired = { since, sunset: sunset.toISOString().slice(0, 10), successor: route };
  return [route, { ...route, url, name, retired }];
}

/**
 * Returns the headers of a retired route: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a link to its successor, relative to the
 * request's path, whose last segment it replaces.
 */
export function retirementHeaders({ since, sunset, successor }: Retirement): { readonly [name: string]: string } {
  return {
    deprecation: `@${Date.parse(since) / 1_000}`,
    sunset: new Date(sunset).toUTCString(),
    link: `<${successor.url.slice(successor.url.lastIndexOf('/') + 1)}>; rel="successor-version"`,
  };
}

/** Returns the codes that any route may answer, besides its own. */
export function commonRefusals({ method, permission, schema, idempotent }: Route): ProblemCode[] {
  const codes: ProblemCode[] = ['rate_limited', 'unavailable', 'internal_error'];
  // An agent token lacks what every identity has.
  if (permission !== 'public') codes.unshift('ambiguous_credentials', 'unauthenticated', 'token_expired', 'permission_missing');
  if (schema.querystring !== undefined || method !== 'GET') codes.push('malformed');
  if (method !== 'GET') codes.push('origin_refused', 'body_too_large', 'body_too_deep', 'unsupported_media_type');
  if (idempotent === true) codes.push('idempotency_in_flight', 'idempotency_mismatch');
  return codes;
}
