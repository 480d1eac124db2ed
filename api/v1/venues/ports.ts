/** Ports of the venue routes: market states and request budgets of this process. */
import type { BudgetState, MarketState } from '../../../src/domain/market/market-state.ts';

/** Newest venue states besides quotes, in memory, by `marketStateKey`. */
export interface MarketStateReads {
  snapshot(): readonly MarketState[];
  latest(key: string): MarketState | null;
}

export interface VenuePorts {
  readonly states: MarketStateReads;
  /** Remaining requests of this process, by provider. */
  budgets(): readonly BudgetState[];
}
