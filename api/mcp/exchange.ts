/** One exchange of the Model Context Protocol over HTTP. Loads the packages of the protocol. */
import type { IncomingMessage } from 'node:http';
import { toWebRequest } from '@modelcontextprotocol/node';
import { createMcpHandler, isLegacyRequest, type McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';

export { mcpServers } from './server.ts';

/** Answers a message that was already read and admitted, as one JSON document in every revision. */
export async function answerMessage(server: McpServer, request: IncomingMessage, message: unknown): Promise<Response> {
  const asked = await toWebRequest(request as Parameters<typeof toWebRequest>[0], message);
  // The answer is one document, whatever else the client accepts.
  asked.headers.set('accept', 'application/json, text/event-stream');
  if (!(await isLegacyRequest(asked, message)))
    return createMcpHandler(() => server, { legacy: 'reject' }).fetch(asked, { parsedBody: message });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(asked, { parsedBody: message });
  } finally {
    await server.close();
  }
}
