/** How an operation is asked in three languages, as documents of the API show it. */
import type { OperationExample } from './examples.ts';

/** One sample; the vendor extension that readers of OpenAPI documents know. */
export interface CodeSample {
  readonly lang: 'Shell' | 'TypeScript' | 'Python';
  readonly label: string;
  readonly source: string;
}

/** @param isPublic Whether it is answered without a token. */
export function codeSamples(
  method: string,
  { url, body }: Pick<OperationExample, 'url' | 'body'>,
  isPublic: boolean,
): readonly CodeSample[] {
  const compact = body === undefined ? null : JSON.stringify(body);
  return [
    { lang: 'Shell', label: 'curl', source: curl(method, url, compact, isPublic) },
    { lang: 'TypeScript', label: 'fetch', source: typescript(method, url, body, isPublic) },
    { lang: 'Python', label: 'requests', source: python(method, url, compact, isPublic) },
  ];
}

function curl(method: string, url: string, body: string | null, isPublic: boolean): string {
  const parts = [
    `curl -s${method === 'GET' ? '' : ` -X ${method}`} "$U${url.replaceAll('"', '%22')}"`,
    ...(isPublic ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...(body === null ? [] : ["-H 'content-type: application/json'", `-d '${body.replaceAll("'", "'\\''")}'`]),
  ];
  return parts.join(' \\\n  ');
}

function typescript(method: string, url: string, body: unknown, isPublic: boolean): string {
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
  return `const response = await ${call};\nconst answer = await response.json();`;
}

function python(method: string, url: string, body: string | null, isPublic: boolean): string {
  const given = [
    ...(isPublic ? [] : ['headers={"Authorization": f"Bearer {token}"}']),
    ...(body === null ? [] : [`json=json.loads(${JSON.stringify(body)})`]),
  ];
  const imports = body === null ? 'import requests' : 'import json\nimport requests';
  return `${imports}\n\nresponse = requests.${method.toLowerCase()}(${[`f"{base}${url}"`, ...given].join(', ')})\nanswer = response.json()`;
}
