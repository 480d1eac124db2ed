/** Chooses among several offers, and explains the choice with numbers. */
import { Decimal, plainDecimal } from '../values/decimal.ts';
import { type BridgeOffer, type BridgeProviderName, toUsd } from './quote.ts';

/** Preference of the caller. */
export const BRIDGE_PREFERENCES = ['received', 'speed'] as const;
export type BridgePreference = (typeof BRIDGE_PREFERENCES)[number];

/** Difference in basis points of the amount within which minimum amounts count as equal. The faster offer then wins. */
const EQUAL_BPS = 2;

/** Returns the total cost of an offer in US dollars: the amount lost on the way plus the fees on top. */
export function costUsd({ amountIn, minimumOut, fees }: Pick<BridgeOffer, 'amountIn' | 'minimumOut' | 'fees'>): Decimal {
  const onTop = fees.reduce((sum, { included, amountUsd }) => (included ? sum : sum.plus(amountUsd ?? 0)), new Decimal(0));
  return new Decimal(toUsd(BigInt(amountIn) - BigInt(minimumOut))).plus(onTop);
}

/** A provider without an offer, and its reason. */
export interface Declined {
  readonly provider: BridgeProviderName;
  readonly reason: string;
}

interface Comparison<Offer extends BridgeOffer> {
  readonly chosen: Offer;
  /** Other offers, best first. */
  readonly others: readonly Offer[];
  readonly explanation: string;
}

/** Compares offers for the same amount. Null without offers. The order of the offers breaks exact ties. */
export function compareOffers<Offer extends BridgeOffer>(
  offers: readonly Offer[],
  declined: readonly Declined[],
  preference: BridgePreference = 'received',
): Comparison<Offer> | null {
  const sorted = [...offers].sort(preference === 'speed' ? bySpeed : byCost);
  const [best, ...rest] = sorted;
  if (best === undefined) return null;
  const equals = preference === 'speed' ? [best] : sorted.filter((offer) => isAsCheap(offer, best));
  const chosen = [...equals].sort(bySpeed)[0] ?? best;
  const others = [best, ...rest].filter((offer) => offer !== chosen);
  return { chosen, others, explanation: explained(chosen, others, declined, preference) };
}

function byCost(a: BridgeOffer, b: BridgeOffer): number {
  return costUsd(a).cmp(costUsd(b)) || a.estimatedSeconds - b.estimatedSeconds;
}

function bySpeed(a: BridgeOffer, b: BridgeOffer): number {
  return a.estimatedSeconds - b.estimatedSeconds || costUsd(a).cmp(costUsd(b));
}

function isAsCheap(offer: BridgeOffer, best: BridgeOffer): boolean {
  const allowed = new Decimal(toUsd(best.amountIn)).times(EQUAL_BPS).div(10_000);
  return costUsd(offer).minus(costUsd(best)).lte(allowed);
}

function explained(
  chosen: BridgeOffer,
  others: readonly BridgeOffer[],
  declined: readonly Declined[],
  preference: BridgePreference,
): string {
  const words = (offer: BridgeOffer): string =>
    `${offer.provider} costs ${plainDecimal(costUsd(offer))} USD in total and takes about ${offer.estimatedSeconds} s`;
  const why =
    others.length === 0
      ? 'it is the only offer'
      : preference === 'speed'
        ? 'it is the fastest offer'
        : others.some((other) => costUsd(other).lt(costUsd(chosen)))
          ? `it is faster and costs at most ${EQUAL_BPS} bps more than the cheapest offer`
          : 'it is the cheapest offer';
  const rest = others.map((other) => `; ${words(other)}`).join('');
  const without = declined.map(({ provider, reason }) => `; ${provider} has no offer: ${reason}`).join('');
  return `${words(chosen)}, and ${why}${rest}${without}`;
}
