/** Script of a bridge provider's simulator for the coming transfers: the plain course, or one of its troubles. */

export const BRIDGE_TROUBLES = [
  /** Pays out late. */
  'slow',
  /** Pays out when told to. */
  'holds',
  /** Reports failure, tries again and pays out. */
  'fails_then_fills',
  /** Reports failure and pays back. */
  'fails_then_refunds',
  /** Reports failure, and that its refund failed. */
  'refund_fails',
  /** Pays out less than it promised. */
  'pays_part',
  /** Claims a payment and names a transaction that no chain has. */
  'claims_payment',
  /** Claims a payment and names a transaction that failed. */
  'names_failed_payment',
  /** Claims a payment and names one to the recipient that is older than the quote. */
  'names_older_payment',
  /** Claims a payment and names the newest one that it made to the recipient for another transfer. */
  'names_used_payment',
  /** Deposit that goes to somebody else. */
  'swaps_destination',
  /** The deposit that it asks for is for another order. */
  'swaps_order',
  /** The provider never learns of the deposit. */
  'deaf',
  /** Delays the attestation with a reason, then gives it. */
  'attests_late',
] as const;
export type BridgeTrouble = (typeof BRIDGE_TROUBLES)[number];

export interface BridgeScript {
  /** Sets the course of every new transfer; null is the plain one. @throws RangeError for an unknown word */
  trouble(how: string | null): void;
  current(): BridgeTrouble | null;
  /** Lets held transfers go on. */
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
