/** Reads the state of live orders: first from the transaction that opens them, then from the venue that fills them. Idempotent. */
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { PreparedTransactionState } from '../../src/domain/solana/lifecycle.ts';
import { errorText } from '../../src/domain/values/value-text.ts';
import { transactionContext, transactionState } from '../prepared-transaction/effects.ts';
import type { ActivityWorker } from '../runtime/activities.ts';
import { type LoadActors, requireActor } from '../runtime/actor-store.ts';
import { FOLLOW_ORDER_TRANSACTION, FOLLOW_PREDICTION_ORDER, predictionOrderContext } from './effects.ts';
import type { OnchainVenue } from './onchain-venue.ts';
import type { TransactionNews, VenueNews } from './machine.ts';

/** States in which the transaction is already signed. */
const SENT: ReadonlySet<PreparedTransactionState> = new Set(['submitted', 'verified', 'broadcast', 'confirmed', 'refused', 'unknown']);

/** Returns the activity workers of a prediction order, by kind. */
export function predictionOrderWorkers(deps: {
  readonly load: LoadActors;
  readonly venue: Pick<OnchainVenue, 'news'>;
}): Readonly<Record<string, ActivityWorker>> {
  async function transactionNews(id: string): Promise<TransactionNews> {
    const { onchain } = predictionOrderContext((await requireActor(deps.load, id)).state);
    if (onchain === null) throw new Error(`order ${id} has no transaction on the chain`);
    const { state } = await requireActor(deps.load, onchain.transactionId);
    const word = transactionState(state);
    if (word === 'finalized') return { outcome: 'transaction_final' };
    if (SENT.has(word)) return { outcome: 'transaction_sent' };
    if (word === 'prepared') return { outcome: 'transaction_waits' };
    const { reason, detail } = transactionContext(state);
    const why =
      word === 'expired' ? 'the transaction was not signed and sent in time' : 'the transaction failed on the chain; no order was opened';
    return {
      outcome: 'transaction_ended',
      reason: reason ?? `transaction_${word}`,
      detail: detail ?? `its transaction has ${word}: ${why}`,
    };
  }

  async function venueNews(id: string): Promise<VenueNews> {
    try {
      return await deps.venue.news(id, predictionOrderContext((await requireActor(deps.load, id)).state));
    } catch (error) {
      // The chart asks again by its own timer.
      return { outcome: 'unknown', detail: errorText(error) };
    }
  }

  const readId = (payload: { readonly [key: string]: Json }): string => payload['predictionOrderId'] as string;
  return {
    [FOLLOW_ORDER_TRANSACTION]: async (payload) => (await transactionNews(readId(payload))) as unknown as Json,
    [FOLLOW_PREDICTION_ORDER]: async (payload) => (await venueNews(readId(payload))) as unknown as Json,
  };
}
