/**
 * Reserves the last of the process's file descriptors. Otherwise a caller could open connections until none is left for halts, pauses and
 * health checks. The system assigns the lowest free number, so the number of a new connection shows how many are in use.
 */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { sendProblem } from '../problem.ts';

/** Descriptors reserved for health, halt, log files and database connections. */
const SPARE = 48;
/** Part of the reserve for what this process opens itself. No connection uses it. */
const OWN = 24;
/** Maximum life of a connection on a spare descriptor, in milliseconds. */
const SPARE_MS = 3_000;
/** Paths served on a spare descriptor. */
const ASKED_ON_SPARE: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/v1/agents/emergency-halt']);

/** Returns the number of descriptors that this process may open, or null if unknown. */
export function descriptorLimit(): number | null {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}

const spare = new WeakSet<Socket>();

/** True if a connection uses one of the last descriptors. */
export function isSpare(socket: Socket): boolean {
  return spare.has(socket);
}

/** Marks connections on one of the last descriptors, and refuses those on the very last. */
export function watchDescriptors(server: Server, limit: number): void {
  server.on('connection', (socket: Socket) => {
    const used = (socket as unknown as { readonly _handle: { readonly fd?: number } | null })._handle?.fd ?? -1;
    if (used >= limit - OWN) {
      socket.destroy();
      return;
    }
    if (used < limit - SPARE) return;
    spare.add(socket);
    const close = setTimeout(() => socket.destroy(), SPARE_MS);
    socket.once('close', () => clearTimeout(close));
  });
}

/** Answers 503 to every request on a spare descriptor except halts and health checks. */
export function keepDescriptors(app: FastifyInstance): void {
  const limit = descriptorLimit();
  if (limit === null) return;
  watchDescriptors(app.server, limit);
  // Not an async function: it is asked for every request.
  app.addHook('onRequest', (request, reply, done) => {
    if (!isSpare(request.raw.socket)) return done();
    reply.header('connection', 'close');
    if (ASKED_ON_SPARE.has(request.url.split('?')[0] as string)) return done();
    sendProblem(reply, 'unavailable', 'the service has too many connections open: try again in a moment');
  });
}
