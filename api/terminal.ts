/** Serves the trader's terminal at / and at /terminal: a page with its own nonce, and hashed files that browsers cache for good. */
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TerminalFiles, TerminalSource } from '../src/adapters/terminal-files.ts';
import { acceptsGzip } from './http/compression.ts';
import { sendProblem } from './problem.ts';

const TYPES: { readonly [extension: string]: string } = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Returns the content type of a file, or undefined for a kind that pages do not use. */
const findContentType = (name: string): string | undefined => TYPES[name.slice(name.lastIndexOf('.') + 1)];

/**
 * Returns the content security policy of a page: no other host, no inline script or style, no form, no frame, and no text as markup. @param
 * more.styles Source of styles besides our own files. @param more.trustedTypes Name of the page's only trusted-types policy.
 */
function pagePolicy({ styles, trustedTypes }: { readonly styles?: string; readonly trustedTypes?: string } = {}): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${styles === undefined ? '' : ` ${styles}`}`,
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    ...(trustedTypes === undefined ? [] : [`trusted-types ${trustedTypes}`]),
  ].join('; ');
}

interface Served {
  readonly type: string;
  readonly content: Buffer;
  readonly small: Buffer;
}

const compress = promisify(gzip);

/** The first visit after an update begins the bundling: it is answered with a page that asks again, because a request may not wait that long. */
/**
 * Registers the terminal. The first visit after an update starts the bundling and gets a page that reloads, because a request cannot wait
 * that long. @param options.isReplay Marks the page, which then shows a tape instead of the present.
 */
export function registerTerminal(app: FastifyInstance, source: TerminalSource, { isReplay = false } = {}): void {
  const prepared = prepareOnce(source);
  const config = { permission: 'public', cost: 'read' } as const;
  const show = async (_request: FastifyRequest, reply: FastifyReply) => {
    const nonce = randomBytes(16).toString('base64');
    const terminal = await prepared();
    return reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': pagePolicy({ styles: `'nonce-${nonce}'`, trustedTypes: 'default' }),
      })
      .send(terminal === null ? WAITING_PAGE : terminal.page(nonce, isReplay));
  };
  app.get('/', { config }, show);
  app.get('/terminal', { config }, show);
  app.get('/terminal/wait.js', { config }, async (_, reply) =>
    reply.headers({ 'content-type': findContentType('wait.js'), 'cache-control': 'no-store' }).send(WAITING_SCRIPT),
  );
  app.get<{ Params: { file: string } }>('/terminal/:file', { config }, async (request, reply) => {
    const file = (await prepared())?.files.get(request.params.file);
    if (file === undefined) return sendProblem(reply, 'not_found', 'the terminal has no such file; reload the page');
    reply.headers({ 'content-type': file.type, 'cache-control': 'public, max-age=31536000, immutable', vary: 'Accept-Encoding' });
    if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(file.content);
    return reply.header('content-encoding', 'gzip').send(file.small);
  });
}

/**
 * Prepares the files once. Returns null while they are bundled. A failure is reported to the next caller, and the bundling is then
 * restarted.
 */
function prepareOnce(source: TerminalSource): () => Promise<Prepared | null> {
  let ready: Prepared | null = null;
  let isBundling = false;
  let failure: unknown = null;
  const bundle = async (): Promise<void> => {
    isBundling = true;
    try {
      ready = await prepare(await source.bundle());
    } catch (error) {
      failure = error;
    } finally {
      isBundling = false;
    }
  };
  return async () => {
    if (failure !== null) {
      const told = failure;
      failure = null;
      throw told;
    }
    if (ready === null && !isBundling) {
      const kept = source.kept();
      if (kept === null) void bundle();
      else ready = await prepare(kept);
    }
    return ready;
  };
}

type Prepared = Awaited<ReturnType<typeof prepare>>;

async function prepare({ script, style, preloaded, files }: TerminalFiles) {
  const served = await Promise.all(
    files.map(async ({ name, content }): Promise<[string, Served]> => {
      const type = findContentType(name) ?? 'application/octet-stream';
      return [name, { type, content, small: await compress(content, { level: 9 }) }];
    }),
  );
  return { files: new Map(served), page: (nonce: string, isReplay: boolean) => renderPage(nonce, isReplay, { script, style, preloaded }) };
}

/** Script of the waiting page. A refresh by markup would stay on a URL with `#`, because it is the same document. */
const WAITING_SCRIPT = 'setTimeout(() => location.reload(), 1_000);\n';

const WAITING_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Sevengate</title>
    <script type="module" src="/terminal/wait.js"></script>
  </head>
  <body>
    <p>The terminal is prepared after an update. This page opens it in a few seconds.</p>
  </body>
</html>
`;

/** Returns the page. Its first paint has the terminal's colours. The script reads the nonce from the style. */
function renderPage(nonce: string, isReplay: boolean, { script, style, preloaded }: Omit<TerminalFiles, 'files'>): string {
  const preloads = preloaded.map((name) => `<link rel="modulepreload" href="/terminal/${name}" />`).join('');
  return `<!doctype html>
<html lang="en"${isReplay ? ' data-replay=""' : ''}>
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="referrer" content="no-referrer" />
    <title>Sevengate</title>
    <link rel="icon" href="/terminal/icon.svg" type="image/svg+xml" />
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
