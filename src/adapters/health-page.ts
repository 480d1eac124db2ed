/** Serves `/healthz` and `/metrics` for processes without an API. */
import { createServer } from 'node:http';
import { listenRefusal } from './process/listen-refusal.ts';
import type { ServiceMetrics } from './log/metrics.ts';

/** @throws Error with one sentence if the port is not available */
export async function serveHealthPage(
  metrics: Pick<ServiceMetrics, 'render' | 'contentType'>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<{ stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    if (request.url === '/healthz') response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}');
    else if (request.url === '/metrics')
      void metrics.render().then(
        (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
        () => response.writeHead(500).end(),
      );
    else response.writeHead(404).end();
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', (error) => failed(listenRefusal(error, host, port, 'PORT')));
    server.listen(port, host, listening);
  });
  return {
    stop: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
