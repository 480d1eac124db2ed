/** Code samples of an operation in curl, TypeScript and Python, as the API's documents show them. */
import type { OperationExample } from './examples.ts';

/** One sample; the vendor extension that readers of OpenAPI documents know. */
export interface CodeSample {
  readonly lang: 'Shell' | 'TypeScript' | 'Python';
  readonly label: string;
  readonly source: string;
}

/** Facts about an operation, besides its example, that a sample depends on. */
export interface SampledOperation {
  /** The operationId. */
  readonly name: string;
  /** Path, such as `/v1/agents/{id}`. */
  readonly template: string;
  /** Query parameters that are no texts, by name. */
  readonly plainQuery: readonly string[];
  readonly method: string;
  /** True if it needs no token. */
  readonly isPublic: boolean;
  /** True if it answers with JSON. Any other answer is read as text. */
  readonly answersJson: boolean;
}

export function codeSamples(operation: SampledOperation, { url, body }: Pick<OperationExample, 'url' | 'body'>): readonly CodeSample[] {
  const compact = body === undefined ? null : JSON.stringify(body);
  return [
    { lang: 'Shell', label: 'curl', source: curl(operation, url, compact) },
    { lang: 'TypeScript', label: '@sevengate/client', source: typescript(operation, url, body) },
    { lang: 'Python', label: 'requests', source: python(operation, url, compact) },
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

/** A call of the TypeScript client. An operation without an example is called with nothing. */
function typescript({ name, template, plainQuery }: SampledOperation, url: string, body: unknown): string {
  const [path = '', query = ''] = url.split('?');
  const segments = path.split('/');
  const inPath = template.split('/').flatMap((segment, at) => {
    const [, parameter] = /^\{(\w+)\}$/.exec(segment) ?? [];
    return parameter === undefined ? [] : [[parameter, decodeURIComponent(segments[at] ?? '')]];
  });
  const inQuery = [...new URLSearchParams(query)].map(([parameter, text]) => [
    parameter,
    plainQuery.includes(parameter) ? (JSON.parse(text) as unknown) : text,
  ]);
  const input = { ...Object.fromEntries([...inPath, ...inQuery]), ...(body === undefined ? {} : { body }) };
  const literal = JSON.stringify(input, null, 2).replaceAll(/^( *)"([A-Za-z_$][\w$]*)":/gm, '$1$2:');
  return `const answer = await api.${name}(${literal === '{}' ? '' : literal});`;
}

function python({ method, isPublic, answersJson }: SampledOperation, url: string, body: string | null): string {
  const given = [
    ...(isPublic ? [] : ['headers={"Authorization": f"Bearer {token}"}']),
    ...(body === null ? [] : [`json=json.loads(${JSON.stringify(body)})`]),
  ];
  const imports = body === null ? 'import requests' : 'import json\nimport requests';
  return `${imports}\n\nresponse = requests.${method.toLowerCase()}(${[`f"{base}${url.replaceAll('{', '{{').replaceAll('}', '}}')}"`, ...given].join(', ')})\nanswer = response.${answersJson ? 'json()' : 'text'}`;
}
