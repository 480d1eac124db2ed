/** What the routes of venues ask: market states and request budgets of this process. */
import type { BudgetState, MarketState } from '../../../src/domain/market-state.ts';

/** What the venues say beside quotes, the newest of each, in memory. Keys are those of `marketStateKey`. */
export interface MarketStateReads {
  snapshot(): readonly MarketState[];
  latest(key: string): MarketState | null;
}

export interface VenuePorts {
  readonly states: MarketStateReads;
  /** What this process may still ask of each provider. */
  budgets(): readonly BudgetState[];
}
