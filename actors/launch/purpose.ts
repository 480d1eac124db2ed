/** What launches add to the machine of prepared transactions: the chain would carry them out, and what they come to is the launch's own to find. */
import type { PurposeRules } from '../prepared-transaction/purpose.ts';

export const launchRules: PurposeRules = {
  // Nothing is received that could be short: what the first buy gives is bounded in the message itself.
  objection: () => null,
  settle: () => [],
};
