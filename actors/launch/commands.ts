/** Commands of bonding-curve launches: the protocol between the API and their actors. */
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

/** Parameters of a launch. */
export interface LaunchWish {
  readonly curve: CurveWish;
  readonly token: QuoteToken;
  readonly names: TokenNames;
  /** Base58: who signs and pays, and whose fees the creator's are. */
  readonly creator: string;
  /** Whole quote tokens; null for no first buy. */
  readonly firstBuy: DecimalString | null;
  readonly agentId: string | null;
  readonly takeId: string | null;
}

export interface PreparedLaunch {
  readonly launch: Launch;
  /** Base64, in the order in which they are to be signed and handed in. */
  readonly transactions: readonly string[];
  readonly lastValidBlockHeight: number;
  readonly expiresAt: EpochMs;
}

export interface LaunchCommands {
  /** Builds, co-signs and simulates the transactions, and stores them before they are answered. */
  prepare(context: CommandContext, wish: LaunchWish): Promise<Outcome<PreparedLaunch>>;
  /** Takes the signed bytes of all transactions of a launch. The same bytes again return its present state. */
  submit(context: CommandContext, id: string, signed: readonly string[]): Promise<Outcome<Launch>>;
}

/** Claim of a launch's proceeds, and the payee. */
export interface ClaimWish {
  readonly kind: ClaimKind;
  readonly as: Claimer;
}

/** Claims of what waits for a launch's creator and partner. */
export interface LaunchClaims {
  /** Builds, simulates and stores the claim of everything of its kind that waits. */
  prepare(context: CommandContext, launchId: string, wish: ClaimWish): Promise<Outcome<PreparedTransactionView>>;
  /** Takes the signed bytes of a claim. The same bytes again return its present state. */
  submit(context: CommandContext, claimId: string, signed: string): Promise<Outcome<PreparedTransactionView>>;
  /** A foreign one answers null, exactly as a missing one. */
  find(orgId: string, claimId: string): Promise<PreparedTransactionView | null>;
}
