/** Builds the request of an operation of the API document, and decides which requests may be repeated. */
import { OPERATIONS, type Operations } from './api.ts';
import { SevengateError } from './errors.ts';
import type { Outgoing } from './transport.ts';

/** Name of an operation, its operationId. */
export type OperationName = keyof Operations;

export const OPERATION_NAMES = Object.keys(OPERATIONS) as readonly OperationName[];

export interface Operation {
  readonly name: OperationName;
  readonly method: string;
  /** Path template, such as `/v1/agents/{id}`. */
  readonly template: string;
  /** Flags of the generated table of operations. */
  readonly flags: readonly string[];
}

/** Path and query parameters by name, and the body. */
export type Input = Readonly<Record<string, unknown>>;

export function readOperation(name: OperationName): Operation {
  const [method = '', template = '', ...flags] = OPERATIONS[name].split(' ');
  return { name, method, template, flags };
}

/** True if the operation may be sent again: it changes nothing, or takes an `Idempotency-Key`. */
export const isRepeatable = ({ method, flags }: Operation): boolean => method === 'GET' || flags.includes('idempotent');

/** Builds the request. @param key Idempotency key of the caller. Generated if the operation takes one and none is given. */
export function buildRequest(operation: Operation, input: Input, key: string | undefined): Outgoing {
  const { name, method, flags } = operation;
  const takesKey = flags.includes('idempotent');
  if (key !== undefined && !takesKey) throw new SevengateError(`${name} takes no Idempotency-Key`);
  const { body } = input;
  return {
    method,
    path: buildPath(operation, input),
    headers: {
      ...(takesKey ? { 'idempotency-key': key ?? newKey() } : {}),
      // A text is a manifest in YAML; everything else is sent as JSON.
      ...(body === undefined ? {} : { 'content-type': typeof body === 'string' ? 'application/yaml' : 'application/json' }),
    },
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
  };
}

/** Returns path and query of an operation. Parameters in the template go into the path, all others but the body into the query. */
export function buildPath({ name, template }: Pick<Operation, 'name' | 'template'>, { body: _body, ...parameters }: Input): string {
  const inPath = new Set<string>();
  const path = template.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => {
    inPath.add(parameter);
    return toSegment(name, parameter, parameters[parameter]);
  });
  const query = buildQuery(Object.entries(parameters).filter(([parameter]) => !inPath.has(parameter)));
  return query === '' ? path : `${path}?${query}`;
}

/** Builds a query string. Undefined parameters are left out, lists are repeated. */
export function buildQuery(parameters: readonly (readonly [name: string, value: unknown])[]): string {
  const query = new URLSearchParams();
  for (const [name, value] of parameters)
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) query.append(name, String(one));
  return query.toString();
}

function toSegment(name: OperationName, parameter: string, value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  // An empty segment or a dot segment would name another operation.
  if (text === '' || text === '.' || text === '..')
    throw new SevengateError(`${name}: ${parameter} must name something (got ${JSON.stringify(value) ?? 'nothing'})`);
  return encodeURIComponent(text);
}

function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
