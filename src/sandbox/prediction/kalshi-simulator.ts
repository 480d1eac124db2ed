/** Simulator of Kalshi on loopback: `/trade-api/v2` and the signed socket `/trade-api/ws/v2` over the seeded questions. */
import { createPublicKey } from 'node:crypto';
import type { Clock } from '../../../streams/clock/clock.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import { listenOnLoopback } from '../loopback.ts';
import type { KalshiVenue } from './kalshi-markets.ts';
import { createKalshiRest, PREFIX } from './kalshi-rest.ts';
import { admit, createKalshiSocket, SOCKET_PATH } from './kalshi-socket.ts';
import type { SeededQuestions } from './seeded-questions.ts';

export interface KalshiSimulatorOptions {
  readonly questions: SeededQuestions;
  /** Key whose signature opens the socket. */
  readonly key: { readonly id: string; readonly publicKey: string };
  readonly clock: Clock;
  /** Fault switch. Default: its own, with all faults off. */
  readonly faults?: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
}

export async function createKalshiSimulator(options: KalshiSimulatorOptions) {
  const { questions, clock, key, port, faults = createFaultSwitch() } = options;
  const venue: KalshiVenue = { questions, clock, faults, key: { id: key.id, publicKey: createPublicKey(key.publicKey) } };
  const socket = createKalshiSocket(venue);
  const server = await listenOnLoopback({
    clock,
    faults,
    port,
    request: createKalshiRest(venue),
    admit: (handshake) => admit(venue, handshake),
    socket: socket.open,
  });
  return {
    /** `http://127.0.0.1:<port>` */
    url: server.url,
    /** `http://127.0.0.1:<port>/trade-api/v2` */
    restUrl: `${server.url}${PREFIX}`,
    /** `ws://127.0.0.1:<port>/trade-api/ws/v2` */
    wsUrl: `${server.wsUrl}${SOCKET_PATH}`,
    faults,
    close: () => {
      socket.close();
      return server.close();
    },
  };
}
