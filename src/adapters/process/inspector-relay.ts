/** Relays the service's inspection feed to visualizers on loopback at a secret address. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';

export type InspectorRelay = Awaited<ReturnType<typeof startInspectorRelay>>;

/**
 * Listens on loopback. Each client gets its own connection to the service and receives its frames; nothing is sent back. The secret address
 * keeps other pages out. @param options.inspection The service's feed, `ws://127.0.0.1:8080/v1/feeds/inspector?actorId=…`. @param
 * options.port 0 for any free port. @throws Error if the port is taken
 */
export async function startInspectorRelay(options: {
  readonly inspection: string;
  readonly token: string;
  readonly port: number;
  /** Receives the sentence why a connection to the service ended. */
  readonly onEnd: (sentence: string) => void;
}) {
  const path = `/${randomBytes(16).toString('base64url')}`;
  const server = new WebSocketServer({ host: '127.0.0.1', port: options.port, path, perMessageDeflate: false });
  await Promise.race([
    once(server, 'listening'),
    once(server, 'error').then(([error]) => {
      throw error;
    }),
  ]);
  server.on('connection', (client) => relay(client, options));
  return {
    /** Address for a visualizer: `createWebSocketReceiver({ server: address })`. */
    address: `ws://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    async close() {
      for (const client of server.clients) client.terminate();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

function relay(client: WebSocket, { inspection, token, onEnd }: Parameters<typeof startInspectorRelay>[0]): void {
  const service = new WebSocket(inspection, { headers: { authorization: `Bearer ${token}` }, perMessageDeflate: false });
  service.on('message', (data, isBinary) => client.send(data, { binary: isBinary }));
  service.on('unexpected-response', (_, response) => {
    let text = '';
    response.on('data', (part) => {
      text += String(part);
    });
    response.on('end', () => {
      onEnd(`the service refused with ${response.statusCode}: ${readDetail(text)}`);
      client.close(1011, 'the service refused');
    });
  });
  service.on('error', (error) => {
    onEnd(`the service cannot be reached: ${error.message}`);
    client.close(1011, 'the service cannot be reached');
  });
  service.on('close', (code, reason) => {
    if (client.readyState !== client.OPEN) return;
    onEnd(`the service ended the inspection: ${String(reason) || `code ${code}`}`);
    client.close(1011, 'the service ended the inspection');
  });
  client.on('error', () => client.terminate());
  client.on('close', () => service.terminate());
}

/** Returns the detail of a problem document, or the unchanged text. */
function readDetail(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: string };
    return detail ?? text.slice(0, 200);
  } catch {
    return text.slice(0, 200);
  }
}
