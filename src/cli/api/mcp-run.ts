/** Model Context Protocol server, which passes a client's requests to the running service. */
import { AGENT_TOKEN } from '../../../actors/agent/agent-tokens.ts';
import { servedRoutes } from '../../../api/document/openapi.ts';
import { servePipes } from '../../../api/mcp/serve-pipes.ts';
import type { ToolSet } from '../../../api/mcp/tool-sets.ts';
import type { ClientOptions } from './client-options.ts';
import { readConnection } from './terminal.ts';

/** Serves until the client closes standard input. @throws Error if no service runs there, or no token can be read */
export function serveModel(options: ClientOptions & { readonly sets: readonly ToolSet[] }, version: string): void {
  const { baseUrl, token } = readConnection(options);
  servePipes(
    { version, routes: servedRoutes() },
    {
      sets: options.sets,
      isAgent: token().startsWith(AGENT_TOKEN),
      async ask({ method, url, headers, body }) {
        const answer = await fetch(`${baseUrl.replace(/\/+$/, '')}${url}`, {
          method,
          redirect: 'error',
          headers: { ...headers, authorization: `Bearer ${token()}` },
          ...(body === undefined ? {} : { body }),
        }).catch(() => null);
        if (answer === null)
          return { status: 503, retryAfter: undefined, text: JSON.stringify({ detail: `no service answers at ${baseUrl}` }) };
        return { status: answer.status, retryAfter: answer.headers.get('retry-after') ?? undefined, text: await answer.text() };
      },
    },
  );
}
