/**
 * Probes with the same answer for everybody until the process ends. Once such a route has answered through all hooks, later answers are
 * copies, so that frequent health checks cost little.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import type { OperationPorts } from '../operation/operation-ports.ts';
import type { ApiPorts } from '../route.ts';
import { isSpare } from '../http/spare-descriptors.ts';

/** A sent answer: alternating header names and values, and the body. */
interface KnownAnswer {
  readonly headers: readonly string[];
  /** Index of the request's own id in `headers`. */
  readonly idAt: number;
  readonly body: string;
}

type Hooks = Pick<RouteShorthandOptions, 'onSend' | 'onResponse'>;

export class SameAnswers {
  readonly #operation: Pick<OperationPorts, 'metrics' | 'newRequestId'>;
  readonly #clock: ApiPorts['clock'];
  readonly #known = new Map<string, KnownAnswer>();
  readonly #bodies = new WeakMap<FastifyReply, string>();
  #closing = false;

  constructor({ operation, clock }: Pick<ApiPorts, 'operation' | 'clock'>) {
    this.#operation = operation;
    this.#clock = clock;
  }

  /** Returns the hooks of a route whose answer is remembered. */
  hooksOf(url: string): Hooks {
    return {
      onSend: (_request, reply, payload, done) => {
        if (typeof payload === 'string') this.#bodies.set(reply, payload);
        done(null, payload);
      },
      onResponse: (request, reply, done) => {
        this.#learn(url, request, reply);
        done();
      },
    };
  }

  /** Handles every request before the routes do. */
  answerOn(app: FastifyInstance): void {
    app.addHook('preClose', (done) => {
      this.#closing = true;
      done();
    });
    const { server } = app;
    const routes = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
    server.removeAllListeners('request');
    server.on('request', (request, response) => {
      const known = this.#closing || request.method !== 'GET' ? undefined : this.#known.get(request.url as string);
      if (known !== undefined && isPlain(request)) this.#answer(request.url as string, known, response);
      else for (const route of routes) route(request, response);
    });
  }

  #answer(url: string, { headers, idAt, body }: KnownAnswer, response: ServerResponse): void {
    const began = this.#clock.now();
    const own = headers.slice();
    own[idAt] = this.#operation.newRequestId();
    response.writeHead(200, own);
    // ASCII is sent as it is in memory.
    response.end(body, 'latin1');
    this.#operation.metrics.observe({ method: 'GET', route: url, status: 200, durationMs: this.#clock.now() - began });
  }

  #learn(url: string, request: FastifyRequest, reply: FastifyReply): void {
    const body = this.#bodies.get(reply);
    if (body === undefined || reply.statusCode !== 200 || request.method !== 'GET' || this.#known.has(url) || !isPlain(request.raw)) return;
    const headers = Object.entries(reply.getHeaders()).flatMap(([name, value]) => [name, String(value)]);
    const idAt = headers.indexOf('x-request-id') + 1;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII.
    if (idAt > 0 && /^[\x00-\x7f]*$/.test(body)) this.#known.set(url, { headers, idAt, body });
  }
}

/** True if the answer depends only on the request's URL. */
function isPlain({ headers, socket }: IncomingMessage): boolean {
  return (
    headers.origin === undefined &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    headers.expect === undefined &&
    !isSpare(socket)
  );
}
