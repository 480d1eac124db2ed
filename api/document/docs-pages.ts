/**
 * Pages under /docs, generated from the OpenAPI document: one per tag in three columns, an introduction, and the errors with causes and
 * cures. They have no script: tabs are radio buttons.
 */
import { createHash } from 'node:crypto';
import { PROBLEMS } from '../../src/domain/values/problems.ts';

/** Style sheet of the API documentation, in light and dark. */
const DOCS_STYLE = `
:root { color-scheme: light dark; --ground: #fff; --ink: #17202a; --faint: #5a6673; --line: #dfe4e9; --accent: #0b6b5a; --code: #f3f6f8; --dark: #0f1720; --pale: #dce6ef; }
@media (prefers-color-scheme: dark) { :root { --ground: #11161c; --ink: #e6ebf0; --faint: #9aa7b4; --line: #2a333d; --accent: #4fc3a8; --code: #1a222b; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 210px minmax(0, 1fr); }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 16px; border-right: 1px solid var(--line); display: flex; flex-direction: column; gap: 2px; }
nav a { padding: 3px 8px; border-radius: 6px; color: inherit; } nav a[aria-current] { background: var(--code); color: var(--accent); font-weight: 600; }
nav .home { display: flex; align-items: center; gap: 8px; font-weight: 650; margin-bottom: 10px; } nav svg { width: 24px; }
main { padding: 24px 32px 80px; min-width: 0; }
h1 { margin: 0 0 8px; text-transform: capitalize; } h2 { font-size: 19px; margin: 0 0 6px; } h2 a { color: inherit; } h3 { font-size: 14px; margin: 18px 0 4px; color: var(--faint); }
p { margin: 6px 0; max-width: 75ch; } .contents { columns: 2; padding-left: 18px; max-width: 1000px; }
.operation { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 32px; padding: 28px 0; border-top: 1px solid var(--line); content-visibility: auto; contain-intrinsic-size: auto 700px; }
.path b { font-size: 12px; padding: 2px 7px; border-radius: 5px; color: #fff; background: #0b6b5a; } .path b[data-method="POST"], .path b[data-method="PUT"] { background: #1d4fc4; } .path b[data-method="DELETE"] { background: #b3261e; }
code { font: 13px/1.4 ui-monospace, monospace; background: var(--code); padding: 1px 4px; border-radius: 4px; overflow-wrap: anywhere; }
.facts, small, .or { color: var(--faint); font-size: 13px; } .codes a { margin-right: 8px; font-family: ui-monospace, monospace; font-size: 13px; }
dl { margin: 0; } dt { margin-top: 8px; } dd { margin: 0 0 0 14px; } dd dl { border-left: 1px solid var(--line); padding-left: 10px; } details > summary { cursor: pointer; color: var(--accent); }
.samples { position: sticky; top: 16px; align-self: start; min-width: 0; background: var(--dark); color: var(--pale); border-radius: 10px; padding: 12px; } .samples h3 { color: #9fb2c4; }
pre { margin: 0; overflow: auto; max-height: 420px; font: 13px/1.5 ui-monospace, monospace; }
.tabs { display: flex; flex-wrap: wrap; gap: 4px; } .tabs input { position: absolute; opacity: 0; } .tabs label { order: 0; padding: 3px 10px; border-radius: 6px; cursor: pointer; color: #9fb2c4; }
.tabs pre { order: 1; width: 100%; display: none; padding-top: 8px; } .tabs input:checked + label { background: #223041; color: #fff; } .tabs input:checked + label + pre { display: block; } .tabs input:focus-visible + label { outline: 2px solid #4fc3a8; }
table { border-collapse: collapse; margin-top: 20px; } th, td { text-align: left; vertical-align: top; padding: 8px 12px; border-bottom: 1px solid var(--line); } tr:target { background: var(--code); }
@media (max-width: 1000px) { body { grid-template-columns: minmax(0, 1fr); } nav { position: static; height: auto; flex-flow: row wrap; border-right: 0; border-bottom: 1px solid var(--line); } .operation { grid-template-columns: minmax(0, 1fr); } main { padding: 16px; } .contents { columns: 1; } }
`;

type Node = { readonly [key: string]: unknown };

/** A page, the same for everybody. */
interface DocsPage {
  readonly type: string;
  readonly content: string;
  /** Entity tag over the content. */
  readonly etag: string;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly parameters: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly description?: string; readonly content?: Content }>>;
  readonly 'x-permission': string;
  readonly 'x-cost': string;
  readonly 'x-codeSamples': readonly { readonly lang: string; readonly label: string; readonly source: string }[];
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Node;
}
type Content = Readonly<Record<string, { readonly schema: Node; readonly example?: unknown; readonly examples?: object }>>;
interface Document {
  readonly info: { readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Maximum nesting of an object's fields shown. */
const MAX_LEVELS = 3;
/** Maximum length of an example in characters. Longer ones are cut. */
const MAX_EXAMPLE = 4_000;
const MARK =
  '<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#0d7a67"/><path d="M7 25V14a9 9 0 0 1 18 0v11M12 25V15a4 4 0 0 1 8 0v10" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round"/></svg>';

/** Returns the pages by their name below /docs/. The introduction's name is empty. */
export function docsPages(written: Node): ReadonlyMap<string, DocsPage> {
  const document = written as unknown as Document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const style = page('text/css; charset=utf-8', DOCS_STYLE);
  const styleName = `docs-${style.etag.slice(1, 13)}.css`;
  const frame = (title: string, current: string, main: string): DocsPage => {
    const links = document.tags.map(({ name }) => link(name, current));
    const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${text(title)} · Sevengate API</title><link rel="stylesheet" href="/docs/${styleName}">`;
    const nav = `<nav aria-label="Groups of operations"><a class="home" href="/docs">${MARK}Sevengate API</a>${[...links, link('errors', current)].join('')}<a href="/v1/openapi.json">OpenAPI document</a><a href="/v1/asyncapi.json">AsyncAPI document</a><a href="/">Terminal</a></nav>`;
    return page(
      'text/html; charset=utf-8',
      `<!doctype html><html lang="en"><head>${head}</head><body>${nav}<main>${main}</main></body></html>`,
    );
  };
  const pages = new Map([
    [styleName, style],
    ['', frame('Introduction', '', introduction(document, operations))],
    ['errors', frame('Errors', 'errors', errorsPage())],
  ]);
  for (const { name, description } of document.tags) {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    const list = own.map(({ operation }) => `<li><a href="#${operation.operationId}">${prose(operation.summary)}</a></li>`).join('');
    const main = `<header><h1>${text(name)}</h1><p>${prose(description)}</p><ul class="contents">${list}</ul></header>${own.map((one) => section(document, one)).join('')}`;
    pages.set(name, frame(name, name, main));
  }
  return pages;
}

function page(type: string, content: string): DocsPage {
  return { type, content, etag: `"${createHash('sha256').update(content).digest('hex').slice(0, 24)}"` };
}

const link = (name: string, current: string): string =>
  `<a href="/docs/${name}"${name === current ? ' aria-current="page"' : ''}>${text(name)}</a>`;

interface Placed {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

function introduction({ info, tags }: Document, operations: readonly Placed[]): string {
  const rows = tags.map(
    ({ name, description }) =>
      `<tr><th scope="row"><a href="/docs/${name}">${text(name)}</a></th><td>${prose(description)}</td><td>${operations.filter(({ operation }) => operation.tags.includes(name)).length}</td></tr>`,
  );
  const samples = [
    { lang: 'Shell', label: 'curl', source: 'curl -s "$U/v1/me" \\\n  -H "Authorization: Bearer $TOKEN"' },
    {
      lang: 'TypeScript',
      label: '@sevengate/client',
      source:
        "import { createClient } from '@sevengate/client';\nimport { localService } from '@sevengate/client/local';\n\nconst api = createClient(localService());\nconst answer = await api.getMe();",
    },
    { lang: 'Python', label: 'sevengate', source: 'from sevengate import Client\n\nclient = Client()\nanswer = client.get_me()' },
  ];
  return `<section class="operation"><div class="about"><h1>Sevengate API</h1><p>Version ${text(info.version)}. ${prose(info.description)}</p>
<p>Send a token as <code>Authorization: Bearer …</code>. A local service keeps one for each example member under <code>tokens/</code> of its state folder. <a href="/docs/errors">Every error</a> has a code, a cause and a cure. In the samples <code>$U</code> is the address of the service, and <code>api</code> and <code>client</code> are the clients at the right.</p></div>${samplesBox('start', samples, '')}</section>
<table><thead><tr><th>Group</th><th>Purpose</th><th>Operations</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function errorsPage(): string {
  const rows = Object.entries(PROBLEMS).map(
    ([code, { status, title, cause, cure }]) =>
      `<tr id="${code}"><th scope="row"><code>${code}</code><br>${text(title)}</th><td>${status}</td><td>${prose(cause)}</td><td>${prose(cure)}</td></tr>`,
  );
  return `<header><h1>Errors</h1><p>Errors are problem details (RFC 9457) with a stable <code>code</code>. Rely on the code. <code>detail</code> is for people, and <code>requestId</code> finds the request in the log.</p></header>
<table><thead><tr><th>Code</th><th>Status</th><th>Cause</th><th>Cure</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function section(document: Document, { path, method, operation }: Placed): string {
  const { operationId, summary, description, deprecated, requestBody, responses } = operation;
  const parameters = operation.parameters.map((one) => ('$ref' in one ? (resolved(document, one.$ref) as unknown as Parameter) : one));
  const body = requestBody?.content['application/json'];
  const answers = Object.entries(responses).filter(([status]) => Number(status) < 400);
  const codes = listRefusals(document, operation);
  const about = [
    `<h2><a href="#${operationId}">${prose(summary)}</a></h2>`,
    `<p class="path"><b data-method="${method}">${method}</b> <code>${text(path)}</code>${deprecated === true ? ' <em>deprecated</em>' : ''}</p>`,
    description === undefined ? '' : `<p>${prose(description)}</p>`,
    `<p class="facts">Needs ${prose(operation['x-permission'])} · cost class ${text(operation['x-cost'])} · <code>${operationId}</code></p>`,
    parameters.length === 0
      ? ''
      : `<h3>Parameters</h3><dl>${parameters.map((one) => field(document, one.name, one.schema, one.required, one.in, one.description, 1)).join('')}</dl>`,
    body === undefined ? '' : `<h3>Body</h3>${fields(document, body.schema, 0)}`,
    ...answers.map(([status, { description: said, content }]) => {
      const schema = content?.['application/json']?.schema;
      return `<h3>Answer ${status}</h3><p>${prose(said ?? '')}</p>${schema === undefined ? '' : `<details><summary>Fields</summary>${fields(document, schema, 0)}</details>`}`;
    }),
    `<h3>Errors</h3><p class="codes">${codes.map((code) => `<a href="/docs/errors#${code}">${code}</a>`).join(' ')}</p>`,
  ];
  const example = answers.map(([, { content }]) => content?.['application/json']?.example).find((one) => one !== undefined);
  const shown = example === undefined ? '' : `<h3>Answer</h3><pre>${text(cut(JSON.stringify(example, null, 2)))}</pre>`;
  return `<section class="operation" id="${operationId}"><div class="about">${about.join('')}</div>${samplesBox(operationId, operation['x-codeSamples'], shown)}</section>`;
}

/** Returns the error codes of an operation, from its example answers. */
function listRefusals(document: Document, { responses }: Operation): readonly string[] {
  const contents = Object.values(responses).map(
    (one) => (one.$ref === undefined ? one : resolved(document, one.$ref)) as { content?: Content },
  );
  const codes = contents.flatMap(({ content }) => Object.keys(content?.['application/problem+json']?.examples ?? {}));
  return [...new Set(codes)];
}

function samplesBox(name: string, samples: Operation['x-codeSamples'], more: string): string {
  const tabs = samples.map(
    ({ lang, label, source }, at) =>
      `<input type="radio" name="${name}" id="${name}-${at}"${at === 0 ? ' checked' : ''}><label for="${name}-${at}">${text(lang === 'Shell' ? 'curl' : lang)}</label><pre title="${text(label)}">${text(source)}</pre>`,
  );
  return `<div class="samples"><div class="tabs">${tabs.join('')}</div>${more}</div>`;
}

function resolved(document: Document, ref: string): Node {
  return ref
    .split('/')
    .slice(1)
    .reduce<Node>((node, name) => node[name] as Node, document as unknown as Node);
}

/** Returns the fields of an object, of a list's items, or of each of several shapes. */
function fields(document: Document, given: Node, level: number): string {
  const schema = given['$ref'] === undefined ? given : resolved(document, String(given['$ref']));
  const shapes = (schema['anyOf'] ?? schema['oneOf']) as readonly Node[] | undefined;
  if (shapes !== undefined)
    return shapes
      .map((shape) => fields(document, shape, level))
      .filter(Boolean)
      .join('<p class="or">or</p>');
  if (schema['items'] !== undefined && level <= MAX_LEVELS) return fields(document, schema['items'] as Node, level);
  const properties = Object.entries((schema['properties'] ?? {}) as { readonly [name: string]: Node });
  if (properties.length === 0 || level >= MAX_LEVELS) return '';
  const required = (schema['required'] ?? []) as readonly string[];
  return `<dl>${properties.map(([name, one]) => field(document, name, one, required.includes(name), '', undefined, level + 1)).join('')}</dl>`;
}

function field(
  document: Document,
  name: string,
  given: Node,
  isRequired: boolean,
  place: string,
  said: string | undefined,
  level: number,
): string {
  const schema = given['$ref'] === undefined ? given : { ...resolved(document, String(given['$ref'])), ...given };
  const words = [nameType(document, schema), place, isRequired ? 'required' : ''].filter(Boolean).join(' · ');
  const description = said ?? (schema['description'] as string | undefined);
  return `<dt><code>${text(name)}</code> <small>${text(words)}</small></dt><dd>${description === undefined ? '' : prose(description)}${fields(document, schema, level)}</dd>`;
}

function nameType(document: Document, given: Node): string {
  const schema = given['$ref'] === undefined ? given : resolved(document, String(given['$ref']));
  if (schema['const'] !== undefined) return JSON.stringify(schema['const']);
  if (Array.isArray(schema['enum'])) return (schema['enum'] as readonly unknown[]).map(String).join(' | ');
  const type = schema['type'];
  if (type === 'array') return `list of ${nameType(document, (schema['items'] ?? {}) as Node)}`;
  if (type !== undefined) return [type].flat().map(String).join(' or ');
  return schema['anyOf'] !== undefined || schema['oneOf'] !== undefined ? 'one of several' : 'any value';
}

const cut = (example: string): string => (example.length <= MAX_EXAMPLE ? example : `${example.slice(0, MAX_EXAMPLE)}\n…`);

/** Escapes a text for markup and attributes. */
function text(plain: string): string {
  return plain.replaceAll(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Returns a description as markup, with code for words in backticks. */
const prose = (written: string): string => text(written).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
