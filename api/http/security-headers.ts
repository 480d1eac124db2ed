/** Security headers of helmet, computed once because they are the same on every answer. */
import helmet, { type FastifyHelmetOptions } from '@fastify/helmet';
import fastify from 'fastify';

/** Headers of an HTTP server without helmet. */
const PLAIN = new Set(['content-type', 'content-length', 'date', 'connection', 'keep-alive', 'transfer-encoding']);

/**
 * Returns the headers that helmet sets with these options. Its middlewares would compute them for each request, which costs more than a
 * small answer.
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
