/** What checkouts add to the machine of prepared transactions: the creator would get the whole price. The licence is the checkout's own to issue. */
import { type Payment, paymentObjection } from '../../src/domain/marketplace/checkout.ts';
import type { PurposeRules } from '../prepared-transaction/purpose.ts';

export const checkoutRules: PurposeRules = {
  objection: ({ subject }, { changes }) => paymentObjection(changes, subject['payment'] as unknown as Payment),
  settle: () => [],
};
