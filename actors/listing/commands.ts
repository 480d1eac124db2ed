/** Commands of marketplace listings: the protocol between the API and the command handler. */
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { Listing } from '../../src/domain/marketplace/listing.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { CommandContext } from '../agent/commands.ts';

/** Listing to publish. It contains no claims about the strategy, which come from the record. */
export interface ListingWish {
  readonly agentId: string;
  readonly manifestVersion: number;
  readonly priceUsd: DecimalString;
  /** Base58; a wallet that was proved to the organization. */
  readonly payoutWallet: string;
  readonly categories: readonly string[];
}

/** Every command answers after its transaction is committed. A foreign agent or listing answers exactly as a missing one: `not_found`. */
export interface ListingCommands {
  publish(context: CommandContext, wish: ListingWish): Promise<Outcome<Listing>>;
  /** Sets another price. Checkouts that are under way keep theirs. */
  reprice(context: CommandContext, id: string, priceUsd: DecimalString): Promise<Outcome<Listing>>;
  /** Ends the listing: nothing more is sold. Checkouts that are under way and licences stay. */
  unlist(context: CommandContext, id: string): Promise<Outcome<Listing>>;
}
