/** Runs inside the emergency thread: listens and reports to the process. */
import type { MessagePort } from 'node:worker_threads';
import type { EmergencyPost, EmergencyThread } from './emergency-listener.ts';
import type { RequestObservation } from '../log/metrics.ts';

/** Returns the operation ports of the API inside the thread. */
export function threadOperation(
  port: Pick<MessagePort, 'postMessage'>,
  own: { newRequestId(): string; isUnavailable(error: unknown): boolean },
) {
  const post = (message: EmergencyPost): void => port.postMessage(message);
  return {
    ...own,
    readiness: async () => ({ ready: true, parts: [] as const }),
    metrics: {
      contentType: 'text/plain',
      render: async () => '',
      observe: (observation: RequestObservation) => post({ kind: 'observed', observation }),
    },
    reportDefect: (error: unknown, { route, requestId }: { readonly requestId: string; readonly route: string }) => {
      const { message, stack = '' } = error as Error;
      post({ kind: 'defect', message, stack, route, requestId });
    },
  };
}

/** Methods of an HTTP server that the thread uses. */
interface ListeningApp {
  listen(place: { readonly host: string; readonly port: number }): Promise<unknown>;
  readonly server: { address(): { readonly port: number } | string | null };
}

/** Listens and posts the port, or the reason of a failure. */
export async function listenInThread(
  parent: Pick<MessagePort, 'postMessage'>,
  app: ListeningApp,
  { host, port }: Pick<EmergencyThread, 'host' | 'port'>,
): Promise<void> {
  const post = (message: EmergencyPost): void => parent.postMessage(message);
  try {
    await app.listen({ host, port });
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    return post({ kind: 'refused', code, message });
  }
  const address = app.server.address();
  post({ kind: 'listening', port: typeof address === 'object' && address !== null ? address.port : port });
}
