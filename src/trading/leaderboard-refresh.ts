/** Refreshes wallets of the leaderboard: reads what is new, and stores the results. Has no SQL. */
import type { ContainedLoop } from '../../actors/runtime/containment.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { Decimal, plainDecimal } from '../domain/values/decimal.ts';
import {
  MOST_TRANSACTIONS,
  PAGE_TRANSACTIONS,
  REFRESH_MS,
  REFRESH_WALLETS,
  STALE_MS,
  type WalletSale,
} from '../domain/leaderboard/leaderboard-entry.ts';
import { type FifoLedger, ledgerAfter } from '../domain/leaderboard/fifo-ledger.ts';
import { computeLamports, toWalletEvent } from '../domain/leaderboard/wallet-event.ts';
import type { WalletChain } from '../domain/identity/linked-wallet.ts';
import { type EpochMs, HOUR_MS } from '../domain/values/time.ts';
import { errorText } from '../domain/values/value-text.ts';
import { FILLS_CAP, isClosingFill, isPerpFill, type ReportedFill } from '../domain/identity/wallet.ts';
import type { WalletTransaction } from '../adapters/indexer/enhanced-history.ts';
import type { WalletHistories } from '../adapters/indexer/access.ts';
import type { RefreshedWallet, StoredEvent, WalletUpdate, LeaderboardStore } from '../adapters/store/leaderboard/leaderboard-store.ts';

/** Overlap in milliseconds with which own swaps are read again. Clocks of processes differ by less. */
const OWN_OVERLAP_MS = HOUR_MS;
/** Maximum milliseconds of a round, so that it ends before the next one is due. */
const ROUND_MS = REFRESH_MS - 5_000;
const DOLLAR = new Decimal(1_000_000);
const dollars = (raw: string): string => plainDecimal(new Decimal(raw).div(DOLLAR));

interface RefreshResult {
  readonly refreshed: number;
  readonly failed: number;
  /** True if a provider's budget ended the round early for its chain. */
  readonly spent: boolean;
  readonly waiting: number;
  readonly behindMs: number;
}

/** History of a wallet read so far, from its newest transaction back to `before`. */
interface Reading {
  /** Newest stored signature when the reading began, at which it ends. */
  readonly newest: string | null;
  readonly fresh: Map<string, WalletTransaction>;
  before: string | null;
  asked: number;
}

/**
 * Requests the next page of a wallet. Returns null if more pages follow. Otherwise returns everything newer than the wallet's newest
 * signature, with `gap` if the transaction limit ended it earlier.
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

/** Folds new transactions of a wallet into its ledger. */
async function foldUpdate(
  store: LeaderboardStore,
  wallet: RefreshedWallet,
  { fresh, gap }: { readonly fresh: readonly WalletTransaction[]; readonly gap: boolean },
): Promise<WalletUpdate> {
  const own = await store.ownSwaps(wallet.address, wallet.readAt === null ? 0 : wallet.readAt - OWN_OVERLAP_MS);
  const told = new Set(fresh.map(({ signature }) => signature));
  const signatures = [...told, ...own.map(({ signature }) => signature)];
  const known = await store.known(wallet.id, signatures);
  // The provider returns newest first. Its order within a slot is kept.
  const found = [
    ...fresh.toReversed().map((one) => toEvent(one, 'provider')),
    ...own.filter(({ signature }) => !told.has(signature)).map((one) => toEvent(one, 'service')),
  ].flatMap((event) => (event === null || known.has(event.signature) ? [] : [event]));
  const events = inChainOrder(found);
  const isLate = !gap && events.some(({ slot }) => slot < (wallet.ledgerSlot ?? 0));
  const kept = isLate ? await store.events(wallet.id) : [];
  const cutAt = gap ? (fresh.at(-1)?.at ?? null) : wallet.truncatedAt;
  const folded = gap || isLate ? fold({}, inChainOrder([...kept, ...events]), cutAt) : fold(wallet.ledger, events, null);
  // A new fold knows nothing older than the kept events.
  const oldestKept = kept.length >= MOST_TRANSACTIONS ? kept[0]?.at : undefined;
  return {
    wallet: {
      ...wallet,
      newest: fresh[0]?.signature ?? wallet.newest,
      ledger: folded.ledger,
      ledgerSlot: Math.max(wallet.ledgerSlot ?? 0, ...events.map(({ slot }) => slot)),
      transactions: wallet.transactions + fresh.length,
      truncatedAt: oldestKept === undefined ? cutAt : Math.max(oldestKept, cutAt ?? 0),
    },
    events,
    sales: folded.sales,
    replacesSales: isLate,
  };
}

const nameOfWallet = ({ id }: RefreshedWallet) => ({ id: `wallet ${id}`, orgId: null });

/** Returns the result of a refresh. A defect of this service counts as failed. */
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
  /** Unfinished readings, which the next round continues instead of starting again. */
  const readings = new Map<number, Reading>();
  /** Round in which a wallet was last requested. */
  const turns = new Map<number, number>();
  let turn = 0;

  async function refreshPrimary(wallet: RefreshedWallet): Promise<WalletUpdate | null> {
    const begun = readings.get(wallet.id);
    const reading = begun?.newest === wallet.newest ? begun : { newest: wallet.newest, fresh: new Map(), before: null, asked: 0 };
    readings.set(wallet.id, reading);
    const read = await nextPage(histories.transactions as NonNullable<WalletHistories['transactions']>, wallet.address, reading);
    if (read === null) return null;
    readings.delete(wallet.id);
    return foldUpdate(store, wallet, read);
  }

  /** Refreshes a wallet. @throws a defect, after the wallet is recorded as failed. */
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
     * Runs one round: up to twenty stale wallets, one page each in turn, longest wait first, until a chain's provider budget or the round's
     * time is used up.
     */
    async run() {
      const beganAt = clock.now();
      const staleBefore = beganAt - STALE_MS;
      const stale = await store.stale(staleBefore, REFRESH_WALLETS + contained.waiting);
      // Another worker may have finished a reading begun here.
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

/** Returns a transaction's event for the wallet, or null if it failed or moved no token. */
function toEvent(transaction: WalletTransaction, source: StoredEvent['source']): StoredEvent | null {
  const { signature, slot, at, failed, tokens, lamports, feePaid } = transaction;
  if (failed) return null;
  const body = toWalletEvent({ tokens, lamports: computeLamports(lamports, tokens, feePaid) });
  return body === null ? null : { signature, slot, at, source, body };
}

/**
 * Folds events into a ledger. Transactions are missing before `cutAt`, so that the holdings are unknown there and the ledger restarts with
 * the first event since.
 */
function fold(
  ledger: FifoLedger,
  events: readonly StoredEvent[],
  cutAt: EpochMs | null,
): { readonly ledger: FifoLedger; readonly sales: readonly WalletSale[] } {
  const sales: WalletSale[] = [];
  const restart = cutAt === null ? -1 : events.findIndex(({ at }) => at >= cutAt);
  let after = ledger;
  for (const [place, { signature, at, body }] of events.entries()) {
    if (place === restart) after = {};
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

/** Sorts events by slot. Events of one slot stay in the order of receipt. */
function inChainOrder(events: readonly StoredEvent[]): readonly StoredEvent[] {
  return events.toSorted((a, b) => a.slot - b.slot);
}

/** Returns closing fills of perpetuals, each once. Parts of an order without trade numbers look alike, so each counts, by position. */
function closingSales(fills: readonly ReportedFill[]): readonly WalletSale[] {
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
