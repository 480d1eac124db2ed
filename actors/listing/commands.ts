/** Commands of marketplace listings, as the API calls them. */
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { Listing } from '../../src/domain/marketplace/listing.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { CommandContext } from '../agent/commands.ts';

/** Listing to publish. It makes no claims about the strategy. Those come from the track record. */
export interface ListingWish {
  readonly agentId: string;
  readonly manifestVersion: number;
  readonly priceUsd: DecimalString;
  /** Base58. A wallet of the primary chain that the organization has proved. */
  readonly payoutWallet: string;
  readonly categories: readonly string[];
}

/** Commands of listings. Each answers after its transaction has committed. Agents and listings of another organization are `not_found`. */
export interface ListingCommands {
  publish(context: CommandContext, wish: ListingWish): Promise<Outcome<Listing>>;
  /** Changes the price. Open checkouts keep theirs. */
  reprice(context: CommandContext, id: string, priceUsd: DecimalString): Promise<Outcome<Listing>>;
  /** Ends the listing. Nothing more is sold. Open checkouts and licences stay. */
  unlist(context: CommandContext, id: string): Promise<Outcome<Listing>>;
}
