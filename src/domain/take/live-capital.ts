/** The capital that an organization may allocate to live Takes, all of them together, and the dollars that are free for one more. */
import { Decimal, type DecimalString, plainDecimal } from '../decimal.ts';
import type { OpenProposal } from '../book.ts';
import { type AccountFacts, freeDollars } from '../free-dollars.ts';
import { type DollarVenue, dollarsAtVenue, dollarVenueOf } from '../reserves.ts';
import type { EpochMs } from '../time.ts';

/**
 * Thrown by a store inside the transaction of a live arming where the mandate's capital is allocated to other live Takes
 * already: nothing of the step is written. An exception, because it has to undo the transaction that it is found out in.
 */
export class LiveCapitalUsed extends Error {
  /** What the other live Takes are allocated, in US dollars. */
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

/** Claims on the dollars of an organization's accounts when a live Take is armed. US dollars. */
export interface BoundDollars {
  /** Accounts and live books, cash of idle Takes included. */
  readonly facts: AccountFacts;
  /** Paid into vaults since the comparison of accounts. */
  readonly vaultsPaidInUsd: DecimalString;
  /** Cash of the other live Takes that may buy. */
  readonly armed: readonly { readonly venue: DollarVenue; readonly cashUsd: DecimalString }[];
  /** Orders of people that may still be filled. */
  readonly waiting: readonly OpenProposal[];
}

/** Free dollars of a venue, or why nobody knows them. */
export type DollarsForTake = { readonly freeUsd: DecimalString; readonly heldUsd: DecimalString } | { readonly unknown: string };

/** Dollars where a Take trades that nothing else has bound: no vault, no other armed Take, no open order of a person. */
export function dollarsForTake({ facts, vaultsPaidInUsd, armed, waiting }: BoundDollars, venue: DollarVenue, now: EpochMs): DollarsForTake {
  const free = freeDollars(facts, now);
  const { check } = facts;
  if (check?.dollars == null) return { unknown: 'what the account at the exchange and the wallets hold was not compared yet' };
  if (free.at === null) return { unknown: free.why };
  const armedUsd = (at: DollarVenue | null): Decimal =>
    armed.reduce((sum, { venue: own, cashUsd }) => (at === null || own === at ? sum.plus(cashUsd) : sum), new Decimal(0));
  const waitingUsd = (at: DollarVenue | null): Decimal =>
    waiting.reduce(
      (sum, { instrument, side, notionalUsd }) =>
        side === 'buy' && (at === null || dollarVenueOf(instrument) === at) ? sum.plus(notionalUsd) : sum,
      new Decimal(0),
    );
  // Free dollars leave out the cash of every live Take. That of Takes which buy nothing any more binds nothing.
  const takesCash = Object.values(facts.takesCash).reduce((sum, usd) => sum.plus(usd), new Decimal(0));
  const total = takesCash.plus(free.usd).minus(armedUsd(null)).minus(waitingUsd(null));
  const { held, claimed } = dollarsAtVenue(check.lines, check.dollars.places, venue);
  const there = held.minus(claimed).minus(Decimal.max(0, vaultsPaidInUsd)).minus(armedUsd(venue)).minus(waitingUsd(venue));
  return { freeUsd: plainDecimal(Decimal.max(0, Decimal.min(total, there))), heldUsd: plainDecimal(held) };
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
