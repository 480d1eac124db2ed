/** Commands of launches by the external launcher, and the launcher's own interface. */
import type { LauncherIntent, LauncherOffer, LauncherPairs, LauncherWord } from '../../src/domain/launch/launcher.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import type { CommandContext } from '../agent/commands.ts';
import type { LauncherLaunch } from './resource.ts';

/** Client of the external launcher. Refuses with `unavailable` if it is silent and with `route_refused` if its answer is invalid. */
export interface LauncherClient {
  pairs(): Promise<Outcome<LauncherPairs>>;
  /** Registers an intent. Mints nothing, and no payment is due yet. */
  register(intent: LauncherIntent): Promise<Outcome<LauncherOffer>>;
  /** Reports the payment. The same signature is one launch however often it is reported. @throws if the launcher does not answer. */
  complete(intent: LauncherIntent, offer: Pick<LauncherOffer, 'preflightToken'>, signature: string): Promise<LauncherWord>;
}

export interface LauncherWish extends LauncherIntent {
  /** Share whose mint the pair uses. */
  readonly pairedStock: InstrumentKey;
  readonly quoteSymbol: string;
}

export interface QuotedLaunch {
  readonly launch: LauncherLaunch;
  /** Unsigned payment in base64. */
  readonly transaction: string;
  readonly lastValidBlockHeight: number;
  readonly expiresAt: EpochMs;
}

export interface LauncherLaunchCommands {
  /** Registers the intent with the launcher, and builds, simulates and stores the payment. */
  quote(context: CommandContext, wish: LauncherWish): Promise<Outcome<QuotedLaunch>>;
  /**
   * Submits the signed payment. Repeating it returns the launch's present state. If it was paid and the launcher declined, the launcher is
   * asked again.
   */
  submit(context: CommandContext, id: string, signed: string): Promise<Outcome<LauncherLaunch>>;
}
