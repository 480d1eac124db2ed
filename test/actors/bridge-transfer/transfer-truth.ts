// Predetermined truth of one simulated transfer at every moment: what both chains show, and what the provider answers.
import { createHash } from 'node:crypto';
import type { SourceSighting } from '../../../src/domain/bridge/axes.ts';
import type { BridgeChain, BridgeProviderName, BridgeWish } from '../../../src/domain/bridge/quote.ts';
import type { ArrivalSighting } from '../../../src/domain/bridge/transfer.ts';
import { base58 } from '../../../src/domain/solana/base58.ts';
import { QUOTED } from './sample.ts';

const COMMON = [
  'plain',
  'late',
  'reorganized',
  'reverted',
  'never_lands',
  'claims_payment',
  'names_failed_payment',
  'pays_part',
  'pays_part_then_all',
  'provider_deaf',
  'payment_reorganized',
  'names_older_payment',
  'names_used_payment',
  'older_payment_alone',
  'used_payment_alone',
  'shared_payment',
] as const;
const OF_RELAY = ['fails_then_refunds', 'fails_then_fills', 'refund_fails', 'older_refund_alone', 'part_and_rest_back'] as const;
const OF_CCTP = ['attests_late', 'attestation_reorganized', 'forwarding_fails_first'] as const;
export type Course = (typeof COMMON)[number] | (typeof OF_RELAY)[number] | (typeof OF_CCTP)[number];

export interface Plan {
  readonly provider: BridgeProviderName;
  readonly from: BridgeChain;
  readonly course: Course;
}

/** Plans of every course, kind and direction. */
export const PLANS: readonly Plan[] = (['evmvenue', 'spotchain'] as const).flatMap((from) => [
  ...[...COMMON, ...OF_RELAY].map((course): Plan => ({ provider: 'relay', from, course })),
  ...[...COMMON, ...OF_CCTP].map((course): Plan => ({ provider: 'cctp', from, course })),
]);

const OTHER_ENDS: { readonly [course in Course]?: string } = {
  reverted: 'failed',
  never_lands: 'failed',
  fails_then_refunds: 'refunded',
  part_and_rest_back: 'refunded',
  refund_fails: 'refunding',
  provider_deaf: 'source_final',
  pays_part: 'unknown',
  older_payment_alone: 'unknown',
  used_payment_alone: 'unknown',
  older_refund_alone: 'unknown',
  shared_payment: 'completed and unknown',
};

/** Returns the end of a course, by the chains alone. */
export const endOf = (course: Course): string => OTHER_ENDS[course] ?? 'completed';

const SECOND = 1_000;
/** Height of both chains when the transfer was quoted. */
export const HEAD = 1_000;

/** Returns the name of a transaction in its chain's spelling. */
export function named(chain: BridgeChain, text: string): string {
  const digest = createHash('sha512').update(text).digest();
  return chain === 'evmvenue' ? `0x${digest.subarray(0, 32).toString('hex')}` : base58(digest);
}

/** Answer of the provider, or null if it does not know the transfer (404). Times are milliseconds after the submission. */
export type WireWord = (at: number) => object | null;

export function truthOf({ provider, from, course }: Plan, wish: BridgeWish, random: () => number) {
  const to: BridgeChain = wish.to;
  const between = (low: number, high: number): number => Math.floor(low + random() * (high - low)) * SECOND;
  const included = between(1, 40);
  const isForked = course === 'reorganized' || course === 'attestation_reorganized';
  const gone = isForked ? { from: included + between(4, 20), until: included + between(25, 90) } : null;
  const final = Math.max(included, gone?.until ?? 0) + between(5, 60);
  // The fork removes an attestation from before it together with the burn.
  const word = course === 'attestation_reorganized' ? included + SECOND : Math.max(included, gone?.until ?? 0) + between(1, 30);
  const isLate = course === 'late' || course === 'attests_late';
  const fill = Math.max(word, gone?.until ?? 0) + (isLate ? between(200, 2_000) : between(1, 60));
  const isWrongFirst = course === 'claims_payment' || course.startsWith('names_') || course === 'pays_part_then_all';
  const payment = fill + (isWrongFirst ? between(30, 600) : 0);
  const paymentGone = course === 'payment_reorganized' ? { from: payment + between(3, 9), until: payment + between(10, 60) } : null;
  const paymentFinal = Math.max(payment, paymentGone?.until ?? 0) + between(5, 60);
  const refund = fill + between(20, 400);
  const never = between(60, 200);
  const isGone = (span: { from: number; until: number } | null, at: number): boolean => span !== null && at >= span.from && at < span.until;
  const hash = {
    payment: named(to, 'payment'),
    part: named(to, 'part'),
    nothing: named(to, 'nothing'),
    failed: named(to, 'failed'),
    older: named(to, 'older'),
    used: named(to, 'used'),
    refund: named(from, 'refund'),
    olderRefund: named(from, 'older refund'),
  };

  function source(at: number): SourceSighting {
    const unseen: SourceSighting = { state: 'unseen', confirmations: 0, detail: null };
    if (course === 'never_lands') return at < never ? unseen : { ...unseen, state: 'expired' };
    if (at < included || isGone(gone, at)) return unseen;
    if (course === 'reverted' && at >= final) return { state: 'failed', confirmations: 40, detail: 'it was reverted' };
    return { state: at >= final ? 'final' : 'included', confirmations: Math.floor((at - included) / SECOND), detail: null };
  }

  /** Returns the payment that the provider names at a time, or null. */
  function namedPayment(at: number): string | null {
    if (at < fill) return null;
    if (course === 'older_payment_alone') return hash.older;
    if (course === 'used_payment_alone') return hash.used;
    if (course === 'pays_part') return hash.part;
    if (at >= payment) return hash.payment;
    if (course === 'claims_payment') return hash.nothing;
    if (course === 'names_failed_payment') return hash.failed;
    if (course === 'names_older_payment') return hash.older;
    if (course === 'names_used_payment') return hash.used;
    return course === 'pays_part_then_all' ? hash.part : null;
  }

  const isDeaf = course === 'never_lands' || course === 'reverted' || course === 'provider_deaf';

  /** Answer of GET /intents/status/v3. */
  const relay: WireWord = (at) => {
    if (isDeaf || at < word) return null;
    const failure = { status: 'failure', failReason: 'SLIPPAGE', txHashes: [] };
    if (course === 'fails_then_refunds' && at >= fill) return at < refund ? failure : { status: 'refund', txHashes: [hash.refund] };
    if (course === 'older_refund_alone' && at >= fill) return at < refund ? failure : { status: 'refund', txHashes: [hash.olderRefund] };
    if (course === 'part_and_rest_back' && at >= fill) {
      const back = at < refund ? [] : [hash.refund];
      return { status: 'failure', failReason: 'SOLVER_CAPACITY_EXCEEDED', txHashes: [hash.part], refundTxHashes: back };
    }
    if (course === 'refund_fails' && at >= fill)
      return at < refund ? failure : { ...failure, refundFailReason: 'AMOUNT_TOO_LOW_TO_REFUND' };
    if (course === 'fails_then_fills' && at >= fill && at < fill + 30 * SECOND) return failure;
    const payed = namedPayment(at);
    return payed === null ? { status: 'pending', txHashes: [] } : { status: 'success', txHashes: [payed] };
  };

  /** Answer of GET /v2/messages. */
  const cctp: WireWord = (at) => {
    if (isDeaf || at < word || (course === 'attestation_reorganized' && isGone(gone, at))) return null;
    const mintRecipient = to === 'evmvenue' ? wish.recipient : undefined;
    const decodedMessage = { decodedMessageBody: { amount: QUOTED.amountIn, ...(mintRecipient === undefined ? {} : { mintRecipient }) } };
    const delayReason = course === 'attests_late' ? 'insufficient_allowance_available' : null;
    const attested = course === 'attests_late' ? fill - 5 * SECOND : Math.max(final, gone?.until ?? 0);
    const payed = namedPayment(at);
    if (payed === null && at < attested) return { messages: [{ status: 'pending_confirmations', delayReason, decodedMessage }] };
    const failsFirst = course === 'forwarding_fails_first' && at < fill + 30 * SECOND;
    const forwardState = failsFirst ? 'FAILED' : payed === null ? 'PENDING' : 'COMPLETE';
    return { messages: [{ status: 'complete', decodedMessage, forwardState, forwardTxHash: failsFirst ? null : payed }] };
  };

  function arrival(asked: string, at: number): ArrivalSighting {
    const none: ArrivalSighting = { state: 'none', hash: asked, amount: null, block: null };
    const there = (since: number, finalAt: number, amount: string): ArrivalSighting =>
      at < since
        ? none
        : {
            ...none,
            state: at >= finalAt ? 'final' : 'included',
            amount,
            block: { height: HEAD + 1 + Math.floor(since / SECOND), at: null },
          };
    if (asked === hash.failed) return { ...none, state: at >= fill ? 'failed' : 'none' };
    // Payments with the right amount and recipient that do not belong to this transfer.
    if (asked === hash.older) return { ...there(0, 0, QUOTED.amountOut), block: { height: HEAD, at: null } };
    if (asked === hash.olderRefund) return { ...there(0, 0, QUOTED.amountIn), block: { height: HEAD - 7, at: null } };
    if (asked === hash.used) return there(0, 0, QUOTED.amountOut);
    if (asked === hash.part) return there(fill, fill + 20 * SECOND, '40000000');
    if (asked === hash.refund) return there(refund, refund + 20 * SECOND, course === 'part_and_rest_back' ? '60000000' : QUOTED.amountIn);
    if (asked !== hash.payment || isGone(paymentGone, at)) return none;
    return there(payment, paymentFinal, QUOTED.amountOut);
  }

  return { source, arrival, wire: provider === 'relay' ? relay : cctp, used: hash.used };
}
