/** Dead hosts on real sockets. */
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { REFUSING_PORT } from '../harness/ports.ts';

/** Hosts without a useful answer. `refused` is a port on which nothing listens. */
export const DEAD: Readonly<Record<string, () => Promise<{ readonly url: string; close(): Promise<void> }>>> = {
  refused: async () => ({ url: `http://127.0.0.1:${REFUSING_PORT}`, close: async () => {} }),
  'a black hole': () => listening(net.createServer((socket) => socket.on('error', () => socket.destroy()))),
  'accepting and closing': () => listening(net.createServer((socket) => socket.destroy())),
  'answering 503': () => listening(http.createServer((_request, response) => response.writeHead(503, { connection: 'close' }).end())),
};

async function listening(server: net.Server): Promise<{ url: string; close(): Promise<void> }> {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
