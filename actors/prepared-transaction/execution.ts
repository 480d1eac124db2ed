/**
 * Sends a submitted transaction to the chain and follows it: checks the bytes again, takes the lease that a halt waits for, broadcasts, and
 * reads the chain's result. A worker may die between any two steps. The next one sends the same bytes, which the chain executes once.
 */
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { PreparedTransactionState } from '../../src/domain/solana/lifecycle.ts';
import { fromBase64, type VerifySignature, verifySigned } from '../../src/domain/solana/verify.ts';
import { errorText } from '../../src/domain/values/value-text.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { takeLease } from '../proposal/lease.ts';
import type { LoadActors } from '../runtime/actor-store.ts';
import type { ActivityWorker } from '../runtime/activities.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { ChainClient } from './chain-client.ts';
import { BROADCAST_TRANSACTION, CHECK_TRANSACTION, FOLLOW_TRANSACTION, transactionContext, transactionState } from './effects.ts';
import type { PreparedTransactionContext, TransactionAnswer } from './machine.ts';
import type { Purposes } from './purpose.ts';

interface TransactionExecutionDeps {
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly load: LoadActors;
  /** Returns true while a transaction's lease is valid, by the store's clock. */
  readonly leaseIsHeld: (transactionId: string) => Promise<boolean>;
  readonly chain: ChainClient;
  readonly verifySignature: VerifySignature;
  readonly purposes: Purposes;
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
}

interface Loaded {
  readonly id: string;
  readonly state: PreparedTransactionState;
  readonly context: PreparedTransactionContext;
}

const SENDABLE: ReadonlySet<PreparedTransactionState> = new Set(['verified', 'broadcast', 'unknown']);

/** Returns the activity workers of prepared transactions, by kind. */
export function transactionWorkers(deps: TransactionExecutionDeps): Readonly<Record<string, ActivityWorker>> {
  const { chain } = deps;

  async function load(id: string): Promise<Loaded> {
    const row = (await deps.load([id])).get(id);
    if (row === undefined) throw new Error(`there is no prepared transaction ${id}`);
    return { id, state: transactionState(row.state), context: transactionContext(row.state) };
  }

  function readSignedBytes({ id, context }: Loaded): Uint8Array {
    const bytes = fromBase64(context.signedBase64 ?? '');
    if (bytes === null || bytes.length === 0) throw new Error(`prepared transaction ${id} has no signed bytes`);
    return bytes;
  }

  /** Returns why the stored bytes cannot be sent, or null if they can. */
  async function obstacle(loaded: Loaded): Promise<{ readonly reason: string; readonly detail: string } | null> {
    const { context } = loaded;
    const verified = verifySigned(context.prepared, readSignedBytes(loaded), deps.verifySignature);
    if (!verified.ok) return { reason: verified.refusal.code, detail: verified.refusal.detail };
    for (const { table, places, addresses } of context.lookups) {
      const now = await chain.lookupTable(table);
      if (places.some((place, index) => now?.[place] !== addresses[index]))
        return { reason: 'lookup_table_changed', detail: `lookup table ${table} has changed since this was prepared` };
    }
    const simulation = await chain.simulate(readSignedBytes(loaded));
    if (simulation.error !== null) return { reason: 'simulation_failed', detail: `the chain would reject it: ${simulation.error}` };
    const objection = deps.purposes[context.purpose]?.objection(context, simulation) ?? null;
    return objection === null ? null : { reason: 'promise_broken', detail: objection };
  }

  async function check(id: string): Promise<TransactionAnswer> {
    const loaded = await load(id);
    if (loaded.state !== 'submitted') return { outcome: 'superseded', reason: loaded.state };
    const found = await obstacle(loaded);
    return found === null ? { outcome: 'verified' } : { outcome: 'refused', ...found, lease: null };
  }

  async function broadcast(id: string, key: string): Promise<TransactionAnswer> {
    const loaded = await load(id);
    if (!SENDABLE.has(loaded.state)) return { outcome: 'superseded', reason: loaded.state };
    // The holder of the lease may be sending now. Others wait for its end.
    if (await deps.leaseIsHeld(id)) throw new Error(`another worker holds the lease of prepared transaction ${id}`);
    const taken = await takeLease(deps, id, key, async () => (await load(id)).state);
    if ('supersededBy' in taken) return { outcome: 'superseded', reason: taken.supersededBy };
    const lease = taken.until;
    const answer = await chain.broadcast(readSignedBytes(loaded), taken.leftMs);
    if (answer.outcome === 'sent') return { outcome: 'sent', lease };
    if (answer.outcome === 'unknown') return { outcome: 'unknown', detail: answer.detail, lease };
    // A node also refuses a transaction that it has already executed.
    const seen = await landing(loaded.context.signature);
    return seen === null ? { outcome: 'refused', reason: 'refused_by_chain', detail: answer.reason, lease } : { outcome: 'sent', lease };
  }

  /** Returns the chain's result of a signature, or null if the chain does not know it. @throws if it does not answer. */
  async function landing(signature: string | null): Promise<TransactionAnswer | null> {
    if (signature === null) return null;
    const { state, slot } = await chain.status(signature);
    if (state === 'unseen') return null;
    if (state === 'processed') return { outcome: 'processed' };
    if (state === 'confirmed') return { outcome: 'confirmed', slot };
    const landed = await chain.transaction(signature);
    return landed === null ? { outcome: 'confirmed', slot } : { outcome: 'finalized', landed };
  }

  async function follow(id: string): Promise<TransactionAnswer> {
    const { signature, prepared } = (await load(id)).context;
    try {
      const seen = await landing(signature);
      if (seen !== null) return seen;
      const blockHeight = await chain.blockHeight('finalized');
      if (blockHeight <= prepared.lastValidBlockHeight) return { outcome: 'unseen' };
      // The second proof, requested only once the first one holds.
      return (await landing(signature)) ?? { outcome: 'expired', blockHeight, signature };
    } catch (error) {
      // The chart asks again by its own timer.
      return { outcome: 'silent', detail: errorText(error) };
    }
  }

  const readId = (payload: { readonly [key: string]: Json }): string => payload['transactionId'] as string;
  return {
    [CHECK_TRANSACTION]: async (payload) => (await check(readId(payload))) as unknown as Json,
    [BROADCAST_TRANSACTION]: async (payload, key) => (await broadcast(readId(payload), key)) as unknown as Json,
    [FOLLOW_TRANSACTION]: async (payload) => (await follow(readId(payload))) as unknown as Json,
  };
}
