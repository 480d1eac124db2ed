/** Commands of checkouts: the protocol between the API and their actors. */
import type { DecimalString } from '../../src/domain/decimal.ts';
import type { CheckoutState } from '../../src/domain/marketplace/checkout.ts';
import type { Outcome } from '../../src/domain/refusal.ts';
import type { EpochMs } from '../../src/domain/time.ts';
import type { AgentView, CommandContext } from '../agent/commands.ts';

/** Message for a checkout that does not exist. */
export const NO_CHECKOUT = 'there is no checkout with this id';

/** A checkout as the outside sees it. */
export interface CheckoutView {
  readonly id: string;
  readonly listingId: string;
  readonly state: CheckoutState;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly priceUsd: DecimalString;
  readonly manifestHash: string;
  /** Base58; null, as the three below it, where the price is 0. */
  readonly buyer: string | null;
  readonly payoutWallet: string | null;
  readonly memo: string | null;
  /** The unsigned payment, base64. */
  readonly transaction: string | null;
  readonly lastValidBlockHeight: number | null;
  readonly signature: string | null;
  /** The licence; null before the checkout is `licensed`. */
  readonly licenceId: string | null;
  readonly requestedBy: string;
  readonly submittedBy: string | null;
  readonly createdAt: EpochMs;
  readonly changedAt: EpochMs;
}

/** The right of an organization to one listing's rules. */
export interface Licence {
  readonly id: string;
  readonly listingId: string;
  readonly checkoutId: string;
  readonly manifestHash: string;
  readonly priceUsd: DecimalString;
  readonly signature: string | null;
  readonly issuedTo: string;
  readonly issuedAt: EpochMs;
  /** Agents that were imported under it. */
  readonly agentIds: readonly string[];
}

/** Every command answers after its transaction is committed. A foreign checkout answers exactly as a missing one: `not_found`. */
export interface CheckoutCommands {
  /** Prepares the payment of a licence; where the price is 0 the licence is issued at once. */
  begin(context: CommandContext, listingId: string, buyer: string | null): Promise<Outcome<CheckoutView>>;
  /** Takes the signed bytes of the payment. The same bytes again answer where it stands; other bytes after that are refused. */
  settle(context: CommandContext, id: string, signed: string): Promise<Outcome<CheckoutView>>;
  /** Makes a new draft agent of the listing's rules; refused as `licence_missing` without a licence. */
  importListing(context: CommandContext, listingId: string): Promise<Outcome<AgentView>>;
}
