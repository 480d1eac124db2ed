/** The operator's console: files that are read once at the start, compressed when they are first asked for, and served from memory under a policy that allows only ourselves. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { acceptsGzip } from './compression.ts';
import { contentTypeOf, KINDS, pagePolicy } from './page-files.ts';

/** A file of the console. `index.html` is served at `/`, every other one at `/console/<name>`. */
export interface ConsoleFile {
  readonly name: string;
  readonly content: Buffer;
}

const POLICY = pagePolicy();

/**
 * Serves the console; use it as `extend: [(app) => registerConsole(app, files)]`.
 * @throws Error if a file is of a kind that has no content type, or there is no index.html.
 */
export function registerConsole(app: FastifyInstance, files: readonly ConsoleFile[]): void {
  if (!files.some(({ name }) => name === 'index.html')) throw new Error('the console has no index.html');
  for (const { name, content } of files) {
    const type = contentTypeOf(name);
    if (type === undefined) throw new Error(`the console's file ${name} is of no known kind; known are ${KINDS.join(', ')}`);
    const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
    let small: Buffer | null = null;
    app.route({
      method: 'GET',
      url: name === 'index.html' ? '/' : `/console/${name}`,
      config: { permission: 'public', cost: 'read' },
      handler: (request, reply) => {
        // Asked again each time and nearly always answered with 304: a new version is seen at once.
        reply.headers({ etag, 'cache-control': 'no-cache', 'content-security-policy': POLICY, vary: 'Accept-Encoding' });
        if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send();
        reply.header('content-type', type);
        if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(content);
        small ??= gzipSync(content, { level: 9 });
        return reply.header('content-encoding', 'gzip').send(small);
      },
    });
  }
}

function isKnown(asked: string | undefined, etag: string): boolean {
  return asked?.split(',').some((one) => one.trim().replace(/^W\//, '') === etag) === true;
}
