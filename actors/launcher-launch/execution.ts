/** Submits a payment to the chain and reads the launcher's answer. Idempotent. */
import type { Json } from '../../src/domain/values/canonical-json.ts';
import { PermitLost } from '../../src/domain/orders/execution.ts';
import { paidWords } from '../../src/domain/launch/launcher.ts';
import { errorText } from '../../src/domain/values/value-text.ts';
import { transactionContext, transactionState } from '../prepared-transaction/effects.ts';
import type { ActivityWorker } from '../runtime/activities.ts';
import { type LoadActors, requireActor } from '../runtime/actor-store.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { LauncherClient } from './commands.ts';
import { ASK_LAUNCHER, CARRY_PAYMENT, launcherContext } from './effects.ts';
import type { LauncherAnswer } from './machine.ts';
import type { PurposeRules } from '../prepared-transaction/purpose.ts';

interface LauncherWorkerDeps {
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly load: LoadActors;
  readonly launcher: Pick<LauncherClient, 'complete'>;
  /** Returns null if the chain has no such mint. @throws if no node answers. */
  readonly mintInfo: (mint: string) => Promise<{ readonly program: string; readonly decimals: number } | null>;
}

export function launcherWorkers(deps: LauncherWorkerDeps): Readonly<Record<string, ActivityWorker>> {
  async function carry(id: string): Promise<LauncherAnswer> {
    const { paymentId, signed, signature, submittedBy } = launcherContext((await requireActor(deps.load, id)).state);
    if (paymentId === null) return { outcome: 'waits' };
    const payment = (await requireActor(deps.load, paymentId)).state;
    const state = transactionState(payment);
    if (state === 'expired' || state === 'failed') {
      const { reason, detail } = transactionContext(payment);
      const why =
        state === 'expired' ? 'the payment was not signed and sent in time, and nothing was paid' : 'the payment landed without its effect';
      return { outcome: 'ended', how: state, reason: reason ?? `payment_${state}`, detail: detail ?? why };
    }
    if (signed !== null && state === 'prepared') {
      try {
        const event = { type: 'submit', signedBase64: signed, signature, subject: submittedBy };
        await deps.runtime.deliver(paymentId, event, { cause: `launch ${submittedBy}` });
      } catch (error) {
        // A halt came: nothing is sent, and unsent payments expire by themselves.
        if (!(error instanceof PermitLost)) throw error;
      }
    }
    if (state === 'finalized') return { outcome: 'finalized' };
    return state === 'confirmed' ? { outcome: 'confirmed' } : { outcome: 'waits' };
  }

  async function ask(id: string): Promise<LauncherAnswer> {
    const { intent, offer, signature } = launcherContext((await requireActor(deps.load, id)).state);
    if (signature === null) throw new Error(`launch ${id} has no payment to report`);
    try {
      const word = await deps.launcher.complete(intent, offer, signature);
      if (word.said === 'declined')
        return { outcome: 'declined', code: word.code, detail: paidWords(offer, signature, `the launcher declines: ${word.detail}`) };
      if (word.said === 'pending') return { outcome: 'pending', detail: 'the launcher has not launched yet' };
      const { mint, transaction } = word;
      const found = await deps.mintInfo(mint);
      if (found === null) return { outcome: 'pending', detail: `the launcher named the mint ${mint}, which the chain does not show yet` };
      return { outcome: 'launched', token: { mint, program: found.program, decimals: found.decimals, transaction } };
    } catch (error) {
      // The chart asks again by its own timer.
      return { outcome: 'pending', detail: errorText(error) };
    }
  }

  const readId = (payload: { readonly [key: string]: Json }): string => payload['launchId'] as string;
  return {
    [CARRY_PAYMENT]: async (payload) => (await carry(readId(payload))) as unknown as Json,
    [ASK_LAUNCHER]: async (payload) => (await ask(readId(payload))) as unknown as Json,
  };
}

/** Rules of payments to the external launcher for prepared transactions: exactly the agreed amount must arrive. */
export const launcherPaymentRules: PurposeRules = {
  // The launcher is paid in the chain's native coin.
  dollarsPaid: () => '0',
  objection({ subject }, { changes }) {
    const [payTo, lamports] = [subject['payTo'] as string, BigInt(subject['lamports'] as string)];
    const paid = changes.lamports.find(({ account }) => account === payTo);
    const arrives = paid === undefined ? 0n : BigInt(paid.after) - BigInt(paid.before);
    return arrives === lamports ? null : `${arrives} lamports would arrive at ${payTo}, and ${lamports} were agreed`;
  },
  settle: () => [],
};
