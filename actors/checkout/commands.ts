/** Commands of checkouts: the protocol between the API and their actors. */
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { CommandContext } from '../agent/commands.ts';
import type { AgentView } from '../agent/resource.ts';
import type { CheckoutView } from './resource.ts';

/** Message for a checkout that does not exist. */
export const NO_CHECKOUT = 'there is no checkout with this id';

/** Every command answers after its transaction is committed. A foreign checkout answers exactly as a missing one: `not_found`. */
export interface CheckoutCommands {
  /** Prepares the payment of a licence; if the price is 0 the licence is issued at once. */
  begin(context: CommandContext, listingId: string, buyer: string | null): Promise<Outcome<CheckoutView>>;
  /** Takes the signed bytes of the payment. The same bytes again return its present state; other bytes after that are refused. */
  settle(context: CommandContext, id: string, signed: string): Promise<Outcome<CheckoutView>>;
  /** Makes a new draft agent of the listing's rules; refused as `licence_missing` without a licence. */
  importListing(context: CommandContext, listingId: string): Promise<Outcome<AgentView>>;
}
