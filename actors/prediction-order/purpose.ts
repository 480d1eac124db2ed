/** Rules of prediction orders for prepared transactions: the deposit must be the promised one, and a final transaction opens an order. */
import { plainDecimal } from '../../src/domain/values/decimal.ts';
import { type DepositPromise, depositObjection } from '../../src/domain/solana/prediction-deposit.ts';
import { USDC_LEG, toUi } from '../../src/domain/solana/swap.ts';
import type { PreparedTransactionContext } from '../prepared-transaction/machine.ts';
import type { PurposeRules } from '../prepared-transaction/purpose.ts';
import { record } from '../runtime/actor-kind.ts';

/** Promise to the signer: the order that the transaction opens, and what the wallet pays. */
export type PredictionSubject = DepositPromise & {
  readonly orderId: string;
};

export function predictionSubject({ subject }: Pick<PreparedTransactionContext, 'subject'>): PredictionSubject {
  return subject as unknown as PredictionSubject;
}

export const predictionOrderRules: PurposeRules = {
  dollarsPaid: (context) => plainDecimal(toUi(predictionSubject(context).depositRaw, USDC_LEG)),
  objection: (context, { changes }) => depositObjection(changes, predictionSubject(context)),
  // Executed does not mean filled: the order only learns that it is open. Its venue reports the fills.
  settle: (context) => [
    record('prediction_order_told', { orderId: predictionSubject(context).orderId, event: { type: 'transaction.finalized' } }),
  ],
};
