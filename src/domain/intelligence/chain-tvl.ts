/** Value locked on chains. */
import type { DecimalString } from '../values/decimal.ts';
import type { EpochMs } from '../values/time.ts';

/** Value locked on one chain. The provider gives no time, so its age counts from its reception. */
export interface ChainTvl {
  readonly chain: string;
  /** Number of the chain as text, if it has one. */
  readonly chainId: string | null;
  readonly tokenSymbol: string | null;
  readonly tvlUsd: DecimalString;
  readonly receivedAt: EpochMs;
}

/** Value locked on a chain on one day. The last day of a history is incomplete. */
export interface ChainTvlDay {
  /** Null for all chains together. */
  readonly chain: string | null;
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly tvlUsd: DecimalString;
}
