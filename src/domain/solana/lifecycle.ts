/** States and purposes of prepared transactions. */

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

/** States in which it may still land, so that its reservation stays. `refused` is one, because its signed bytes exist. */
export const OPEN_TRANSACTION_STATES = [
  'prepared',
  'submitted',
  'verified',
  'broadcast',
  'confirmed',
  'refused',
  'unknown',
] as const satisfies readonly PreparedTransactionState[];

/** Purposes of a transaction. Each has its own rules for the result of a finalized transaction. */
export const TRANSACTION_PURPOSES = ['swap', 'prediction_order', 'checkout', 'launch', 'launcher_payment', 'launch_claim'] as const;
export type TransactionPurpose = (typeof TRANSACTION_PURPOSES)[number];
