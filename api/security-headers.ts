/** The headers that keep browsers safe: helmet's, asked for once, since they are the same on every answer. */
import helmet, { type FastifyHelmetOptions } from '@fastify/helmet';
import fastify from 'fastify';

/** Answers an HTTP server without helmet as well. */
const PLAIN = new Set(['content-type', 'content-length', 'date', 'connection', 'keep-alive', 'transfer-encoding']);

/**
 * The headers that helmet puts on an answer under these options. Its middlewares would work them out anew for each
 * request, one checked `setHeader` after another, at more than what a small answer costs altogether.
 */
export async function securityHeaders(options: FastifyHelmetOptions): Promise<Readonly<Record<string, string>>> {
  const probe = fastify({ logger: false });
  await probe.register(helmet, options);
  probe.get('/', () => '');
  const { headers } = await probe.inject('/');
  await probe.close();
  const found = Object.entries(headers).flatMap(([name, value]) => (PLAIN.has(name) ? [] : [[name, String(value)] as const]));
  return Object.freeze(Object.fromEntries(found));
}
