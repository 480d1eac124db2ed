/** Script of a bridge provider's simulator: how it handles the next transfers. */

const BRIDGE_TROUBLES = [
  /** Pays late. */
  'slow',
  /** Waits for the operator's release before it pays. */
  'holds',
  /** Reports failure, then retries and pays. */
  'fails_then_fills',
  /** Reports failure and refunds. */
  'fails_then_refunds',
  /** Reports failure, and that its refund failed. */
  'refund_fails',
  /** Pays less than quoted. */
  'pays_part',
  /** Reports a payment with a transaction that no chain has. */
  'claims_payment',
  /** Reports a payment with a transaction that failed. */
  'names_failed_payment',
  /** Reports a payment to the recipient that is older than the quote. */
  'names_older_payment',
  /** Reports a payment that it made to the recipient for another transfer. */
  'names_used_payment',
  /** Returns a deposit transaction that pays somebody else. */
  'swaps_destination',
  /** Returns a deposit transaction that names another order. */
  'swaps_order',
  /** Never notices the deposit. */
  'deaf',
  /** Delays the attestation and states a reason, then attests. */
  'attests_late',
] as const;
export type BridgeTrouble = (typeof BRIDGE_TROUBLES)[number];

export interface BridgeScript {
  /**
   * Sets the behavior for all new transfers; null restores the normal one.
   * @throws RangeError for an unknown word
   */
  trouble(how: string | null): void;
  current(): BridgeTrouble | null;
  /** Releases held transfers. */
  release(): void;
  released(): number;
}

export function createBridgeScript(): BridgeScript {
  let how: BridgeTrouble | null = null;
  let releases = 0;
  return {
    trouble(word) {
      if (word !== null && !(BRIDGE_TROUBLES as readonly string[]).includes(word))
        throw new RangeError(`how must be null or one of ${BRIDGE_TROUBLES.join(', ')}, not ${JSON.stringify(word)}`);
      how = word as BridgeTrouble | null;
    },
    current: () => how,
    release: () => void releases++,
    released: () => releases,
  };
}
