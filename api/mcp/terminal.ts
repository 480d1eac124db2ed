/** The Model Context Protocol over the pipes of a process. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type McpCaller, mcpServers, type McpWiring } from './server.ts';

/** Answers on the standard output what comes on the standard input, in the name of one caller. */
export function servePipes(wiring: McpWiring, caller: McpCaller): void {
  const server = mcpServers(wiring);
  serveStdio(() => server(caller));
}
