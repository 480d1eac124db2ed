/** Commands of launches by the external launcher, and the launcher's own interface. */
import type { LauncherIntent, LauncherOffer, LauncherPairs, LauncherWord } from '../../src/domain/launch/launcher.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import type { CommandContext } from '../agent/commands.ts';
import type { LauncherLaunch } from './resource.ts';

/** The external launcher. Its silence and nonsense are refusals `unavailable` and `route_refused`. */
export interface LauncherClient {
  pairs(): Promise<Outcome<LauncherPairs>>;
  /** Registers an intent; mints nothing, and nothing is owed. */
  register(intent: LauncherIntent): Promise<Outcome<LauncherOffer>>;
  /** Tells it of the payment. The same signature is one launch however often it is told. @throws if it does not answer */
  complete(intent: LauncherIntent, offer: Pick<LauncherOffer, 'preflightToken'>, signature: string): Promise<LauncherWord>;
}

export interface LauncherWish extends LauncherIntent {
  /** The share that the pair's mint is. */
  readonly pairedStock: InstrumentKey;
  readonly quoteSymbol: string;
}

export interface QuotedLaunch {
  readonly launch: LauncherLaunch;
  /** The unsigned payment, base64. */
  readonly transaction: string;
  readonly lastValidBlockHeight: number;
  readonly expiresAt: EpochMs;
}

export interface LauncherLaunchCommands {
  /** Registers the intent with the launcher, and builds, simulates and stores the payment before it is answered. */
  quote(context: CommandContext, wish: LauncherWish): Promise<Outcome<QuotedLaunch>>;
  /**
   * Takes the signed payment. The same payment again answers where the launch stands by now; if it was paid and the
   * launcher declined, it is asked once more.
   */
  submit(context: CommandContext, id: string, signed: string): Promise<Outcome<LauncherLaunch>>;
}
