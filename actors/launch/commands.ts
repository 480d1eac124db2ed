/** Commands of bonding-curve launches, as the API calls them. */
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { CurveWish } from '../../src/domain/launch/curve/config.ts';
import type { TokenNames } from '../../src/domain/launch/curve/program.ts';
import type { ClaimKind } from '../../src/domain/launch/launch-transactions.ts';
import type { QuoteToken } from '../../src/domain/launch/quote-tokens.ts';
import type { Claimer } from '../../src/domain/launch/withdrawals.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { CommandContext } from '../agent/commands.ts';
import type { PreparedTransactionView } from '../prepared-transaction/resource.ts';
import type { Launch } from './resource.ts';

export const NO_LAUNCH = 'there is no launch with this id';

export interface LaunchWish {
  readonly curve: CurveWish;
  readonly token: QuoteToken;
  readonly names: TokenNames;
  /** Base58. Signs, pays, and receives the creator's fees. */
  readonly creator: string;
  /** Whole quote tokens, or null for no first buy. */
  readonly firstBuy: DecimalString | null;
  readonly agentId: string | null;
  readonly takeId: string | null;
}

export interface PreparedLaunch {
  readonly launch: Launch;
  /** Base64, in the order of signing and submission. */
  readonly transactions: readonly string[];
  readonly lastValidBlockHeight: number;
  readonly expiresAt: EpochMs;
}

export interface LaunchCommands {
  /** Builds, co-signs, simulates and stores the transactions. */
  prepare(context: CommandContext, wish: LaunchWish): Promise<Outcome<PreparedLaunch>>;
  /** Submits the signed bytes of all transactions of a launch. Repeating the same bytes returns its present state. */
  submit(context: CommandContext, id: string, signed: readonly string[]): Promise<Outcome<Launch>>;
}

/** A claim of a launch's proceeds, and its payee. */
export interface ClaimWish {
  readonly kind: ClaimKind;
  readonly as: Claimer;
}

/** Claims of a launch's creator and partner. */
export interface LaunchClaims {
  /** Builds, simulates and stores the claim of the whole claimable amount of its kind. */
  prepare(context: CommandContext, launchId: string, wish: ClaimWish): Promise<Outcome<PreparedTransactionView>>;
  /** Submits the signed bytes of a claim. Repeating the same bytes returns its present state. */
  submit(context: CommandContext, claimId: string, signed: string): Promise<Outcome<PreparedTransactionView>>;
  /** Returns null if the organization has no such claim. */
  find(orgId: string, claimId: string): Promise<PreparedTransactionView | null>;
}
