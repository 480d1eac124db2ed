/** Capital that an organization may allocate to all of its live Takes, and the free dollars for another one. */
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { RiskRejection } from '../agents/decision.ts';
import { type AccountFacts, freeDollars } from '../books/free-dollars.ts';
import { DOLLARS_ASSET, type DollarVenue, dollarsAtVenue, walletPlace } from '../books/reserves.ts';
import type { EpochMs } from '../values/time.ts';

/**
 * Thrown by a store inside the transaction of a live arming if other live Takes already use the mandate's capital. The step writes nothing.
 * An exception, because it must undo the transaction in which it is detected.
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

/**
 * Place that pays: an account at a venue, and on the primary chain a wallet. The wallet is null at the exchange, and for a Take without
 * one.
 */
export interface PayingPlace {
  readonly venue: DollarVenue;
  readonly wallet: string | null;
}

/** Dollars of a place that a live Take or a person's request has bound. US dollars. */
export interface BoundAtVenue extends PayingPlace {
  /** Take, order, transaction or transfer. Null for what people spent at the exchange since the comparison. */
  readonly holder: string | null;
  /** Dollars that a Take may still spend. */
  readonly cashUsd: DecimalString;
  /** Spent since the reserve check, which still counted it, or about to be. */
  readonly spentUsd: DecimalString;
  /** True if live books include the spending. False for a person's request. */
  readonly isBooked: boolean;
}

/** Claims on the dollars of an organization's accounts. US dollars. */
export interface BoundDollars {
  /** Accounts and live books, including the cash of idle Takes. */
  readonly facts: AccountFacts;
  /** Deposits into vaults since the reserve check. */
  readonly vaultsPaidInUsd: DecimalString;
  readonly bound: readonly BoundAtVenue[];
}

/** Free dollars of a place, or why they are unknown. */
export type DollarsForTake = { readonly freeUsd: DecimalString; readonly heldUsd: DecimalString } | { readonly unknown: string };

/** Returns the dollars of a place that nothing else has bound: no vault, no other armed Take, no person's request. */
export function dollarsForTake(
  { facts, vaultsPaidInUsd, bound }: BoundDollars,
  { venue, wallet }: PayingPlace,
  now: EpochMs,
): DollarsForTake {
  const free = freeDollars(facts, now);
  const { check } = facts;
  if (check?.dollars == null) return { unknown: 'the balances of the exchange account and the wallets have not been checked yet' };
  if (free.at === null) return { unknown: free.why };
  const sum = (of: (one: BoundAtVenue) => Decimal | DecimalString): Decimal =>
    bound.reduce((total, one) => total.plus(of(one)), new Decimal(0));
  const whole = (one: BoundAtVenue): Decimal => new Decimal(one.cashUsd).plus(one.spentUsd);
  // Free dollars exclude the cash of every live Take. That of Takes that no longer buy binds nothing.
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
    if (place === undefined) return { unknown: `the balance of wallet ${wallet} has not been checked yet` };
    frees.push(new Decimal(place.usd).minus(sum((one) => (one.wallet === wallet ? whole(one) : '0'))));
  }
  return { freeUsd: plainDecimal(Decimal.max(0, Decimal.min(...frees))), heldUsd: plainDecimal(held) };
}

/** Dollars that a person's request spends. US dollars. */
export interface Spending extends PayingPlace {
  /** Id of the order, transaction or transfer. */
  readonly id: string;
  readonly usd: DecimalString;
}

/**
 * Refuses a person's request that would spend dollars bound by vaults or armed Takes, or returns null. The venue decides about an account
 * that is unknown or that only the organization would overdraw. A wallet that is not compared backs nothing.
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
    suggestion: `${found.freeUsd} of ${found.heldUsd} US dollars are free at this venue: disarm a live Take, withdraw from a vault, or spend less`,
    change: null,
  };
}

/**
 * Thrown inside the transaction that would write a person's request if its dollars are bound elsewhere. The step writes nothing. Armings,
 * deposits and requests are serialized, because each locks the organization's control row.
 */
export class DollarsBound extends Error {
  readonly rejection: RiskRejection;

  constructor(rejection: RiskRejection) {
    super(rejection.suggestion ?? rejection.code);
    this.rejection = rejection;
  }
}

/** Thrown inside the transaction of a live arming if free dollars do not cover the Take. The step writes nothing. */
export class LiveDollarsLacking extends Error {
  readonly dollars: DollarsForTake;
  readonly neededUsd: DecimalString;

  constructor(dollars: DollarsForTake, neededUsd: DecimalString) {
    super('unknown' in dollars ? dollars.unknown : `${dollars.freeUsd} US dollars are free, and the Take needs ${neededUsd}`);
    this.dollars = dollars;
    this.neededUsd = neededUsd;
  }
}
