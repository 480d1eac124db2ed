/** Rules of launches for the machine of prepared transactions: the chain has to accept them. The launch itself reads their result. */
import type { PurposeRules } from '../prepared-transaction/purpose.ts';

export const launchRules: PurposeRules = {
  // Nothing is received that could be short: what the first buy gives is bounded in the message itself.
  objection: () => null,
  settle: () => [],
};
