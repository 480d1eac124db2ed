/** Rules of launches for prepared transactions: the chain must accept them. The launch itself reads their result. */
import type { PurposeRules } from '../prepared-transaction/purpose.ts';

export const launchRules: PurposeRules = {
  // Only the transaction with the first buy has an amount.
  dollarsPaid: ({ subject }) => (typeof subject['dollarsPaid'] === 'string' ? subject['dollarsPaid'] : '0'),
  // No received amount can be short: the message itself fixes the output of the first buy.
  objection: () => null,
  settle: () => [],
};

/** Rules of claims: the program decides its payout, no received amount can be short, and nothing is paid. */
export const launchClaimRules: PurposeRules = { ...launchRules, dollarsPaid: () => '0' };
