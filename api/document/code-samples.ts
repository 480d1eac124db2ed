/** Code samples of an operation in curl, TypeScript and Python, for the API documentation. */
import type { OperationExample } from './examples.ts';

/** A sample, in the vendor extension that readers of OpenAPI documents know. */
interface CodeSample {
  readonly lang: 'Shell' | 'TypeScript' | 'Python';
  readonly label: string;
  readonly source: string;
}

/** Facts about an operation, besides its example, that a sample needs. */
interface SampledOperation {
  /** The operationId. */
  readonly name: string;
  /** Path, such as `/v1/agents/{id}`. */
  readonly template: string;
  /** Names of query parameters that are not texts. */
  readonly plainQuery: readonly string[];
  readonly method: string;
  /** True if it needs no token. */
  readonly isPublic: boolean;
  /** Name of the Python client's argument for the whole body, or null if each field is an argument. */
  readonly whole: string | null;
  /** True if its answer is a paged list. */
  readonly isPaged: boolean;
}

export function codeSamples(operation: SampledOperation, { url, body }: Pick<OperationExample, 'url' | 'body'>): readonly CodeSample[] {
  const compact = body === undefined ? null : JSON.stringify(body);
  return [
    { lang: 'Shell', label: 'curl', source: curl(operation, url, compact) },
    { lang: 'TypeScript', label: '@sevengate/client', source: typescript(operation, url, body) },
    { lang: 'Python', label: 'sevengate', source: python(operation, url, body) },
  ];
}

function curl({ method, isPublic }: SampledOperation, url: string, body: string | null): string {
  // Brackets and braces are letters of the address, and not patterns.
  const flags = /[[\]{}]/.test(url) ? '-gs' : '-s';
  const parts = [
    `curl ${flags}${method === 'GET' ? '' : ` -X ${method}`} "$U${url.replaceAll('"', '%22')}"`,
    ...(isPublic ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...(body === null ? [] : ["-H 'content-type: application/json'", `-d '${body.replaceAll("'", "'\\''")}'`]),
  ];
  return parts.join(' \\\n  ');
}

/** Returns the path and query parameters of an address, with their values. */
function splitInput({ template, plainQuery }: SampledOperation, url: string) {
  const [path = '', query = ''] = url.split('?');
  const segments = path.split('/');
  const inPath = template.split('/').flatMap((segment, at): (readonly [string, unknown])[] => {
    const [, parameter] = /^\{(\w+)\}$/.exec(segment) ?? [];
    return parameter === undefined ? [] : [[parameter, decodeURIComponent(segments[at] ?? '')]];
  });
  const inQuery = [...new URLSearchParams(query)].map(
    ([parameter, text]) => [parameter, plainQuery.includes(parameter) ? (JSON.parse(text) as unknown) : text] as const,
  );
  return { inPath, inQuery };
}

/** Returns a call of the TypeScript client. An operation without an example is called without arguments. */
function typescript(operation: SampledOperation, url: string, body: unknown): string {
  const { inPath, inQuery } = splitInput(operation, url);
  const input = { ...Object.fromEntries([...inPath, ...inQuery]), ...(body === undefined ? {} : { body }) };
  const literal = JSON.stringify(input, null, 2).replaceAll(/^( *)"([A-Za-z_$][\w$]*)":/gm, '$1$2:');
  return `const answer = await api.${operation.name}(${literal === '{}' ? '' : literal});`;
}

/** Returns a call of the Python client: snake_case names, each field of the body as an argument. */
function python(operation: SampledOperation, url: string, body: unknown): string {
  if (FEEDS.has(operation.name))
    return 'for frame in client.feed("quotes", venue="spotexchange"):\n    print(frame.type, frame.data)\n    break';
  const { inPath, inQuery } = splitInput(operation, url);
  const fields = body === undefined ? [] : operation.whole === null ? Object.entries(body as object) : [[operation.whole, body] as const];
  const given = [...inPath, ...inQuery, ...fields].map(([name, value]) => `${argumentName(name)}=${pythonLiteral(value, '    ')}`);
  const short = given.join(', ');
  const list = short.length <= 70 && !short.includes('\n') ? short : given.map((one) => `\n    ${one},`).join('') + '\n';
  return `answer = client.${snakeCase(operation.name)}(${list})${operation.isPaged ? '.first()' : ''}`;
}

/** Operations that stay open while a client listens. */
const FEEDS: ReadonlySet<string> = new Set(['openFeeds', 'openInspector', 'streamEvents']);
const KEYWORDS: ReadonlySet<string> = new Set(['from', 'in', 'is', 'as', 'if', 'for', 'class', 'not', 'import', 'global', 'with', 'pass']);

/** Converts a wire name like the Python client (`clients/python/sevengate/_names.py`): `maxCapitalUsd` becomes `max_capital_usd`. */
export function snakeCase(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
}

function argumentName(name: string): string {
  const snake = snakeCase(name);
  return KEYWORDS.has(snake) ? `${snake}_` : snake;
}

function pythonLiteral(value: unknown, indent: string): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}    `;
  const parts = Array.isArray(value)
    ? value.map((one) => pythonLiteral(one, inner))
    : Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${pythonLiteral(one, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const short = `${open}${parts.join(', ')}${close}`;
  return short.length <= 80 && !short.includes('\n')
    ? short
    : `${open}\n${parts.map((one) => `${inner}${one},\n`).join('')}${indent}${close}`;
}
