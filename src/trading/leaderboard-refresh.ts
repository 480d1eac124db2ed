/** Refreshes wallets of the leaderboard: reads what is new of each, and keeps what follows from it. Against ports, without SQL. */
import type { ContainedLoop } from '../../actors/runtime/containment.ts';
import type { Clock } from '../../streams/clock.ts';
import { Decimal, plainDecimal } from '../domain/values/decimal.ts';
import {
  MOST_TRANSACTIONS,
  PAGE_TRANSACTIONS,
  REFRESH_MS,
  REFRESH_WALLETS,
  STALE_MS,
  type WalletSale,
} from '../domain/leaderboard/entry.ts';
import { type FifoLedger, ledgerAfter, type WalletEvent } from '../domain/leaderboard/fifo-ledger.ts';
import { lamportsOf, walletEventOf } from '../domain/leaderboard/wallet-event.ts';
import type { WalletChain } from '../domain/identity/linked-wallet.ts';
import type { EpochMs } from '../domain/values/time.ts';
import { errorText } from '../domain/values/value-text.ts';
import { FILLS_CAP, isClosingFill, isPerpFill, type ReportedFill } from '../domain/identity/wallet.ts';

/** A transaction of the primary chain as it concerns one wallet. */
export interface WalletTransaction {
  readonly signature: string;
  readonly slot: number;
  readonly at: EpochMs;
  readonly failed: boolean;
  /** Raw changes of the wallet's tokens by mint. */
  readonly tokens: ReadonlyMap<string, bigint>;
  /** Native lamports of the wallet itself, with the fee if it paid that. */
  readonly lamports: bigint;
  readonly feePaid: bigint;
}

export interface WalletHistories {
  /** Newest first, at most a page of 100, older than `before`. Null if no provider is set up. @throws if it does not answer */
  readonly transactions: ((address: string, before: string | null) => Promise<readonly WalletTransaction[]>) | null;
  /** Perpetual and other fills: the most recent ones, or those since a time, that included. @throws if the venue does not answer */
  readonly fills: (address: string, since: EpochMs | null) => Promise<readonly ReportedFill[]>;
  /** `spent`: the provider's budget is, and nothing was asked. `silent`: it gave no answer that makes sense. Null of every other error. */
  readonly failureOf: (error: unknown) => 'spent' | 'silent' | null;
}

/** A wallet as the refresh finds it. */
export interface RefreshedWallet {
  readonly id: number;
  readonly chain: WalletChain;
  readonly address: string;
  readonly newest: string | null;
  readonly ledgerSlot: number | null;
  readonly ledger: FifoLedger;
  readonly readAt: EpochMs | null;
  readonly transactions: number;
  readonly truncatedAt: EpochMs | null;
}

export interface StoredEvent {
  readonly signature: string;
  readonly slot: number;
  readonly at: EpochMs;
  readonly source: 'service' | 'provider';
  readonly body: WalletEvent;
}

/** Result of refreshing one wallet. */
export interface WalletUpdate {
  readonly wallet: RefreshedWallet;
  readonly events: readonly StoredEvent[];
  readonly sales: readonly WalletSale[];
  /** True if all sales of the wallet are worked out anew, so that those of before go. */
  readonly replacesSales: boolean;
}

export interface LeaderboardStore {
  /** Wallets that were asked for before this time or never, oldest first; of each chain at most `limit`. */
  stale(before: EpochMs, limit: number): Promise<readonly RefreshedWallet[]>;
  /** Returns the signatures that the wallet's events contain. */
  known(walletId: number, signatures: readonly string[]): Promise<ReadonlySet<string>>;
  /** Finalized swaps of this service whose wallet it is, changed since then. */
  ownSwaps(address: string, since: EpochMs): Promise<readonly WalletTransaction[]>;
  /** Every event of the wallet in the order of the chain. */
  events(walletId: number): Promise<readonly StoredEvent[]>;
  save(update: WalletUpdate, at: EpochMs): Promise<void>;
  failed(walletId: number, why: string, at: EpochMs): Promise<void>;
  /** Brings states and ranks up to date, and notes how far behind the refresh is. */
  project(
    refreshed: readonly number[],
    at: EpochMs,
    staleBefore: EpochMs,
  ): Promise<{ readonly waiting: number; readonly behindMs: number }>;
}

/** Overlap with which own swaps are read again. Clocks of processes differ by less. */
const OWN_OVERLAP_MS = 60 * 60_000;
/** A round ends before the next one is due. */
const ROUND_MS = REFRESH_MS - 5_000;
const DOLLAR = new Decimal(1_000_000);
const dollars = (raw: string): string => plainDecimal(new Decimal(raw).div(DOLLAR));

export interface RefreshResult {
  readonly refreshed: number;
  readonly failed: number;
  /** True if a provider's budget ended the round early for its chain. */
  readonly spent: boolean;
  readonly waiting: number;
  readonly behindMs: number;
}

/** History of a wallet read so far, from its newest transaction down to `before`. */
interface Reading {
  /** The wallet's newest signature when the reading began: it ends there. */
  readonly newest: string | null;
  readonly fresh: Map<string, WalletTransaction>;
  before: string | null;
  asked: number;
}

/**
 * Asks for the next page of a wallet. Returns null if more pages follow; else everything newer than the wallet's newest signature,
 * with `gap` if the limit of transactions ended it before.
 */
async function nextPage(ask: NonNullable<WalletHistories['transactions']>, address: string, reading: Reading) {
  const page = await ask(address, reading.before);
  const end = page.findIndex(({ signature }) => signature === reading.newest);
  for (const one of end < 0 ? page : page.slice(0, end)) if (!reading.fresh.has(one.signature)) reading.fresh.set(one.signature, one);
  reading.asked += page.length;
  const last = page.at(-1);
  const fresh = [...reading.fresh.values()];
  if (end >= 0 || page.length < PAGE_TRANSACTIONS || last === undefined || last.signature === reading.before) return { fresh, gap: false };
  if (reading.asked >= MOST_TRANSACTIONS) return { fresh, gap: true };
  reading.before = last.signature;
  return null;
}

async function refreshPerps(histories: Pick<WalletHistories, 'fills'>, wallet: RefreshedWallet): Promise<WalletUpdate> {
  const since = wallet.newest === null ? null : Number(wallet.newest);
  const fills = await histories.fills(wallet.address, since);
  const oldest = fills.reduce<EpochMs | null>((least, { at }) => (least === null || at < least ? at : least), null);
  const isCut = since === null && fills.length >= FILLS_CAP;
  return {
    wallet: {
      ...wallet,
      newest: String(fills.reduce((most, { at }) => Math.max(most, at), since ?? 0)),
      transactions: wallet.transactions + fills.length,
      truncatedAt: isCut ? oldest : wallet.truncatedAt,
    },
    events: [],
    sales: closingSales(fills),
    replacesSales: false,
  };
}

/** Folds what was read of a wallet into its ledger. */
async function updateOf(
  store: LeaderboardStore,
  wallet: RefreshedWallet,
  { fresh, gap }: { readonly fresh: readonly WalletTransaction[]; readonly gap: boolean },
): Promise<WalletUpdate> {
  const own = await store.ownSwaps(wallet.address, wallet.readAt === null ? 0 : wallet.readAt - OWN_OVERLAP_MS);
  const told = new Set(fresh.map(({ signature }) => signature));
  const signatures = [...told, ...own.map(({ signature }) => signature)];
  const known = await store.known(wallet.id, signatures);
  // The provider tells newest first; its own order within a slot is kept.
  const found = [
    ...fresh.toReversed().map((one) => eventOf(one, 'provider')),
    ...own.filter(({ signature }) => !told.has(signature)).map((one) => eventOf(one, 'service')),
  ].flatMap((event) => (event === null || known.has(event.signature) ? [] : [event]));
  const events = found.toSorted((a, b) => a.slot - b.slot);
  // After a gap nobody knows what is held: the ledger begins anew with what was read.
  const base = gap ? { ...wallet, ledger: {}, ledgerSlot: null } : wallet;
  const isLate = !gap && events.some(({ slot }) => slot < (wallet.ledgerSlot ?? 0));
  const oldest = fresh.at(-1);
  const kept = isLate ? await store.events(wallet.id) : [];
  const folded = isLate ? foldAll([...kept, ...events]) : fold(base.ledger, events);
  // Nothing older than the kept events is known of a new fold.
  const cutAt = gap ? oldest?.at : kept.length >= MOST_TRANSACTIONS ? kept[0]?.at : undefined;
  return {
    wallet: {
      ...wallet,
      newest: fresh[0]?.signature ?? wallet.newest,
      ledger: folded.ledger,
      ledgerSlot: Math.max(wallet.ledgerSlot ?? 0, ...events.map(({ slot }) => slot)),
      transactions: wallet.transactions + fresh.length,
      truncatedAt: cutAt ?? wallet.truncatedAt,
    },
    events,
    sales: folded.sales,
    replacesSales: isLate,
  };
}

const nameOfWallet = ({ id }: RefreshedWallet) => ({ id: `wallet ${id}`, orgId: null });

/** The outcome of one refresh; a defect of this service counts as failed. */
const settled = <Outcome extends string>(refresh: Promise<Outcome>) =>
  refresh.then(
    (outcome) => ({ outcome, defect: null }),
    (error: unknown) => ({ outcome: 'failed' as const, defect: error as Error }),
  );

export function createLeaderboardRefresh(deps: {
  readonly store: LeaderboardStore;
  readonly histories: WalletHistories;
  readonly clock: Pick<Clock, 'now'>;
  readonly contained: ContainedLoop;
}): { run(): Promise<RefreshResult> } {
  const { store, histories, clock, contained } = deps;
  /** Readings that a round left unfinished: the next round asks for their next page, not for the first one again. */
  const readings = new Map<number, Reading>();
  /** The turn in which a wallet was asked for last. */
  const turns = new Map<number, number>();
  let turn = 0;

  async function refreshPrimary(wallet: RefreshedWallet): Promise<WalletUpdate | null> {
    const begun = readings.get(wallet.id);
    const reading = begun?.newest === wallet.newest ? begun : { newest: wallet.newest, fresh: new Map(), before: null, asked: 0 };
    readings.set(wallet.id, reading);
    const read = await nextPage(histories.transactions as NonNullable<WalletHistories['transactions']>, wallet.address, reading);
    if (read === null) return null;
    readings.delete(wallet.id);
    return updateOf(store, wallet, read);
  }

  /** @throws a defect, once the wallet is noted as failed. */
  async function refresh(wallet: RefreshedWallet): Promise<'refreshed' | 'failed' | 'spent' | 'unfinished'> {
    if (wallet.chain === 'spotchain' && histories.transactions === null) {
      await store.failed(wallet.id, 'no indexing provider is set up: INDEXER_URL', clock.now());
      return 'failed';
    }
    try {
      const update = wallet.chain === 'spotchain' ? await refreshPrimary(wallet) : await refreshPerps(histories, wallet);
      if (update === null) return 'unfinished';
      await store.save(update, clock.now());
      return 'refreshed';
    } catch (error) {
      const failure = histories.failureOf(error);
      if (failure === 'spent') return 'spent';
      readings.delete(wallet.id);
      const why = failure === null ? 'an error of this service' : errorText(error);
      await store.failed(wallet.id, why.slice(0, 200), clock.now());
      if (failure === null) throw error;
      return 'failed';
    }
  }

  return {
    /**
     * Runs one round: up to twenty stale wallets, a page each in turn, longest wait first, each chain until its provider's budget or the
     * round's time is spent.
     */
    async run() {
      const beganAt = clock.now();
      const staleBefore = beganAt - STALE_MS;
      const stale = await store.stale(staleBefore, REFRESH_WALLETS + contained.waiting);
      // Another worker may have finished what was begun here.
      for (const id of readings.keys()) if (!stale.some((wallet) => wallet.id === id)) readings.delete(id);
      const queue = stale.toSorted((a, b) => (turns.get(a.id) ?? 0) - (turns.get(b.id) ?? 0));
      const done: number[] = [];
      const spent = new Set<WalletChain>();
      let failed = 0;
      await contained.each(queue, nameOfWallet, async (wallet) => {
        if (done.length >= REFRESH_WALLETS) return;
        if (clock.now() - beganAt >= ROUND_MS) spent.add(wallet.chain);
        if (spent.has(wallet.chain)) return;
        const { outcome, defect } = await settled(refresh(wallet));
        if (outcome === 'spent') spent.add(wallet.chain);
        else turns.set(wallet.id, ++turn);
        if (outcome === 'unfinished') queue.push(wallet);
        else if (outcome !== 'spent') done.push(wallet.id);
        if (outcome === 'failed') failed++;
        if (defect !== null) throw defect;
      });
      const { waiting, behindMs } = await store.project(done, clock.now(), staleBefore);
      return { refreshed: done.length - failed, failed, spent: spent.size > 0, waiting, behindMs };
    },
  };
}

/** Event that a transaction is to the wallet; null if it failed or moved no token. */
function eventOf(transaction: WalletTransaction, source: StoredEvent['source']): StoredEvent | null {
  const { signature, slot, at, failed, tokens, lamports, feePaid } = transaction;
  if (failed) return null;
  const body = walletEventOf({ tokens, lamports: lamportsOf(lamports, tokens, feePaid) });
  return body === null ? null : { signature, slot, at, source, body };
}

function fold(ledger: FifoLedger, events: readonly StoredEvent[]): { readonly ledger: FifoLedger; readonly sales: readonly WalletSale[] } {
  const sales: WalletSale[] = [];
  let after = ledger;
  for (const { signature, at, body } of events) {
    const step = ledgerAfter(after, body);
    after = step.ledger;
    if (step.sale === null) continue;
    const { mint, quantity, usd, cost } = step.sale;
    sales.push({
      key: signature,
      at,
      asset: mint,
      direction: 'sell',
      quantity,
      proceedsUsd: dollars(usd),
      costUsd: cost === null ? null : dollars(cost),
      profitUsd: cost === null ? null : dollars((BigInt(usd) - BigInt(cost)).toString()),
      reference: signature,
    });
  }
  return { ledger: after, sales };
}

/** Folds all events anew, in the order of the chain; events of one slot in the order of their receipt. */
function foldAll(events: readonly StoredEvent[]): ReturnType<typeof fold> {
  return fold(
    {},
    events.toSorted((a, b) => a.slot - b.slot),
  );
}

/** Closing fills of perpetuals, each once. Parts of one order without a trade's number look alike: each counts, in its place. */
export function closingSales(fills: readonly ReportedFill[]): readonly WalletSale[] {
  const seen = new Map<string, number>();
  return fills.flatMap((fill): WalletSale[] => {
    if (!isPerpFill(fill) || !isClosingFill(fill)) return [];
    const { at, coin, tradeId, orderId, hash, direction, closedPnl } = fill;
    const name = `${at} ${coin} ${tradeId} ${orderId} ${hash}`;
    const times = seen.get(name) ?? 0;
    seen.set(name, times + 1);
    if (tradeId !== 0 && times > 0) return [];
    const key = times === 0 ? name : `${name} ${times}`;
    return [
      {
        key,
        at,
        asset: coin,
        direction,
        quantity: null,
        proceedsUsd: null,
        costUsd: null,
        profitUsd: plainDecimal(closedPnl),
        reference: hash,
      },
    ];
  });
}
