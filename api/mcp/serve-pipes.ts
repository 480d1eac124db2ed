/** The Model Context Protocol over standard input and output. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type McpCaller, mcpServers, type McpWiring } from './server.ts';

/** Answers messages on standard input as one caller. */
export function servePipes(wiring: McpWiring, caller: McpCaller): void {
  const server = mcpServers(wiring);
  serveStdio(() => server(caller));
}
