/** `/healthz` and `/metrics` of a process that runs no API. */
import { createServer } from 'node:http';
import { listenRefusal } from './listening.ts';
import type { ServiceProcess } from './service-process.ts';

/** @throws Error in one sentence where the port cannot be listened on. */
export async function serveHealthPage(service: Pick<ServiceProcess, 'config' | 'metrics' | 'onStop'>): Promise<void> {
  const { config, metrics } = service;
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
    server.once('error', (error) => failed(listenRefusal(error, config.HOST, config.PORT, 'PORT')));
    server.listen(config.PORT, config.HOST, listening);
  });
  service.onStop(
    'the health page',
    () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  );
}
