/**
 * Rules of checkouts for the machine of prepared transactions: the creator has to get the whole price. The checkout itself issues the
 * licence.
 */
import { type Payment, paymentObjection } from '../../src/domain/marketplace/checkout.ts';
import type { PurposeRules } from '../prepared-transaction/purpose.ts';

export const checkoutRules: PurposeRules = {
  objection: ({ subject }, { changes }) => paymentObjection(changes, subject['payment'] as unknown as Payment),
  settle: () => [],
};
