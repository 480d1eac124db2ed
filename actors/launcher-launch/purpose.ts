/** What payments to the external launcher add to the machine of prepared transactions: exactly what was agreed arrives. */
import type { PurposeRules } from '../prepared-transaction/purpose.ts';

export const launcherPaymentRules: PurposeRules = {
  objection({ subject }, { changes }) {
    const [payTo, lamports] = [subject['payTo'] as string, BigInt(subject['lamports'] as string)];
    const paid = changes.lamports.find(({ account }) => account === payTo);
    const arrives = paid === undefined ? 0n : BigInt(paid.after) - BigInt(paid.before);
    return arrives === lamports ? null : `${arrives} lamports would arrive at ${payTo}, and ${lamports} were agreed`;
  },
  settle: () => [],
};
