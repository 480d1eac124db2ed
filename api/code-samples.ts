/** How an operation is asked in three languages, as documents of the API show it. */
import type { OperationExample } from './examples.ts';

/** One sample; the vendor extension that readers of OpenAPI documents know. */
export interface CodeSample {
  readonly lang: 'Shell' | 'TypeScript' | 'Python';
  readonly label: string;
  readonly source: string;
}

/** What a sample follows from, beside its example. */
export interface SampledOperation {
  readonly method: string;
  /** Whether it is answered without a token. */
  readonly isPublic: boolean;
  /** Whether it is answered with JSON; any other answer is read as a text. */
  readonly answersJson: boolean;
}

export function codeSamples(operation: SampledOperation, { url, body }: Pick<OperationExample, 'url' | 'body'>): readonly CodeSample[] {
  const compact = body === undefined ? null : JSON.stringify(body);
  return [
    { lang: 'Shell', label: 'curl', source: curl(operation, url, compact) },
    { lang: 'TypeScript', label: 'fetch', source: typescript(operation, url, body) },
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

function typescript({ method, isPublic, answersJson }: SampledOperation, url: string, body: unknown): string {
  const headers = [
    ...(isPublic ? [] : ['authorization: `Bearer ${token}`']),
    ...(body === undefined ? [] : ["'content-type': 'application/json'"]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),`]),
  ];
  const asked = `\`\${base}${url}\``;
  const call = options.length === 0 ? `fetch(${asked})` : `fetch(${asked}, {\n${options.join('\n')}\n})`;
  return `const response = await ${call};\nconst answer = await response.${answersJson ? 'json' : 'text'}();`;
}

function python({ method, isPublic, answersJson }: SampledOperation, url: string, body: string | null): string {
  const given = [
    ...(isPublic ? [] : ['headers={"Authorization": f"Bearer {token}"}']),
    ...(body === null ? [] : [`json=json.loads(${JSON.stringify(body)})`]),
  ];
  const imports = body === null ? 'import requests' : 'import json\nimport requests';
  return `${imports}\n\nresponse = requests.${method.toLowerCase()}(${[`f"{base}${url.replaceAll('{', '{{').replaceAll('}', '}}')}"`, ...given].join(', ')})\nanswer = response.${answersJson ? 'json()' : 'text'}`;
}
