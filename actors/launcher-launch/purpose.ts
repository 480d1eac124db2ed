/** Rules of payments to the external launcher for prepared transactions: exactly the agreed amount must arrive. */
import type { PurposeRules } from '../prepared-transaction/purpose.ts';

export const launcherPaymentRules: PurposeRules = {
  // The launcher is paid in the chain's native coin.
  dollarsPaid: () => '0',
  objection({ subject }, { changes }) {
    const [payTo, lamports] = [subject['payTo'] as string, BigInt(subject['lamports'] as string)];
    const paid = changes.lamports.find(({ account }) => account === payTo);
    const arrives = paid === undefined ? 0n : BigInt(paid.after) - BigInt(paid.before);
    return arrives === lamports ? null : `${arrives} lamports would arrive at ${payTo}, and ${lamports} were agreed`;
  },
  settle: () => [],
};
