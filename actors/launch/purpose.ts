/** Rules of launches for the machine of prepared transactions: the chain has to accept them. The launch itself reads their result. */
import type { PurposeRules } from '../prepared-transaction/purpose.ts';

export const launchRules: PurposeRules = {
  // No received amount can be short: the message itself fixes the output of the first buy.
  objection: () => null,
  settle: () => [],
};
