// Costs of the sales of a history, by the ledger itself.
import { EMPTY_LEDGER, type FifoLedger, ledgerAfter, type WalletEvent } from '../../../src/domain/leaderboard/fifo-ledger.ts';

export function salesOf(events: readonly WalletEvent[]): readonly (bigint | null)[] {
  const costs: (bigint | null)[] = [];
  let ledger: FifoLedger = EMPTY_LEDGER;
  for (const event of events) {
    const step = ledgerAfter(ledger, event);
    ({ ledger } = step);
    if (step.sale !== null) costs.push(step.sale.cost === null ? null : BigInt(step.sale.cost));
  }
  return costs;
}
