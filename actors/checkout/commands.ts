/** Commands of checkouts, as the API calls them. */
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { CommandContext } from '../agent/commands.ts';
import type { AgentView } from '../agent/resource.ts';
import type { CheckoutView } from './resource.ts';

/** Message for a checkout that does not exist. */
export const NO_CHECKOUT = 'there is no checkout with this id';

/** Commands of checkouts. Each answers after its transaction has committed. Checkouts of another organization are `not_found`. */
export interface CheckoutCommands {
  /** Prepares the payment of a licence. Issues the licence at once if the price is 0. */
  begin(context: CommandContext, listingId: string, buyer: string | null): Promise<Outcome<CheckoutView>>;
  /** Submits the signed payment. Repeating the same bytes returns its present state. Other bytes are refused. */
  settle(context: CommandContext, id: string, signed: string): Promise<Outcome<CheckoutView>>;
  /** Creates a draft agent from the listing's rules. Refuses with `licence_missing` without a licence. */
  importListing(context: CommandContext, listingId: string): Promise<Outcome<AgentView>>;
}
