/** Base of every sandbox server. It listens on 127.0.0.1 only, and no request can crash its process. */
import type http from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on a port; 0 takes any free port. Rejects if the port is taken. */
export async function listenLocally(server: http.Server, port: number) {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    /** Closes all connections and the server. Resolves when the port is free. */
    close: (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Parses a request's decoded path and query, or returns null if its target is invalid, such as `//`. */
export function readTarget(incoming: http.IncomingMessage): { readonly path: string; readonly query: URLSearchParams } | null {
  try {
    const url = new URL(incoming.url ?? '/', 'http://loopback');
    return { path: decodeURIComponent(url.pathname), query: url.searchParams };
  } catch {
    return null;
  }
}

/** Answers in plain text, unless an answer was already sent. */
export function answerPlainly(response: http.ServerResponse, status: number, text: string): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
}

/** Runs a request handler. If it throws, answers 500 and keeps the simulator running. */
export function guarded(response: http.ServerResponse, answer: () => void): void {
  try {
    answer();
  } catch (error) {
    answerPlainly(response, 500, `the simulator failed: ${(error as Error).message}`);
  }
}
