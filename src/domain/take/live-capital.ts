/** The capital that an organization may allocate to live Takes, all of them together, and the dollars that are free for one more. */
import { Decimal, type DecimalString, plainDecimal } from '../decimal.ts';
import type { OpenProposal } from '../book.ts';
import type { RiskRejection } from '../decision.ts';
import { type AccountFacts, freeDollars } from '../free-dollars.ts';
import { DOLLARS_ASSET, type DollarVenue, dollarsAtVenue, dollarVenueOf } from '../reserves.ts';
import type { EpochMs } from '../time.ts';

/**
 * Thrown by a store inside the transaction of a live arming where the mandate's capital is allocated to other live Takes
 * already: nothing of the step is written. An exception, because it has to undo the transaction that it is found out in.
 */
export class LiveCapitalUsed extends Error {
  /** Allocation of the other live Takes, in US dollars. */
  readonly committedUsd: DecimalString;
  readonly allocationUsd: DecimalString;
  readonly maxCapitalUsd: DecimalString;

  constructor(committedUsd: DecimalString, allocationUsd: DecimalString, maxCapitalUsd: DecimalString) {
    super(`live Takes are allocated ${committedUsd} of ${maxCapitalUsd} USD`);
    this.committedUsd = committedUsd;
    this.allocationUsd = allocationUsd;
    this.maxCapitalUsd = maxCapitalUsd;
  }
}

/** Dollars of a venue that a live Take, or people, have bound. US dollars. */
export interface BoundAtVenue {
  readonly venue: DollarVenue;
  /** Dollars that a Take may still buy for. */
  readonly cashUsd: DecimalString;
  /** Spent since the comparison of accounts, which still found it there. */
  readonly spentUsd: DecimalString;
}

/** Claims on the dollars of an organization's accounts when a live Take is armed. US dollars. */
export interface BoundDollars {
  /** Accounts and live books, cash of idle Takes included. */
  readonly facts: AccountFacts;
  /** Paid into vaults since the comparison of accounts. */
  readonly vaultsPaidInUsd: DecimalString;
  readonly bound: readonly BoundAtVenue[];
  /** Orders of people that may still be filled. */
  readonly waiting: readonly OpenProposal[];
}

/** Free dollars of a venue, or why nobody knows them. */
export type DollarsForTake = { readonly freeUsd: DecimalString; readonly heldUsd: DecimalString } | { readonly unknown: string };

/** Dollars where a Take trades that nothing else has bound: no vault, no other armed Take, no open order of a person. */
export function dollarsForTake({ facts, vaultsPaidInUsd, bound, waiting }: BoundDollars, venue: DollarVenue, now: EpochMs): DollarsForTake {
  const free = freeDollars(facts, now);
  const { check } = facts;
  if (check?.dollars == null) return { unknown: 'what the account at the exchange and the wallets hold was not compared yet' };
  if (free.at === null) return { unknown: free.why };
  const cashUsd = bound.reduce((sum, { cashUsd: left }) => sum.plus(left), new Decimal(0));
  const boundThere = bound.reduce((sum, one) => (one.venue === venue ? sum.plus(one.cashUsd).plus(one.spentUsd) : sum), new Decimal(0));
  const waitingUsd = (at: DollarVenue | null): Decimal =>
    waiting.reduce(
      (sum, { instrument, side, notionalUsd }) =>
        side === 'buy' && (at === null || dollarVenueOf(instrument) === at) ? sum.plus(notionalUsd) : sum,
      new Decimal(0),
    );
  // Free dollars leave out the cash of every live Take. That of Takes which buy nothing any more binds nothing.
  const takesCash = Object.values(facts.takesCash).reduce((sum, usd) => sum.plus(usd), new Decimal(0));
  const total = takesCash.plus(free.usd).minus(cashUsd).minus(waitingUsd(null));
  const { held, claimed } = dollarsAtVenue(check.lines, check.dollars.places, venue);
  const there = held.minus(claimed).minus(Decimal.max(0, vaultsPaidInUsd)).minus(boundThere).minus(waitingUsd(venue));
  return { freeUsd: plainDecimal(Decimal.max(0, Decimal.min(total, there))), heldUsd: plainDecimal(held) };
}

/**
 * Refuses a purchase of a person for which it would take dollars that vaults or armed Takes have bound. Null if it takes none. An
 * account that nobody knows, or that the organization alone would overdraw, is left to the venue.
 * @param neededUsd what it costs, with everything of people that waits at the venue.
 */
export function boundDollarsObjection(
  dollars: Omit<BoundDollars, 'waiting'>,
  venue: DollarVenue,
  neededUsd: DecimalString,
  now: EpochMs,
): RiskRejection | null {
  const { facts, vaultsPaidInUsd, bound } = dollars;
  const vaultsUsd = facts.check?.lines.find(({ asset }) => asset === DOLLARS_ASSET)?.claimed ?? '0';
  const takesUsd = bound.reduce((sum, one) => (one.venue === venue ? sum.plus(one.cashUsd) : sum), new Decimal(0));
  if (Decimal.max(vaultsUsd, vaultsPaidInUsd, takesUsd).lte(0)) return null;
  const found = dollarsForTake({ ...dollars, waiting: [] }, venue, now);
  if ('unknown' in found || new Decimal(neededUsd).lte(found.freeUsd)) return null;
  return {
    code: 'insufficient_balance',
    limit: found.freeUsd,
    before: null,
    after: neededUsd,
    suggestion: `of ${found.heldUsd} US dollars there ${found.freeUsd} are free: disarm a live Take, withdraw from a vault, or order less`,
    change: null,
  };
}

/** Thrown inside the transaction of a live arming if no free dollars pay for the Take: nothing of the step is written. */
export class LiveDollarsLacking extends Error {
  readonly dollars: DollarsForTake;
  readonly neededUsd: DecimalString;

  constructor(dollars: DollarsForTake, neededUsd: DecimalString) {
    super('unknown' in dollars ? dollars.unknown : `${dollars.freeUsd} US dollars are free, and the Take needs ${neededUsd}`);
    this.dollars = dollars;
    this.neededUsd = neededUsd;
  }
}
