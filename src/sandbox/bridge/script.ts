/** Script of a bridge provider's simulator for the coming transfers: the plain course, or one of its troubles. */

export const BRIDGE_TROUBLES = [
  /** It pays out late. */
  'slow',
  /** It pays out once told to. */
  'holds',
  /** It says failure, tries again and pays out. */
  'fails_then_fills',
  /** It says failure and pays back. */
  'fails_then_refunds',
  /** It says failure, and that its refund failed. */
  'refund_fails',
  /** It pays out less than it promised. */
  'pays_part',
  /** It says that it has paid, and names a transaction that no chain has. */
  'claims_payment',
  /** It says that it has paid, and names a transaction that failed. */
  'names_failed_payment',
  /** It says that it has paid, and names a payment to the recipient that was there before the quote. */
  'names_older_payment',
  /** It says that it has paid, and names the newest payment that it has made to the recipient for another transfer. */
  'names_used_payment',
  /** Deposit that goes to somebody else. */
  'swaps_destination',
  /** The deposit that it asks for is for another order. */
  'swaps_order',
  /** It is never told of the deposit. */
  'deaf',
  /** Its attestation is delayed with a reason, and comes. */
  'attests_late',
] as const;
export type BridgeTrouble = (typeof BRIDGE_TROUBLES)[number];

export interface BridgeScript {
  /** From now on every new transfer takes this course; null is the plain one. @throws RangeError for a word that is none */
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
