/** Context and events of a bonding-curve launch. */
import type { DecimalString } from '../../src/domain/decimal.ts';
import type { CurveState } from '../../src/domain/launch/launch-state.ts';
import type { PresetKey } from '../../src/domain/launch/presets.ts';
import type { EpochMs } from '../../src/domain/time.ts';
import type { InstrumentKey } from '../../src/domain/venue.ts';

/** Plain JSON. */
export interface LaunchInput {
  readonly preset: PresetKey;
  readonly quoteMint: string;
  readonly quoteSymbol: string;
  readonly quoteProgram: string;
  readonly quoteDecimals: number;
  /** Paired stock; null if the launch is quoted in something else. */
  readonly pairedStock: InstrumentKey | null;
  readonly startingFdv: DecimalString;
  readonly totalSupply: DecimalString;
  readonly decimals: number;
  readonly name: string;
  readonly symbol: string;
  readonly uri: string;
  /** Base58. */
  readonly creator: string;
  readonly partner: string;
  readonly mint: string;
  readonly config: string;
  readonly pool: string;
  /** Raw quote units of the first buy; null without one. */
  readonly firstBuy: DecimalString | null;
  readonly agentId: string | null;
  readonly takeId: string | null;
  /** Prepared transactions in the order in which they must land. */
  readonly transactionIds: readonly string[];
  readonly preparedBy: string;
  readonly createdAt: EpochMs;
}

/** Plain JSON: it lies in the snapshot. */
export interface LaunchContext extends LaunchInput {
  /** The signed bytes of each transaction, base64; null until they were given. They never change. */
  readonly signed: readonly string[] | null;
  readonly signatures: readonly string[];
  readonly submittedBy: string | null;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly tradingSince: EpochMs | null;
  /** Curve at the last look; null before the first one. */
  readonly standing: CurveState | null;
  /** Number of looks since the curve last moved. */
  readonly quietLooks: number;
}

/** Result of following a launch's transactions. */
export type CarryAnswer =
  | { readonly outcome: 'waits' }
  /** Every transaction has a supermajority behind it. */
  | { readonly outcome: 'confirmed' }
  | { readonly outcome: 'finalized' }
  /** One of them will never land, or landed and failed. */
  | { readonly outcome: 'ended'; readonly how: 'expired' | 'failed'; readonly reason: string; readonly detail: string }
  | { readonly outcome: 'looked'; readonly standing: CurveState }
  /** The chain did not answer, or has no such pool yet. */
  | { readonly outcome: 'silent'; readonly detail: string };

export type LaunchEvent =
  | { readonly type: 'submit'; readonly signed: readonly string[]; readonly signatures: readonly string[]; readonly subject: string }
  | { readonly type: 'activity.done'; readonly key: string; readonly kind: string; readonly answer: CarryAnswer }
  | { readonly type: 'activity.given_up'; readonly key: string; readonly kind: string; readonly detail: string };
