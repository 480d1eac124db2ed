/** The pages under /docs: the OpenAPI document with its samples shown, under our own name, mark and colours. */
import type { CodeSample } from './code-samples.ts';

const MARK =
  '<rect width="32" height="32" rx="8" fill="#0d7a67"/><path d="M7 25V14a9 9 0 0 1 18 0v11M12 25V15a4 4 0 0 1 8 0v10" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round"/>';
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${MARK}</svg>`;
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 210 32" height="32">${MARK}<text x="44" y="23" font-family="system-ui, sans-serif" font-size="20" font-weight="650" fill="#fff">Sevengate API</text></svg>`;
const CSS = `
.swagger-ui .topbar { background: #0b2f29; padding: 10px 0; }
.swagger-ui .topbar .download-url-wrapper, .swagger-ui .info .title small.version-stamp { display: none; }
.swagger-ui .info { margin: 28px 0; }
.swagger-ui, .swagger-ui .info .title, .swagger-ui .opblock-tag { font-family: system-ui, sans-serif; color: #17202a; }
.swagger-ui .btn.authorize { border-color: #0b6b5a; color: #0b6b5a; }
.swagger-ui .btn.authorize svg { fill: #0b6b5a; }
.swagger-ui .opblock.opblock-get { border-color: #0b6b5a; background: #f2f8f6; }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #0b6b5a; }
.swagger-ui .opblock.opblock-get .opblock-summary { border-color: #0b6b5a; }
.swagger-ui details > summary { cursor: pointer; font-weight: 600; padding: 4px 0; }
.swagger-ui details pre { overflow-x: auto; }
`;

export const DOCS_THEME = {
  title: 'Sevengate API',
  css: [{ filename: 'sevengate.css', content: CSS }],
  favicon: [{ filename: 'icon.svg', rel: 'icon', type: 'image/svg+xml', sizes: 'any', content: ICON }],
};

export const DOCS_LOGO = { type: 'image/svg+xml', content: Buffer.from(LOGO), href: '/', target: '_self' as const };

interface Operation {
  readonly description?: string;
  readonly 'x-codeSamples'?: readonly CodeSample[];
}

/** A copy of the document whose operations show their samples below their description. */
export function withShownSamples(document: { readonly [key: string]: unknown }): { readonly [key: string]: unknown } {
  const paths = document['paths'] as { readonly [path: string]: { readonly [method: string]: Operation } };
  const shown = Object.entries(paths).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, withSamples(operation)])),
  ]);
  return { ...document, paths: Object.fromEntries(shown) };
}

function withSamples(operation: Operation): Operation {
  const samples = operation['x-codeSamples'];
  if (samples === undefined) return operation;
  const blocks = samples.map(
    ({ lang, label, source }) => `<details><summary>${lang} (${label})</summary><pre><code>${escaped(source)}</code></pre></details>`,
  );
  return { ...operation, description: [operation.description ?? '', ...blocks].join('\n\n') };
}

/** Escapes text for markup that Markdown must not read: an empty line, for example, would end the block. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>\n\\`*_[\]~|]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
