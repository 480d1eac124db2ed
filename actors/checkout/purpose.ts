/** Rules of checkout payments for prepared transactions: the creator must get the whole price. The checkout issues the licence. */
import { plainDecimal } from '../../src/domain/values/decimal.ts';
import { type Payment, paymentObjection } from '../../src/domain/marketplace/checkout.ts';
import { USDC_LEG, uiOf } from '../../src/domain/solana/swap.ts';
import type { PurposeRules } from '../prepared-transaction/purpose.ts';

export const checkoutRules: PurposeRules = {
  dollarsPaid: ({ subject }) => plainDecimal(uiOf((subject['payment'] as unknown as Payment).amount, USDC_LEG)),
  objection: ({ subject }, { changes }) => paymentObjection(changes, subject['payment'] as unknown as Payment),
  settle: () => [],
};
