/** Compares a checkout with the listing that a buyer sees. */
import type { Checkout, ListingDetail } from '../api.ts';
import { compare } from '../kit/decimal.ts';

type Terms = Pick<ListingDetail, 'priceUsd' | 'payoutWallet'>;

/** Returns why the checkout must not be paid, or null if it asks for what is shown. The creator may have changed the price meanwhile. */
export function objectionToCheckout(shown: Terms, { priceUsd, payoutWallet }: Pick<Checkout, 'priceUsd' | 'payoutWallet'>): string | null {
  if (compare(shown.priceUsd, priceUsd) === 0 && shown.payoutWallet === payoutWallet) return null;
  return `The checkout is for ${priceUsd} USDC to ${payoutWallet ?? 'nobody'}, which differs from what was shown. Nothing was signed.`;
}
