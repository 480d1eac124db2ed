/**
 * Handles signed bytes of prepared transactions: checks them against the stored message before anything is written, and accepts them once.
 */
import type { ActorRecord, ActorRow } from '../../src/domain/agents/actor-step.ts';
import { PermitLost, type SupersededReason } from '../../src/domain/orders/execution.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import type { TransactionPurpose } from '../../src/domain/solana/lifecycle.ts';
import { fromBase64, type VerifySignature, verifySigned } from '../../src/domain/solana/verify.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { answeredMeanwhile, answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';
import { loadActor, type LoadActors } from '../runtime/actor-store.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { transactionView, transactionContext, transactionState } from './effects.ts';
import type { PreparedTransactionView } from './resource.ts';
import type { PreparedTransactionContext } from './machine.ts';
import { groupLookups } from './unsigned.ts';

/** Submission of prepared transactions. Answers after its transaction has committed. Those of another organization are `not_found`. */
export interface TransactionSubmission {
  /**
   * Submits the signed bytes of a prepared transaction of this purpose. Repeating the same bytes returns its present state. Other bytes are
   * refused with `state_conflict`.
   */
  submit(context: CommandContext, purpose: TransactionPurpose, id: string, signedBase64: string): Promise<Outcome<PreparedTransactionView>>;
}

/** Message for a transaction that does not exist or belongs to another organization. */
export const NO_TRANSACTION = 'there is no prepared transaction with this id';

/** Messages for bytes that can no longer be sent, by the event since their preparation. */
const LOST: Readonly<Record<SupersededReason, string>> = {
  halted: 'an emergency halt came after this was prepared: it is no longer sent; prepare a new one',
  paused: 'the agent has been paused since this was prepared: it is no longer sent',
  manifest_changed: 'the manifest has changed since this was prepared: it is no longer sent',
  stage_changed: 'the agent trades in another mode since this was prepared: it is no longer sent',
  autonomy_lowered: 'the autonomy of the agent has been lowered since this was prepared: it is no longer sent',
};

interface SubmissionDeps {
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly load: LoadActors;
  readonly verifySignature: VerifySignature;
  /**
   * Checks by purpose if a transaction may leave now, by risk on the present quotes. If not, nothing is written and the same bytes may be
   * submitted again. If so, returns the further conditions of the submitting step.
   */
  readonly mayLeave: Readonly<
    Partial<
      Record<
        TransactionPurpose,
        (orgId: string, id: string, context: PreparedTransactionContext) => Promise<Outcome<readonly ActorRecord[] | null>>
      >
    >
  >;
  readonly clock: Pick<Clock, 'now'>;
}

export function createTransactionSubmission(deps: SubmissionDeps): TransactionSubmission {
  const { runtime, clock } = deps;

  async function find(orgId: string, purpose: TransactionPurpose, id: string): Promise<ActorRow | null> {
    const row = await loadActor(deps.load, 'prepared_transaction', orgId, id);
    return row !== null && transactionContext(row.state).purpose === purpose ? row : null;
  }

  /** Returns the early answer if bytes were already submitted, or null. */
  function givenBefore(row: ActorRow, signedBase64: string): Outcome<PreparedTransactionView> | null {
    const { signedBase64: known, signature } = transactionContext(row.state);
    const state = transactionState(row.state);
    if (known === signedBase64) return { ok: true, value: transactionView(row.id, row.state, clock.now()) };
    if (known !== null)
      return refuse('state_conflict', `another signed transaction was already submitted as ${signature}: it cannot be signed twice`);
    return state === 'prepared' ? null : refuse('state_conflict', `the transaction is ${state}: prepare a new one`);
  }

  return {
    async submit(context, purpose, id, signedBase64) {
      const row = await find(context.orgId, purpose, id);
      if (row === null) return refuse('not_found', NO_TRANSACTION);
      const before = givenBefore(row, signedBase64);
      if (before !== null) return before;
      const signed = fromBase64(signedBase64);
      if (signed === null) return refuse('malformed_transaction', 'the signed transaction is not base64 in its canonical encoding');
      const prepared = transactionContext(row.state);
      const verified = verifySigned(prepared.prepared, signed, deps.verifySignature, groupLookups(prepared.lookups));
      if (!verified.ok) return verified;
      const leaving = await (deps.mayLeave[purpose]?.(context.orgId, id, prepared) ??
        refuse('unavailable', `nothing for ${purpose} is sent`));
      if (!leaving.ok) return leaving;
      return submitted(context, purpose, id, { signedBase64, signature: verified.value.signature, required: leaving.value ?? [] });
    },
  };

  async function submitted(
    context: Parameters<TransactionSubmission['submit']>[0],
    purpose: TransactionPurpose,
    id: string,
    {
      signedBase64,
      signature,
      required,
    }: { readonly signedBase64: string; readonly signature: string; readonly required: readonly ActorRecord[] },
  ): Promise<Outcome<PreparedTransactionView>> {
    try {
      const event = { type: 'submit', signedBase64, signature, subject: context.subject };
      const outcome = await runtime.deliver(id, event, {
        cause: `${context.subject} ${context.requestId}`,
        orgId: context.orgId,
        also: (was, plan) => [
          ...required,
          auditRow(context, `transaction.submit.${purpose}`, id, was.state, plan.state),
          ...answerRows(context, transactionView(id, plan.state, clock.now())),
        ],
      });
      if (outcome.ok) return { ok: true, value: transactionView(id, outcome.value.plan.state, clock.now()) };
      // Another request was faster, so its bytes count.
      const now = await find(context.orgId, purpose, id);
      return (now === null ? null : givenBefore(now, signedBase64)) ?? outcome;
    } catch (error) {
      if (error instanceof PermitLost)
        return refuse(error.reason === 'halted' || error.reason === 'paused' ? 'halted' : 'state_conflict', LOST[error.reason]);
      return answeredMeanwhile(error);
    }
  }
}
