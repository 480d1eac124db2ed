/** Subscriptions of the sandbox's node: signatures that reach a commitment, and slots. */
import type { Clock } from '../../../streams/clock/clock.ts';
import type { LoopbackSession, LoopbackSocket } from '../loopback.ts';
import { repeat } from '../reference/http-simulator.ts';
import type { SolanaChain } from './chain.ts';
import { readCommitment, RpcRefusal, readSettings, readSignature } from './parameters.ts';
import { COMMITMENTS, type Commitment, SLOT_MS } from './slot-clock.ts';

/** Waiting subscription: notifies when there is something to report, and returns true when it is done. */
type Waiting = () => boolean;

type Methods = Readonly<Record<string, (params: readonly unknown[]) => unknown>>;

export function createSubscriptions({ chain, clock }: { readonly chain: SolanaChain; readonly clock: Clock }) {
  const waiting = new Map<number, Waiting>();
  let counter = 0;
  let stop: (() => void) | null = null;

  function look(): void {
    for (const [id, one] of waiting) if (one()) waiting.delete(id);
    rest();
  }
  /** Starts or stops the timer: it runs only while a subscription waits. */
  function rest(): void {
    if (waiting.size > 0) stop ??= repeat(clock, SLOT_MS, look);
    else {
      stop?.();
      stop = null;
    }
  }
  const ended = chain.onChange(look);

  function open(socket: LoopbackSocket): LoopbackSession {
    const mine = new Set<number>();
    const tell = (method: string, subscription: number, result: unknown): void =>
      socket.data(JSON.stringify({ jsonrpc: '2.0', method, params: { result, subscription } }));

    function subscribe(make: (id: number) => Waiting): number {
      const id = ++counter;
      mine.add(id);
      waiting.set(id, make(id));
      return id;
    }

    const unsubscribe = ([id]: readonly unknown[]): boolean => {
      if (typeof id !== 'number' || !mine.delete(id)) throw new RpcRefusal(-32602, 'Invalid subscription id.');
      waiting.delete(id);
      return true;
    };

    const methods: Methods = {
      signatureSubscribe: ([given, settings]) => {
        const signature = readSignature(given);
        const commitment = readCommitment(readSettings(settings)['commitment']);
        return subscribe((id) => () => {
          const landed = chain.landed(signature);
          if (landed === null || !hasReached(chain.commitmentOf(landed.slot), commitment)) return false;
          tell('signatureNotification', id, { context: { slot: chain.slot(commitment) }, value: { err: landed.run.error } });
          return true;
        });
      },
      slotSubscribe: () => {
        let seen = chain.slot('processed');
        return subscribe((id) => () => {
          const slot = chain.slot('processed');
          if (slot > seen) tell('slotNotification', id, { parent: slot - 1, root: chain.slot('finalized'), slot });
          seen = slot;
          return false;
        });
      },
      signatureUnsubscribe: unsubscribe,
      slotUnsubscribe: unsubscribe,
    };
    return {
      message(text) {
        const reply = replyTo(text, methods);
        if (reply === null) return;
        socket.control(JSON.stringify(reply));
        look();
      },
      closed() {
        for (const id of mine) waiting.delete(id);
        rest();
      },
    };
  }

  return {
    open,
    close() {
      ended();
      waiting.clear();
      rest();
    },
  };
}

function hasReached(commitmentOf: Commitment, wanted: Commitment): boolean {
  return COMMITMENTS.indexOf(commitmentOf) >= COMMITMENTS.indexOf(wanted);
}

/** Answers a client's message with a result or a JSON-RPC error. Returns null for a notification, such as a ping. */
function replyTo(text: string, methods: Methods): object | null {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return { jsonrpc: '2.0', error: { code: -32700, message: 'Parse error' }, id: null };
  }
  const { id, method, params } = typeof message === 'object' && message !== null ? (message as Record<string, unknown>) : {};
  if (id === undefined || id === null) return null;
  const run = typeof method === 'string' && Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (run === undefined) return { jsonrpc: '2.0', error: { code: -32601, message: 'Method not found' }, id };
  try {
    return { jsonrpc: '2.0', result: run(Array.isArray(params) ? params : []), id };
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error;
    return { jsonrpc: '2.0', error: { code: error.code, message: error.message }, id };
  }
}
