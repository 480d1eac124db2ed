/** The capital that an organization may allocate to live Takes, all of them together, and the dollars that are free for one more. */
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { RiskRejection } from '../agents/decision.ts';
import { type AccountFacts, freeDollars } from '../books/free-dollars.ts';
import { DOLLARS_ASSET, type DollarVenue, dollarsAtVenue, walletPlace } from '../books/reserves.ts';
import type { EpochMs } from '../values/time.ts';

/**
 * Thrown by a store inside the transaction of a live arming if the mandate's capital is allocated to other live Takes
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

/** Place that pays: an account at a venue and, on the primary chain, the wallet. Null of a Take that has none, and at the exchange. */
export interface PayingPlace {
  readonly venue: DollarVenue;
  readonly wallet: string | null;
}

/** Dollars of a place that a live Take, or something that a person asked for, has bound. US dollars. */
export interface BoundAtVenue extends PayingPlace {
  /** The Take, order, transaction or transfer; null of what people spent at the exchange since the comparison. */
  readonly holder: string | null;
  /** Dollars that a Take may still buy for. */
  readonly cashUsd: DecimalString;
  /** Spent since the comparison of accounts, which still found it there, or about to be. */
  readonly spentUsd: DecimalString;
  /** True if live books know what was spent; false of what a person has asked for. */
  readonly isBooked: boolean;
}

/** Claims on the dollars of an organization's accounts. US dollars. */
export interface BoundDollars {
  /** Accounts and live books, cash of idle Takes included. */
  readonly facts: AccountFacts;
  /** Paid into vaults since the comparison of accounts. */
  readonly vaultsPaidInUsd: DecimalString;
  readonly bound: readonly BoundAtVenue[];
}

/** Free dollars of a place, or why nobody knows them. */
export type DollarsForTake = { readonly freeUsd: DecimalString; readonly heldUsd: DecimalString } | { readonly unknown: string };

/** Dollars of a place that nothing else has bound: no vault, no other armed Take, nothing that a person has asked for. */
export function dollarsForTake(
  { facts, vaultsPaidInUsd, bound }: BoundDollars,
  { venue, wallet }: PayingPlace,
  now: EpochMs,
): DollarsForTake {
  const free = freeDollars(facts, now);
  const { check } = facts;
  if (check?.dollars == null) return { unknown: 'the holdings of the exchange account and the wallets were not compared yet' };
  if (free.at === null) return { unknown: free.why };
  const sum = (of: (one: BoundAtVenue) => Decimal | DecimalString): Decimal =>
    bound.reduce((total, one) => total.plus(of(one)), new Decimal(0));
  const whole = (one: BoundAtVenue): Decimal => new Decimal(one.cashUsd).plus(one.spentUsd);
  // Free dollars leave out the cash of every live Take. That of Takes which buy nothing any more binds nothing.
  const takesCash = Object.values(facts.takesCash).reduce((total, usd) => total.plus(usd), new Decimal(0));
  const asked = sum(({ isBooked, spentUsd }) => (isBooked ? '0' : spentUsd));
  const total = takesCash
    .plus(free.usd)
    .minus(sum(({ cashUsd }) => cashUsd))
    .minus(asked);
  const { held, claimed } = dollarsAtVenue(check.lines, check.dollars.places, venue);
  const there = held
    .minus(claimed)
    .minus(Decimal.max(0, vaultsPaidInUsd))
    .minus(sum((one) => (one.venue === venue ? whole(one) : '0')));
  const frees = [total, there];
  if (wallet !== null) {
    const place = check.dollars.places.find((one) => one.place === walletPlace(wallet));
    if (place === undefined) return { unknown: `what wallet ${wallet} holds was not compared yet` };
    frees.push(new Decimal(place.usd).minus(sum((one) => (one.wallet === wallet ? whole(one) : '0'))));
  }
  return { freeUsd: plainDecimal(Decimal.max(0, Decimal.min(...frees))), heldUsd: plainDecimal(held) };
}

/** Dollars that something takes which a person has asked for. US dollars. */
export interface Spending extends PayingPlace {
  /** Order, transaction or transfer. */
  readonly id: string;
  readonly usd: DecimalString;
}

/**
 * Refuses what a person asks for if it would take dollars that vaults or armed Takes have bound. Null if it takes none. An account that is unknown, or that the organization alone would overdraw, is left to the venue; a wallet that nobody compares backs nothing.
 */
export function boundDollarsObjection(dollars: BoundDollars, { id, usd, ...place }: Spending, now: EpochMs): RiskRejection | null {
  const { facts, vaultsPaidInUsd } = dollars;
  const bound = dollars.bound.filter(({ holder }) => holder !== id);
  const vaultsUsd = facts.check?.lines.find(({ asset }) => asset === DOLLARS_ASSET)?.claimed ?? '0';
  const takesUsd = bound.reduce((sum, one) => (one.venue === place.venue ? sum.plus(one.cashUsd) : sum), new Decimal(0));
  if (Decimal.max(vaultsUsd, vaultsPaidInUsd, takesUsd).lte(0)) return null;
  const found = dollarsForTake({ facts, vaultsPaidInUsd, bound }, place, now);
  if ('unknown' in found || new Decimal(usd).lte(found.freeUsd)) return null;
  return {
    code: 'insufficient_balance',
    limit: found.freeUsd,
    before: null,
    after: usd,
    suggestion: `of ${found.heldUsd} US dollars there ${found.freeUsd} are free: disarm a live Take, withdraw from a vault, or spend less`,
    change: null,
  };
}

/**
 * Thrown inside the transaction that would write what a person asked for, if it takes dollars that something else has bound: nothing
 * of the step is written. Armings, deposits and these see each other, for each holds the organization's control row.
 */
export class DollarsBound extends Error {
  readonly rejection: RiskRejection;

  constructor(rejection: RiskRejection) {
    super(rejection.suggestion ?? rejection.code);
    this.rejection = rejection;
  }
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
