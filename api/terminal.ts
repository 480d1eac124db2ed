/** Serves the trader's terminal at /terminal: one page with a nonce of its own, and hashed files that a browser keeps for good. */
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { acceptsGzip } from './compression.ts';
import { sendProblem } from './problem.ts';

export interface TerminalFiles {
  /** Names of the files that the page begins with. */
  readonly script: string;
  readonly style: string;
  /** Scripts that the first one imports. */
  readonly preloaded: readonly string[];
  readonly files: readonly { readonly name: string; readonly content: Buffer }[];
}

interface Served {
  readonly type: string;
  readonly content: Buffer;
  readonly small: Buffer;
}

const TYPES: { readonly [extension: string]: string } = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' };
const compress = promisify(gzip);

/** Allows this host alone, styles of the page's nonce, and the one trusted-types policy that the terminal makes. */
const policyOf = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ');

/** @param read Bundles the terminal, or reads its files; asked once, when somebody first visits it. */
export function registerTerminal(app: FastifyInstance, read: () => Promise<TerminalFiles>): void {
  let reading: ReturnType<typeof prepare> | null = null;
  const prepared = () => {
    reading ??= prepare(read).catch((error: unknown) => {
      reading = null;
      throw error;
    });
    return reading;
  };
  const config = { permission: 'public', cost: 'read' } as const;
  app.get('/terminal', { config }, async (_request, reply) => {
    const { page } = await prepared();
    const nonce = randomBytes(16).toString('base64');
    return reply
      .headers({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'content-security-policy': policyOf(nonce) })
      .send(page(nonce));
  });
  app.get<{ Params: { file: string } }>('/terminal/:file', { config }, async (request, reply) => {
    const { files } = await prepared();
    const file = files.get(request.params.file);
    if (file === undefined) return sendProblem(reply, 'not_found', 'the terminal has no such file; load /terminal anew');
    reply.headers({ 'content-type': file.type, 'cache-control': 'public, max-age=31536000, immutable', vary: 'Accept-Encoding' });
    if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(file.content);
    return reply.header('content-encoding', 'gzip').send(file.small);
  });
}

async function prepare(read: () => Promise<TerminalFiles>) {
  const { script, style, preloaded, files } = await read();
  const served = await Promise.all(
    files.map(async ({ name, content }): Promise<[string, Served]> => {
      const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
      return [name, { type, content, small: await compress(content, { level: 9 }) }];
    }),
  );
  return { files: new Map(served), page: (nonce: string) => pageOf(nonce, { script, style, preloaded }) };
}

/** The page. Its first paint has the colours of the terminal; the nonce is read from the style by the script. */
function pageOf(nonce: string, { script, style, preloaded }: Omit<TerminalFiles, 'files'>): string {
  const preloads = preloaded.map((name) => `<link rel="modulepreload" href="/terminal/${name}" />`).join('');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="referrer" content="no-referrer" />
    <title>Sevengate terminal</title>
    <link rel="icon" href="/console/icon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="/terminal/${style}" />
    ${preloads}
    <style nonce="${nonce}">:root{color-scheme:dark light}</style>
    <script type="module" src="/terminal/${script}"></script>
  </head>
  <body>
    <div id="terminal"><noscript>The terminal needs JavaScript.</noscript></div>
  </body>
</html>
`;
}
