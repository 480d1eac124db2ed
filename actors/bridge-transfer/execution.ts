/** Runs the work of bridge transfers: sends signed source transactions, and reads the provider and both chains. */
import type { ActorRow } from '../../src/domain/agents/actor-step.ts';
import { type ArrivalAxis, isEnded, type Sighting } from '../../src/domain/bridge/axes.ts';
import { judgeArrival } from '../../src/domain/bridge/transfer.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { takeLease } from '../proposal/lease.ts';
import type { ActivityWorker } from '../runtime/activities.ts';
import type { LoadActors } from '../runtime/actor-store.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { BROADCAST_SOURCE, LOOK_AT_TRANSFER, transferContext, transferState } from './effects.ts';
import type { BridgeAnswer, BridgeTransferContext } from './machine.ts';
import type { BridgeOutside, SettledArrivals } from './ports.ts';

interface BridgeExecutionDeps {
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly load: LoadActors;
  /** Returns true while a transfer's lease is valid, by the store's clock. */
  readonly leaseIsHeld: (transferId: string) => Promise<boolean>;
  readonly outside: BridgeOutside;
  readonly arrivals: SettledArrivals;
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
}

/** The activity workers of bridge transfers, by kind. */
export function bridgeTransferWorkers(deps: BridgeExecutionDeps): Readonly<Record<string, ActivityWorker>> {
  const { outside, clock } = deps;

  async function load(id: string): Promise<ActorRow> {
    const row = (await deps.load([id])).get(id);
    if (row === undefined) throw new Error(`there is no bridge transfer ${id}`);
    return row;
  }

  async function broadcast(id: string, key: string): Promise<BridgeAnswer> {
    const { state } = await load(id);
    const { signed, wish } = transferContext(state);
    const word = transferState(state);
    if (signed === null || isEnded(word)) return { outcome: 'superseded', reason: word };
    // The holder of the lease may be sending now. Others wait for its end.
    if (await deps.leaseIsHeld(id)) throw new Error(`another worker holds the lease of bridge transfer ${id}`);
    const taken = await takeLease(deps, id, key, async () => transferState((await load(id)).state));
    if ('supersededBy' in taken) return { outcome: 'superseded', reason: taken.supersededBy };
    const sent = await outside.chains[wish.from].broadcast(signed, taken.leftMs);
    if (sent.outcome === 'sent') return { outcome: 'sent', detail: null, lease: taken.until };
    return sent.outcome === 'refused'
      ? { outcome: 'refused', detail: sent.reason, lease: taken.until }
      : { outcome: 'uncertain', detail: sent.detail, lease: taken.until };
  }

  /** Reads one part of a transfer's state. Returns null if nothing answers, which keeps the known state. */
  async function part<Value>(read: () => Promise<Value>): Promise<Value | null> {
    try {
      return await read();
    } catch (error) {
      outside.onSilence(error);
      return null;
    }
  }

  async function look(id: string): Promise<BridgeAnswer> {
    const context = transferContext((await load(id)).state);
    return { outcome: 'seen', sighting: await sighting(id, context) };
  }

  async function sighting(id: string, context: BridgeTransferContext): Promise<Sighting> {
    const { wish, provider: name, axes } = context;
    const at = clock.now();
    const provider = outside.providers[name];
    const [word, source] = await Promise.all([
      part(() => (provider === undefined ? Promise.reject(new Error(`there is no bridge provider ${name}`)) : provider.word(context))),
      part(() => outside.chains[wish.from].source(context)),
    ]);
    const arrival = async (hash: string | null, to: 'from' | 'to'): Promise<ArrivalAxis | null> => {
      if (hash === null) return null;
      const recipient = to === 'to' ? wish.recipient : wish.sender;
      const found = await part(() => outside.chains[wish[to]].arrival(hash, recipient));
      if (found === null) return null;
      const settled = await deps.arrivals.settledBy(wish[to], hash);
      return judgeArrival(found, context.heads[wish[to]], settled, id);
    };
    const [destination, refund] = await Promise.all([
      arrival(word?.fillHash ?? axes.provider.fillHash, 'to'),
      arrival(word?.refundHash ?? axes.provider.refundHash, 'from'),
    ]);
    return { at, provider: word, source, destination, refund };
  }

  const readId = (payload: { readonly [key: string]: Json }): string => payload['transferId'] as string;
  return {
    [LOOK_AT_TRANSFER]: async (payload) => (await look(readId(payload))) as unknown as Json,
    [BROADCAST_SOURCE]: async (payload, key) => (await broadcast(readId(payload), key)) as unknown as Json,
  };
}
