/**
 * Three axes of a transfer: the provider's report, the source chain and the destination chain. The public status is a pure function of
 * them. Contradictions become warnings.
 */
import type { EpochMs } from '../values/time.ts';

/** Provider states in this service's vocabulary. `unseen`: the provider does not know the transfer, which is normal at first. */
export const PROVIDER_STATES = [
  'unseen',
  'pending',
  'attesting',
  'filling',
  'filled',
  'failing',
  'refunding',
  'refunded',
  'refund_failed',
] as const;
export type ProviderState = (typeof PROVIDER_STATES)[number];

/** Last report of the provider. Its silence changes nothing. */
export interface ProviderAxis {
  readonly state: ProviderState;
  /** State in the provider's own words, for display. */
  readonly said: string | null;
  /** The provider's reason for a delay, a failure or a failed refund, or null. */
  readonly reason: string | null;
  /** Transaction on the destination chain that it names, or null. */
  readonly fillHash: string | null;
  /** Transaction on the source chain that it names as the refund, or null. */
  readonly refundHash: string | null;
  /** Time since which the provider has not answered, or null. */
  readonly silentSince: EpochMs | null;
}

/**
 * States of the source transaction. `expired` and `failed` are proven: it can never land, or its failure is final. `other`: the transaction
 * with its hash is not the quoted one.
 */
export const SOURCE_STATES = ['unseen', 'included', 'final', 'reorged', 'failed', 'expired', 'other'] as const;
export type SourceState = (typeof SOURCE_STATES)[number];

interface SourceAxis {
  readonly state: SourceState;
  readonly confirmations: number;
  /** Time at which it was first seen in a block, or null. */
  readonly includedAt: EpochMs | null;
  readonly detail: string | null;
}

/** States of an arrival on a chain. `foreign`: the transaction that the provider names pays, but not for this transfer. */
export const ARRIVAL_STATES = ['none', 'included', 'final', 'failed', 'foreign'] as const;
export type ArrivalState = (typeof ARRIVAL_STATES)[number];

/** Reasons why a payment is not this transfer's: it is older than the quote, or it has settled another transfer. */
const ARRIVAL_OBJECTIONS = ['older', 'settled_another'] as const;
type ArrivalObjection = (typeof ARRIVAL_OBJECTIONS)[number];

export interface ArrivalAxis {
  readonly state: ArrivalState;
  readonly hash: string | null;
  /** Base units that the transaction paid to the recipient, or null while nothing was seen. */
  readonly amount: string | null;
  /** Reason of the state `foreign`, or null. */
  readonly objection: ArrivalObjection | null;
}

export interface TransferAxes {
  readonly provider: ProviderAxis;
  readonly source: SourceAxis;
  readonly destination: ArrivalAxis;
  /** The refund on the source chain. */
  readonly refund: ArrivalAxis;
}

export const NO_ARRIVAL: ArrivalAxis = { state: 'none', hash: null, amount: null, objection: null };
export const FIRST_AXES: TransferAxes = {
  provider: { state: 'unseen', said: null, reason: null, fillHash: null, refundHash: null, silentSince: null },
  source: { state: 'unseen', confirmations: 0, includedAt: null, detail: null },
  destination: NO_ARRIVAL,
  refund: NO_ARRIVAL,
};

/** Public states of a transfer in order. The last five are other endings. */
export const TRANSFER_STATES = [
  'quoted',
  'submitted',
  'source_confirmed',
  'source_final',
  'filling',
  'completed',
  'refunding',
  'refunded',
  'failed',
  'unknown',
  'expired',
] as const;
export type TransferState = (typeof TRANSFER_STATES)[number];
/** States of a submitted transfer. */
export type TrackedState = Exclude<TransferState, 'quoted' | 'expired'>;

/** States in which the money is on its way: it has left, or may have left, and its arrival is not final. */
export const IN_TRANSIT_STATES = [
  'submitted',
  'source_confirmed',
  'source_final',
  'filling',
  'refunding',
  'unknown',
] as const satisfies readonly TrackedState[];

/** Warnings about a transfer, besides its state. */
export const ATTENTIONS = [
  'source_reorged',
  'source_expired',
  'source_failed',
  'other_transaction',
  'provider_silent',
  'provider_ahead_of_source',
  'provider_ahead_of_destination',
  'provider_contradicts_source',
  'fill_failed',
  'fill_failed_on_chain',
  'fill_older_than_quote',
  'fill_of_another_transfer',
  'attestation_delayed',
  'refund_failed',
  'refund_failed_on_chain',
  'refund_older_than_quote',
  'refund_of_another_transfer',
  'refunded_short',
  'partial_fill',
  'filled_and_refunded',
] as const;
export type Attention = (typeof ATTENTIONS)[number];

const WORDS: Readonly<Record<Attention, string>> = {
  source_reorged: 'the source chain dropped the block of the source transaction; the transaction may be included again',
  source_expired: 'the source transaction has expired: nothing was moved',
  source_failed: 'the source transaction failed on the chain: only its network fee was spent',
  other_transaction: 'the transaction under this hash is not the one that was quoted',
  provider_silent: 'the provider does not answer; the service still follows both chains',
  provider_ahead_of_source: 'the provider acts on a deposit that the source chain does not show',
  provider_ahead_of_destination: 'the provider says that it has paid out, and the destination chain does not show it yet',
  provider_contradicts_source: 'the provider says that it has paid out for a deposit that the source chain says never happened',
  fill_failed: 'the provider could not pay out; it may try again or pay back',
  fill_failed_on_chain: 'the transaction that the provider names as its payment failed, or pays nothing to the recipient',
  fill_older_than_quote: 'the transaction that the provider names as its payment was on the chain before the transfer was quoted',
  fill_of_another_transfer: 'the transaction that the provider names as its payment has settled another transfer already',
  attestation_delayed: 'the attestation is delayed: the transfer falls back to standard finality',
  refund_failed: 'the provider says that its refund failed: the amount is still owed, write to the provider',
  refund_failed_on_chain: 'the transaction that the provider names as its refund failed, or pays nothing to the sender',
  refund_older_than_quote: 'the transaction that the provider names as its refund was on the chain before the transfer was quoted',
  refund_of_another_transfer: 'the transaction that the provider names as its refund has settled another transfer already',
  refunded_short: 'the refund is less than the amount that was sent',
  partial_fill: 'less arrived than the minimum of the quote',
  filled_and_refunded: 'the chains show both a payment and a refund',
};

/** Returns the sentence of a warning. */
export function attentionWords(attention: Attention): string {
  return WORDS[attention];
}

export interface TransferStatus {
  readonly state: TrackedState;
  readonly attentions: readonly Attention[];
}

const ENDING: ReadonlySet<ProviderState> = new Set(['filled', 'refunded']);
const OWING: ReadonlySet<ProviderState> = new Set(['failing', 'refunding', 'refunded', 'refund_failed']);
const WORKING: ReadonlySet<ProviderState> = new Set(['filling', 'filled']);

/**
 * Returns the state of a submitted transfer. `minimumOut` and `amountIn` are base units. Final money on a chain outranks every provider.
 * Something not seen is never a failure. An arrival counts only if it is at least the promised amount: less ends nothing by itself.
 */
export function judgeTransferStatus(axes: TransferAxes, terms: { readonly minimumOut: string; readonly amountIn: string }): TransferStatus {
  return { state: judgeState(axes, terms), attentions: listAttentions(axes, terms) };
}

function judgeState(axes: TransferAxes, { minimumOut }: { readonly minimumOut: string }): TrackedState {
  const { provider, source, destination, refund } = axes;
  const least = BigInt(minimumOut);
  if (countArrived(destination) >= least) return 'completed';
  // A part may have been paid out, and the rest refunded.
  if (refund.state === 'final' && countArrived(refund) + countArrived(destination) >= least) return 'refunded';
  const hasArrived = [destination, refund].some(({ state }) => state === 'included' || state === 'final');
  if (source.state === 'failed' || source.state === 'expired' || source.state === 'other') {
    // The money has not left the sender. A provider's contradiction is recorded and not trusted.
    return ENDING.has(provider.state) || hasArrived ? 'unknown' : 'failed';
  }
  const hasLeft = source.state === 'included' || source.state === 'final';
  if (!hasLeft) return WORKING.has(provider.state) || OWING.has(provider.state) || hasArrived ? 'unknown' : 'submitted';
  if (destination.state === 'foreign' || refund.state === 'foreign') return 'unknown';
  // The provider is done, and the final amount is below its promise.
  if (destination.state === 'final' && provider.state === 'filled') return 'unknown';
  if (refund.state === 'included' || refund.state === 'final' || OWING.has(provider.state)) return 'refunding';
  if (destination.state === 'included' || destination.state === 'final' || WORKING.has(provider.state)) return 'filling';
  if (source.state === 'included') return 'source_confirmed';
  return provider.state === 'unseen' ? 'source_final' : 'filling';
}

/** Returns the base units whose arrival is final. */
function countArrived({ state, amount }: ArrivalAxis): bigint {
  return state === 'final' && amount !== null ? BigInt(amount) : 0n;
}

function listAttentions(
  axes: TransferAxes,
  { minimumOut, amountIn }: { readonly minimumOut: string; readonly amountIn: string },
): Attention[] {
  const { provider, source, destination, refund } = axes;
  const hasNotLeft = source.state === 'failed' || source.state === 'expired' || source.state === 'other';
  const paysOut = provider.state === 'filled' || provider.state === 'refunded';
  const isUnseen = source.state === 'unseen' || source.state === 'reorged';
  const found: Record<Attention, boolean> = {
    source_reorged: source.state === 'reorged',
    source_expired: source.state === 'expired',
    source_failed: source.state === 'failed',
    other_transaction: source.state === 'other',
    provider_silent: provider.silentSince !== null,
    provider_ahead_of_source: isUnseen && (WORKING.has(provider.state) || OWING.has(provider.state)),
    provider_ahead_of_destination: provider.state === 'filled' && destination.state === 'none',
    provider_contradicts_source: hasNotLeft && paysOut,
    fill_failed: provider.state === 'failing',
    fill_failed_on_chain: destination.state === 'failed',
    fill_older_than_quote: destination.objection === 'older',
    fill_of_another_transfer: destination.objection === 'settled_another',
    attestation_delayed: provider.state === 'attesting' && provider.reason !== null,
    refund_failed: provider.state === 'refund_failed',
    refund_failed_on_chain: refund.state === 'failed',
    refund_older_than_quote: refund.objection === 'older',
    refund_of_another_transfer: refund.objection === 'settled_another',
    refunded_short: refund.state === 'final' && destination.state !== 'final' && countArrived(refund) < BigInt(amountIn),
    partial_fill: destination.state === 'final' && countArrived(destination) < BigInt(minimumOut),
    filled_and_refunded: destination.state === 'final' && refund.state === 'final',
  };
  return ATTENTIONS.filter((attention) => found[attention]);
}

/** True for a final state: both chains have finalized the outcome. */
export function isEnded(state: TransferState): boolean {
  return state === 'completed' || state === 'refunded' || state === 'failed' || state === 'expired';
}

/** Result of one read. A part that could not be read is null and leaves its axis unchanged. */
export interface Sighting {
  readonly at: EpochMs;
  readonly provider: Omit<ProviderAxis, 'silentSince'> | null;
  readonly source: SourceSighting | null;
  readonly destination: ArrivalAxis | null;
  readonly refund: ArrivalAxis | null;
}

/** Sighting of the source chain at one moment. Earlier sightings do not matter. */
export interface SourceSighting {
  readonly state: Exclude<SourceState, 'reorged'>;
  readonly confirmations: number;
  readonly detail: string | null;
}

/**
 * Returns the axes after a read. Final axes never change, except that a larger final payment replaces a smaller one. A transaction that was
 * included and is gone is `reorged`. A hash that the provider named stays if it names none later.
 */
export function seen(axes: TransferAxes, sighting: Sighting): TransferAxes {
  return {
    provider: providerAfter(axes.provider, sighting),
    source: sourceAfter(axes.source, sighting),
    destination: arrivalAfter(axes.destination, sighting.destination),
    refund: arrivalAfter(axes.refund, sighting.refund),
  };
}

function providerAfter(before: ProviderAxis, { provider, at }: Sighting): ProviderAxis {
  if (provider === null) return { ...before, silentSince: before.silentSince ?? at };
  // A provider that no longer knows a transfer says nothing about it.
  const word = provider.state === 'unseen' && before.state !== 'unseen' ? before : provider;
  return {
    state: word.state,
    said: word.said,
    reason: word.reason,
    fillHash: provider.fillHash ?? before.fillHash,
    refundHash: provider.refundHash ?? before.refundHash,
    silentSince: null,
  };
}

const SETTLED_SOURCE: ReadonlySet<SourceState> = new Set(['final', 'failed', 'expired', 'other']);

function sourceAfter(before: SourceAxis, { source, at }: Sighting): SourceAxis {
  if (source === null || SETTLED_SOURCE.has(before.state)) return before;
  if (source.state === 'unseen')
    return before.state === 'included' || before.state === 'reorged'
      ? { ...before, state: 'reorged', confirmations: 0, detail: source.detail }
      : { ...before, confirmations: 0, detail: source.detail };
  const isThere = source.state === 'included' || source.state === 'final';
  return { ...source, includedAt: isThere ? (before.includedAt ?? at) : before.includedAt };
}

function arrivalAfter(before: ArrivalAxis, now: ArrivalAxis | null): ArrivalAxis {
  if (now === null) return before;
  return before.state === 'final' && countArrived(now) <= countArrived(before) ? before : now;
}

/** Multiple of its estimate after which a transfer counts as delayed, at least two minutes. */
const DELAY_FACTOR = 3;
const LEAST_DELAY_MS = 120_000;

/** Returns the time after which a submitted transfer counts as delayed, in milliseconds. */
export function delayAfterMs(estimatedSeconds: number): number {
  return Math.max(LEAST_DELAY_MS, DELAY_FACTOR * estimatedSeconds * 1_000);
}
