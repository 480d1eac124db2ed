/** Commands of an agent's vault, as the API calls them. */
import type { Stage } from '../../src/domain/agents/agent.ts';
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';

export interface VaultHolder {
  readonly depositor: string;
  readonly shares: DecimalString;
  readonly paidInUsd: DecimalString;
  readonly paidOutUsd: DecimalString;
  /** Value at the present share price, or null if the vault cannot be priced. */
  readonly valueUsd: DecimalString | null;
}

/**
 * A vault: live capital, separate from every other book. Fields that depend on prices are null while a position has no live quote
 * (`unpriced`), because an old price is not a value.
 */
export interface VaultView {
  readonly agentId: string;
  readonly stage: Stage;
  /** Maximum allocation at the agent's stage. */
  readonly ceilingUsd: DecimalString;
  /** Deposits, less the cost of withdrawn shares. */
  readonly allocatedUsd: DecimalString;
  readonly cashUsd: DecimalString;
  readonly exposureUsd: DecimalString | null;
  readonly equityUsd: DecimalString | null;
  readonly realizedPnlUsd: DecimalString;
  readonly unrealizedPnlUsd: DecimalString | null;
  readonly feesUsd: DecimalString;
  readonly totalShares: DecimalString;
  readonly sharePriceUsd: DecimalString | null;
  readonly highWaterMarkUsd: DecimalString;
  readonly highWaterAt: EpochMs | null;
  /** Fall of the share price from its high-water mark, in percent. */
  readonly drawdownPct: number | null;
  readonly roundingUsd: DecimalString;
  readonly unpriced: readonly InstrumentKey[];
  /** Dust without a live quote. Not part of any value. */
  readonly leftOut: readonly InstrumentKey[];
  readonly pricedAt: EpochMs;
  readonly depositors: readonly VaultHolder[];
}

/** A deposit or withdrawal that was made. */
export interface VaultChange {
  /** Number of the change in its vault, from 1. */
  readonly change: number;
  readonly kind: 'deposit' | 'withdrawal';
  readonly depositor: string;
  readonly amountUsd: DecimalString;
  readonly shares: DecimalString;
  readonly sharePriceUsd: DecimalString;
  readonly stage: Stage;
  readonly at: EpochMs;
}

/** Amount of a withdrawal: dollars, shares, or everything the caller owns. */
export type Withdrawal = { readonly amountUsd: DecimalString } | { readonly shares: DecimalString } | { readonly all: true };
