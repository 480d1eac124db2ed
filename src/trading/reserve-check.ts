/** Compares the claims of vaults and books with the real holdings of account and wallets, per organization. */

import type { ContainedLoop } from '../../actors/runtime/containment.ts';
import { CATALOG } from '../domain/catalog/catalog.ts';
import { Decimal, type DecimalString, plainDecimal } from '../domain/values/decimal.ts';
import { accountOfPrimaryWallet, type PrimaryBalances } from '../domain/portfolio/account.ts';
import type { Outcome } from '../domain/values/refusal.ts';
import {
  claimedOutcomes,
  compareReserves,
  exchangePlace,
  lackingText,
  type ReserveCheck,
  type ReserveClaims,
  type ReservePlace,
  type ReserveVerdict,
  walletPlace,
} from '../domain/books/reserves.ts';
import type { EpochMs } from '../domain/values/time.ts';
import { errorText } from '../domain/values/value-text.ts';
import type { InstrumentKey } from '../domain/market/venue.ts';
import type { ReserveWallet, ReservePosition, ReserveStore } from '../adapters/store/vaults/reserve-store.ts';

/** Interval in milliseconds between reserve checks. */
export const RESERVES_MS = 120_000;

/** Places that may hold assets. */
export interface ReservePlaces {
  /** Null if no live order goes to the exchange, so that no assets are there. */
  readonly exchange: {
    readonly hasAccount: (orgId: string) => boolean;
    /** Reads the balances. @throws if the exchange does not answer. */
    readonly read: (orgId: string) => Promise<{
      readonly account: string;
      readonly balances: readonly { readonly asset: string; readonly free: DecimalString; readonly locked: DecimalString }[];
    }>;
  } | null;
  /** Null if no node of the primary chain is configured. */
  readonly balancesOf: ((owner: string) => Promise<Outcome<PrimaryBalances>>) | null;
  /**
   * Returns contracts by position account of a wallet at the prediction venue. Null if none is configured. @throws if the venue does not
   * answer.
   */
  readonly positionsOf: ((owner: string) => Promise<ReadonlyMap<string, DecimalString>>) | null;
}

/** Number of organizations per verdict. */
type ReserveRound = Readonly<Record<ReserveVerdict, number>>;

export function createReserveCheck(deps: {
  readonly store: ReserveStore;
  readonly places: ReservePlaces;
  readonly clock: { now(): EpochMs };
  readonly contained: ContainedLoop;
}): { run(): Promise<ReserveRound> } {
  const { store, clock } = deps;

  async function compared(orgId: string, claims: ReserveClaims): Promise<ReserveVerdict> {
    // Spending while places are queried counts as spent since.
    const at = clock.now();
    const [before, places] = await Promise.all([store.newest(orgId), readPlaces(deps, orgId, claims)]);
    const check = compareReserves(claims, places, at);
    // An alert reports a change. A persisting shortfall is reported once.
    const isNews = check.verdict !== 'backed' && check.verdict !== before?.verdict;
    await store.keep(orgId, check, isNews ? toAlert(check) : null);
    return check.verdict;
  }

  return {
    async run() {
      const round = { backed: 0, short: 0, unknown: 0 };
      await deps.contained.each(
        await store.claims(),
        ([orgId]) => ({ id: orgId, orgId }),
        async ([orgId, claims]) => {
          round[await compared(orgId, claims())] += 1;
        },
      );
      return round;
    },
  };
}

function toAlert(check: ReserveCheck): { readonly [detail: string]: string } {
  return check.verdict === 'short'
    ? { what: 'reserves_short', detail: lackingText(check) }
    : { what: 'reserves_unknown', detail: check.unknown.join('; ') };
}

/** Returns every place of an organization. One that does not answer is unknown. */
async function readPlaces(
  { store, places, clock }: Parameters<typeof createReserveCheck>[0],
  orgId: string,
  claims: ReserveClaims,
): Promise<ReservePlace[]> {
  const { exchange, balancesOf, positionsOf } = places;
  const account = exchange?.hasAccount(orgId) ? [readExchange(exchange, orgId)] : [];
  const wallets = balancesOf === null ? [] : (await store.walletsOf(orgId)).map((wallet) => readWallet(balancesOf, wallet, clock.now()));
  const outcomes = claimedOutcomes(claims);
  const positions = outcomes.length === 0 ? [] : readPredictions(positionsOf, await store.positionsOf(orgId, outcomes));
  return Promise.all([...account, ...wallets, ...positions]);
}

/** Reads the wallets' holdings of claimed outcomes, wallet by wallet. */
function readPredictions(
  read: ReservePlaces['positionsOf'],
  positions: readonly ReservePosition[],
): readonly (ReservePlace | Promise<ReservePlace>)[] {
  if (read === null) return [silentPredictions('prediction positions', 'no on-chain venue of prediction markets is named')];
  const wallets = new Set(positions.map(({ wallet }) => wallet));
  return [...wallets].map((wallet) =>
    predictionsIn(
      read,
      wallet,
      positions.filter((position) => position.wallet === wallet),
    ),
  );
}

function silentPredictions(place: string, why: string): ReservePlace {
  return { place, known: false, venue: 'prediction', why };
}

async function predictionsIn(
  read: NonNullable<ReservePlaces['positionsOf']>,
  wallet: string,
  positions: readonly ReservePosition[],
): Promise<ReservePlace> {
  const place = `prediction positions of wallet ${wallet}`;
  const shared = positions.find(({ isShared }) => isShared);
  if (shared !== undefined)
    return silentPredictions(place, `orders of another organization filled position ${shared.account} too, so it backs neither`);
  try {
    const held = await read(wallet);
    const assets = new Map<InstrumentKey, DecimalString>();
    for (const { instrument, account } of positions)
      assets.set(instrument, plainDecimal(new Decimal(assets.get(instrument) ?? 0).plus(held.get(account) ?? 0)));
    return { place, venue: 'prediction', known: true, dollars: '0', assets };
  } catch (error) {
    return silentPredictions(place, errorText(error));
  }
}

async function readExchange(exchange: NonNullable<ReservePlaces['exchange']>, orgId: string): Promise<ReservePlace> {
  try {
    const { account, balances } = await exchange.read(orgId);
    return exchangePlace(account, balances);
  } catch (error) {
    return { place: 'spot exchange', known: false, venue: 'spotexchange', why: errorText(error) };
  }
}

async function readWallet(
  balancesOf: NonNullable<ReservePlaces['balancesOf']>,
  { address: owner, isShared }: ReserveWallet,
  now: EpochMs,
): Promise<ReservePlace> {
  const place = walletPlace(owner);
  const silent = (why: string): ReservePlace => ({ place, known: false, venue: 'spotchain', why });
  if (isShared) return silent('another organization has this wallet too, so it backs neither');
  try {
    const read = await balancesOf(owner);
    if (!read.ok) return silent(read.refusal.detail);
    const { cashUsd, positions } = accountOfPrimaryWallet(read.value, CATALOG, now).place;
    const assets = new Map<InstrumentKey, DecimalString>();
    for (const { instrument, quantity } of positions) if (instrument?.startsWith('spotchain:')) assets.set(instrument, quantity);
    return { place, venue: 'spotchain', known: true, dollars: cashUsd, assets };
  } catch (error) {
    return silent(errorText(error));
  }
}
