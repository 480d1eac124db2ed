/** Proxy to a Redis, whose connections can be cut or frozen. */
import { once } from 'node:events';
import net from 'node:net';

/** Creates a proxy to Redis whose connections can be cut or frozen. */
export async function redisProxy(url: string) {
  const target = new URL(url);
  const pairs = new Set<net.Socket>();
  let frozen = false;
  const server = net.createServer((near) => {
    const far = net.connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      pairs.add(socket);
      socket.on('error', () => {});
      socket.on('data', (data) => void (frozen || other.write(data)));
      socket.on('close', () => {
        pairs.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = new URL(url);
  address.port = String((server.address() as net.AddressInfo).port);
  return {
    url: address.href,
    cut: () => {
      frozen = false;
      for (const socket of pairs) socket.destroy();
    },
    freeze: () => {
      frozen = true;
    },
    close: async () => {
      for (const socket of pairs) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
