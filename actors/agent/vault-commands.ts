/** Commands of an agent's vault: the protocol between the API and the vault command handler. */
import type { Stage } from '../../src/domain/agents/agent.ts';
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import type { CommandContext } from './commands.ts';

/** Share of one depositor in a vault. */
export interface VaultHolder {
  readonly depositor: string;
  readonly shares: DecimalString;
  readonly paidInUsd: DecimalString;
  readonly paidOutUsd: DecimalString;
  /** Shares at the present price; null if the vault cannot be priced. */
  readonly valueUsd: DecimalString | null;
}

/**
 * A vault as the outside sees it: live capital only, apart from every other book. What depends on prices is null while
 * a position has no live quote (`unpriced`): an old price is not a value.
 */
export interface VaultView {
  readonly agentId: string;
  readonly stage: Stage;
  /** The most that may be allocated at this stage. */
  readonly ceilingUsd: DecimalString;
  /** Paid in, less the cost of the shares that were taken back. */
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
  /** Dust without a live quote, which is in no value. */
  readonly leftOut: readonly InstrumentKey[];
  readonly pricedAt: EpochMs;
  readonly depositors: readonly VaultHolder[];
}

/** A deposit or a withdrawal that was carried out. */
export interface VaultChange {
  /** Counts the vault's changes from 1. */
  readonly change: number;
  readonly kind: 'deposit' | 'withdrawal';
  readonly depositor: string;
  readonly amountUsd: DecimalString;
  readonly shares: DecimalString;
  readonly sharePriceUsd: DecimalString;
  readonly stage: Stage;
  readonly at: EpochMs;
}

/** Amount of a withdrawal: dollars, shares, or everything that the caller owns. */
export type Withdrawal = { readonly amountUsd: DecimalString } | { readonly shares: DecimalString } | { readonly all: true };

/** Every command answers after its transaction is committed. A foreign agent answers exactly as a missing one: `not_found`. */
export interface VaultCommands {
  /** Null if the organization has no such agent. */
  read(orgId: string, agentId: string): Promise<VaultView | null>;
  deposit(context: CommandContext, agentId: string, amountUsd: DecimalString): Promise<Outcome<VaultChange>>;
  /** Takes out of what the caller owns; positions are not sold for it. */
  withdraw(context: CommandContext, agentId: string, wanted: Withdrawal): Promise<Outcome<VaultChange>>;
}
