/** The API with its documentation: every route of api/v1, the OpenAPI and AsyncAPI documents, and the pages under /docs. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { once } from '../../src/core/once.ts';
import type { ApiPorts, Route } from '../route.ts';
import { type ApiOptions, buildServer, DOCS_URL, type DocumentHook } from '../server.ts';
import { asyncApiDocument } from './asyncapi.ts';
import { docsPages } from './docs-pages.ts';
import { documentedRoutes, openApiDocument, servedRoutes } from './openapi.ts';

export interface DocumentedOptions extends ApiOptions {
  /** Routes besides those of api/v1. */
  readonly routes?: readonly Route[];
}

const FOREVER = 'public, max-age=31536000, immutable';
/** Policy of the documentation: its own style sheet and nothing else. */
const DOCS_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Builds the API. The caller calls `listen` or `inject`. @throws Error if a route has no permission, or two routes are the same. */
export function buildApi(ports: ApiPorts, options: DocumentedOptions): Promise<FastifyInstance> {
  return buildServer(ports, options, (app, compressed) => serveDocuments(app, options, compressed));
}

/**
 * Serves the pages of the documentation. Returns every route, including that of the OpenAPI document. Document and pages are written
 * with their first request, in a tenth of a second: most starts are followed by none.
 */
function serveDocuments(app: FastifyInstance, options: DocumentedOptions, compressed: DocumentHook): readonly Route[] {
  const document = once(() => openApiDocument(documentedRoutes(options.routes), options.version));
  const pages = once(() => docsPages(document()));
  const send = (name: string, request: FastifyRequest, reply: FastifyReply): unknown => {
    const page = pages().get(name);
    if (page === undefined) return reply.callNotFound();
    // A style sheet is named by its content. Pages are requested again, and answered with 304 while unchanged.
    reply.headers({
      'content-security-policy': DOCS_POLICY,
      etag: page.etag,
      'cache-control': name.endsWith('.css') ? FOREVER : 'no-cache',
    });
    if (request.headers['if-none-match'] === page.etag) return reply.code(304).send();
    return reply.type(page.type).send(page.content);
  };
  for (const url of [DOCS_URL, `${DOCS_URL}/`]) app.get(url, { onSend: compressed }, (request, reply) => send('', request, reply));
  app.get<{ Params: { page: string } }>(`${DOCS_URL}/:page`, { onSend: compressed }, (request, reply) =>
    send(request.params.page, request, reply),
  );
  const openApi = once(() => JSON.stringify(document()));
  const asyncApi = once(() => JSON.stringify(asyncApiDocument(options.version)));
  return servedRoutes(options.routes, { version: options.version, openApi, asyncApi });
}
