/** The words of a prepared transaction's life. */

/** States in the order of a transaction's life; the last four are other endings. */
export const PREPARED_TRANSACTION_STATES = [
  'prepared',
  'submitted',
  'verified',
  'broadcast',
  'confirmed',
  'finalized',
  'expired',
  'refused',
  'failed',
  'unknown',
] as const;
export type PreparedTransactionState = (typeof PREPARED_TRANSACTION_STATES)[number];

/** States in which it still may land: what it reserves is reserved. `refused` is one of them, for its signed bytes exist. */
export const OPEN_TRANSACTION_STATES = [
  'prepared',
  'submitted',
  'verified',
  'broadcast',
  'confirmed',
  'refused',
  'unknown',
] as const satisfies readonly PreparedTransactionState[];

/** Purposes of a transaction. Each defines by its own rules the result of a finalized transaction. */
export const TRANSACTION_PURPOSES = ['swap', 'prediction_order', 'checkout', 'launch', 'launcher_payment', 'launch_claim'] as const;
export type TransactionPurpose = (typeof TRANSACTION_PURPOSES)[number];
