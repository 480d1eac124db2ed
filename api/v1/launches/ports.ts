/** Ports of the launch routes. */
import type { LaunchClaims, LaunchCommands } from '../../../actors/launch/commands.ts';
import type { Launch } from '../../../actors/launch/resource.ts';
import type { LauncherLaunch } from '../../../actors/launcher-launch/resource.ts';
import type { LauncherLaunchCommands } from '../../../actors/launcher-launch/commands.ts';
import type { PreparedTransactionView } from '../../../actors/prepared-transaction/resource.ts';
import type { Fill } from '../../../src/domain/books/book.ts';
import type { DecimalString } from '../../../src/domain/values/decimal.ts';
import type { CurveState } from '../../../src/domain/launch/launch-state.ts';
import type { QuoteToken } from '../../../src/domain/launch/quote-tokens.ts';
import type { EpochMs } from '../../../src/domain/values/time.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import type { Page, PageOf } from '../../page.ts';

/** Dollar value of one whole quote token, and its source. */
export interface QuoteDollars {
  readonly perToken: DecimalString;
  /** Null if the token is a dollar. */
  readonly instrument: InstrumentKey | null;
  readonly observedAt: EpochMs;
}

/** Quote tokens of curves. */
export interface LaunchQuotes {
  /** Null if no curve is quoted in the mint. */
  token(mint: string): QuoteToken | null;
  /** Null if nothing live prices it now. */
  dollars(token: QuoteToken): QuoteDollars | null;
}

/** A swap of the organization's own: a quantity in whole tokens, at US dollars for each. */
export type OwnFill = Pick<Fill, 'at' | 'side' | 'quantity' | 'fillPrice' | 'orderId'>;

/** A transaction of a launch, or the payment to the external launcher. */
export type LaunchTransaction = Pick<PreparedTransactionView, 'id' | 'wallet' | 'state' | 'unsigned' | 'message' | 'signature'>;

/** Reads of launches, newest first; a foreign one answers null, exactly as a missing one. */
export interface LaunchReads {
  list(orgId: string, page: Page): Promise<PageOf<Launch | LauncherLaunch>>;
  find(orgId: string, id: string): Promise<Launch | LauncherLaunch | null>;
  /** Transactions for the wallet to sign, in the order in which they land. Empty if the organization has no such launch. */
  transactions(orgId: string, id: string): Promise<readonly LaunchTransaction[]>;
  /** The newest looks at the curve that found another price or progress than the one before, ascending. */
  curveStates(orgId: string, id: string, most: number): Promise<readonly CurveState[]>;
  /** The organization's swaps of a mint, ascending. */
  fills(orgId: string, mint: string): Promise<readonly OwnFill[]>;
}

export interface LaunchPorts {
  readonly reads: LaunchReads;
  readonly commands: LaunchCommands;
  /** Launches by the external launcher. */
  readonly launcher: LauncherLaunchCommands;
  readonly claims: LaunchClaims;
  readonly monitor: {
    /** State on the chain now; null if no node is named, or it has no such pool yet. @throws if the node does not answer */
    curveState(orgId: string, launch: Pick<Launch, 'pool' | 'config'>): Promise<CurveState | null>;
    /** Price of a whole token of the quote now; null if nothing live prices it. */
    dollars(orgId: string, mint: string): Promise<QuoteDollars | null>;
  };
}
