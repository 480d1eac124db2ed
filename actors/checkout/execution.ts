/** Follows a checkout's payment: submits its signed bytes, and reports what the chain made of them. Idempotent. */
import type { Json } from '../../src/domain/values/canonical-json.ts';
import { PermitLost } from '../../src/domain/orders/execution.ts';
import { type Payment, paymentObjection } from '../../src/domain/marketplace/checkout.ts';
import type { LandedTransaction } from '../../src/domain/solana/chain.ts';
import { errorText } from '../../src/domain/values/value-text.ts';
import type { ChainClient } from '../prepared-transaction/chain-client.ts';
import { transactionContext, transactionState } from '../prepared-transaction/effects.ts';
import type { ActivityWorker } from '../runtime/activities.ts';
import { type LoadActors, requireActor } from '../runtime/actor-store.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { checkoutContext, checkoutState, FOLLOW_PAYMENT } from './effects.ts';
import type { CheckoutContext, PaymentAnswer } from './machine.ts';
import { plainDecimal } from '../../src/domain/values/decimal.ts';
import { USDC_LEG, toUi } from '../../src/domain/solana/swap.ts';
import type { PurposeRules } from '../prepared-transaction/purpose.ts';

interface CheckoutWorkerDeps {
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly load: LoadActors;
  readonly chain: Pick<ChainClient, 'status' | 'transaction'>;
}

/** Compares a finalized transaction with the expected payment. */
function assessed({ error, changes }: LandedTransaction, payment: Payment): PaymentAnswer {
  if (error !== null)
    return { outcome: 'ended', how: 'failed', reason: 'failed_on_chain', detail: `the payment failed on the chain: ${error}` };
  const objection = paymentObjection(changes, payment);
  return objection === null ? { outcome: 'paid' } : { outcome: 'ended', how: 'failed', reason: 'paid_otherwise', detail: objection };
}

export function checkoutWorkers(deps: CheckoutWorkerDeps): Readonly<Record<string, ActivityWorker>> {
  /** Submits the payment. Changes nothing if it was submitted before. */
  async function handOver({ transactionId, signed, signature, submittedBy }: CheckoutContext): Promise<void> {
    try {
      const event = { type: 'submit', signedBase64: signed, signature, subject: submittedBy };
      await deps.runtime.deliver(transactionId as string, event, { cause: `checkout ${submittedBy}` });
    } catch (error) {
      // A halt came: nothing more is sent, and unsent payments expire by themselves.
      if (!(error instanceof PermitLost)) throw error;
    }
  }

  async function carried(checkout: CheckoutContext): Promise<PaymentAnswer> {
    const { state } = await requireActor(deps.load, checkout.transactionId as string);
    const context = transactionContext(state);
    const at = transactionState(state);
    if (at === 'finalized' || at === 'failed') return assessed(context.landed as LandedTransaction, checkout.payment as Payment);
    if (at === 'expired')
      return {
        outcome: 'ended',
        how: 'expired',
        reason: context.reason ?? 'transaction_expired',
        detail: context.detail ?? 'the payment was not signed and sent in time',
      };
    if (at === 'prepared' && checkout.signed !== null) await handOver(checkout);
    return at === 'confirmed' ? { outcome: 'confirmed' } : { outcome: 'waits' };
  }

  /** Returns the result of a payment that is already final. Bytes submitted after the expiry can no longer land. */
  async function landedBefore({ signature, payment }: CheckoutContext): Promise<PaymentAnswer> {
    const { state } = await deps.chain.status(signature as string);
    if (state === 'unseen')
      return {
        outcome: 'ended',
        how: 'expired',
        reason: 'not_landed',
        detail: 'it was submitted after its expiry and is not on the chain',
      };
    const landed = state === 'finalized' ? await deps.chain.transaction(signature as string) : null;
    return landed === null ? { outcome: 'waits' } : assessed(landed, payment as Payment);
  }

  async function follow(id: string): Promise<PaymentAnswer> {
    const { state } = await requireActor(deps.load, id);
    const checkout = checkoutContext(state);
    if (checkoutState(state) !== 'late') return carried(checkout);
    try {
      return await landedBefore(checkout);
    } catch (error) {
      // The chart asks again by its own timer.
      return { outcome: 'silent', detail: errorText(error) };
    }
  }

  return {
    [FOLLOW_PAYMENT]: async (payload: { readonly [key: string]: Json }) =>
      (await follow(payload['checkoutId'] as string)) as unknown as Json,
  };
}

/** Rules of checkout payments for prepared transactions: the creator must get the whole price. The checkout issues the licence. */
export const checkoutRules: PurposeRules = {
  dollarsPaid: ({ subject }) => plainDecimal(toUi((subject['payment'] as unknown as Payment).amount, USDC_LEG)),
  objection: ({ subject }, { changes }) => paymentObjection(changes, subject['payment'] as unknown as Payment),
  settle: () => [],
};
