/** Store of the wallet leaderboard: read histories, sales, and the ranking. */
import type { RegistrationDirectory } from '../../../../actors/leaderboard-wallet/commands.ts';
import type { WalletChain } from '../../../domain/identity/linked-wallet.ts';
import type { FifoLedger, WalletEvent } from '../../../domain/leaderboard/fifo-ledger.ts';
import {
  LEADERBOARD_WINDOWS,
  type LeaderboardEntry,
  type LeaderboardWindow,
  MOST_TRANSACTIONS,
  OUTDATED_MS,
  type WalletSale,
  WINDOW_MS,
} from '../../../domain/leaderboard/leaderboard-entry.ts';
import type { LandedTransaction } from '../../../domain/solana/chain.ts';
import { plainDecimal } from '../../../domain/values/decimal.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import { DAY_MS, type EpochMs } from '../../../domain/values/time.ts';
import type { WalletTransaction } from '../../indexer/enhanced-history.ts';
import { writeRecords } from '../actors/actor-records.ts';
import { inTransaction } from '../actors/actor-store.ts';
import type { Sql, Transaction } from '../database.ts';
import { pageOfRows } from '../queries.ts';

/** A wallet at the start of its refresh. */
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
  /** True if all sales of the wallet are recomputed, so that earlier ones are deleted. */
  readonly replacesSales: boolean;
}

/** Filter of entries; null conditions are ignored. */
export interface LeaderboardFilter {
  readonly chain: WalletChain | null;
  /** Start of an address, or part of a label. */
  readonly search: string | null;
  /** True for ranked entries only, false for unranked ones only, null for both. */
  readonly ranked: boolean | null;
  readonly minimumCoveragePct: number | null;
}

interface WalletRow {
  readonly id: number;
  readonly chain: WalletChain;
  readonly address: string;
  readonly newest: string | null;
  readonly ledger_slot: number | null;
  readonly ledger: FifoLedger;
  readonly read_at: number | null;
  readonly transactions: number;
  readonly truncated_at: number | null;
}

interface EntryRow {
  readonly address: string;
  readonly chain: WalletChain;
  readonly label: string | null;
  readonly place: number;
  readonly rank: number | null;
  readonly realized_usd: string | null;
  readonly sales: number;
  readonly matched: number;
  readonly read_at: number | null;
  readonly failure: string | null;
  readonly truncated_at: number | null;
}

interface SaleRow {
  readonly key: string;
  readonly at: number;
  readonly asset: string;
  readonly direction: string;
  readonly quantity: string | null;
  readonly proceeds_usd: string | null;
  readonly cost_usd: string | null;
  readonly profit_usd: string | null;
  readonly reference: string;
}

const money = (value: string | null): string | null => (value === null ? null : plainDecimal(value));

/** Milliseconds after which sales and events are deleted: the longest window and a day. */
const KEPT_MS = WINDOW_MS['30d'] + DAY_MS;

export function createLeaderboardStore(sql: Sql) {
  return {
    /** Returns wallets last refreshed before this time or never, oldest first, at most `limit` per chain. */
    async stale(before: EpochMs, limit: number): Promise<readonly RefreshedWallet[]> {
      const rows = await sql<WalletRow[]>`
        select w.* from unnest(array['spotchain', 'evmvenue']) as c(chain) cross join lateral (
          select id, chain, address, newest, ledger_slot, ledger, read_at, transactions, truncated_at, asked_at from leaderboard_wallets
          where chain = c.chain and (asked_at is null or asked_at < ${before}) order by asked_at nulls first, id limit ${limit}
        ) w order by w.asked_at nulls first, w.id`;
      return rows.map(toWallet);
    },

    /** Returns the signatures that the wallet's events already include. */
    async known(walletId: number, signatures: readonly string[]): Promise<ReadonlySet<string>> {
      const rows = await sql<{ signature: string }[]>`
        select signature from leaderboard_events where wallet_id = ${walletId} and signature = any(${signatures as string[]}::text[])`;
      return new Set(rows.map(({ signature }) => signature));
    },

    /** Returns finalized swaps of this service with the wallet, changed since then. */
    async ownSwaps(address: string, since: EpochMs): Promise<readonly WalletTransaction[]> {
      const rows = await sql<{ signature: string; signers: readonly string[]; landed: LandedTransaction | null; changed_at: number }[]>`
        select t.signature, t.message->'requiredSigners' as signers, a.snapshot->'context'->'landed' as landed, t.changed_at
        from prepared_transactions t join actors a on a.id = t.id
        where t.wallet = ${address} and t.purpose = 'swap' and t.state = 'finalized' and t.changed_at >= ${since} order by t.slot, t.number`;
      return rows.flatMap(({ signature, signers, landed, changed_at: changedAt }) =>
        landed === null ? [] : [ownTransaction(address, signature, signers, landed, changedAt)],
      );
    },

    /** Returns every event of the wallet in chain order. */
    async events(walletId: number): Promise<readonly StoredEvent[]> {
      return sql<StoredEvent[]>`
        select signature, slot, at, source, body from leaderboard_events where wallet_id = ${walletId} order by slot, seq`;
    },

    async save({ wallet, events, sales, replacesSales }: WalletUpdate, at: EpochMs): Promise<void> {
      await inTransaction(sql, async (transaction) => {
        await transaction`select 1 from leaderboard_wallets where id = ${wallet.id} for update`;
        if (events.length > 0) await writeEvents(transaction, wallet.id, events);
        if (replacesSales) await transaction`delete from leaderboard_sales where wallet_id = ${wallet.id}`;
        if (sales.length > 0) await writeSales(transaction, wallet.id, sales);
        await transaction`
          update leaderboard_wallets set asked_at = ${at}, read_at = ${at}, failure = null, newest = ${wallet.newest}, ledger_slot = ${wallet.ledgerSlot},
            ledger = ${transaction.json(wallet.ledger)}, transactions = ${wallet.transactions}, truncated_at = ${wallet.truncatedAt}
          where id = ${wallet.id}`;
      });
    },

    async failed(walletId: number, why: string, at: EpochMs): Promise<void> {
      await sql`update leaderboard_wallets set asked_at = ${at}, failure = ${why} where id = ${walletId}`;
    },

    /** Updates states and ranks, and records how far behind the refresh is. */
    project: (
      refreshed: readonly number[],
      at: EpochMs,
      staleBefore: EpochMs,
    ): Promise<{ readonly waiting: number; readonly behindMs: number }> =>
      inTransaction(sql, (transaction) => project(transaction, refreshed, at, staleBefore)),
  };
}

export type LeaderboardStore = ReturnType<typeof createLeaderboardStore>;

/** Returns the balance changes of a swap of this service, from its finalized transaction. */
function ownTransaction(
  address: string,
  signature: string,
  signers: readonly string[],
  { slot, blockTime, error, feeLamports, changes }: LandedTransaction,
  changedAt: number,
): WalletTransaction {
  const tokens = new Map<string, bigint>();
  for (const { owner, mint, before, after } of changes.tokens)
    if (owner === address) tokens.set(mint, (tokens.get(mint) ?? 0n) + BigInt(after) - BigInt(before));
  const native = changes.lamports.find(({ account }) => account === address);
  return {
    signature,
    slot,
    at: blockTime ?? changedAt,
    failed: error !== null,
    tokens,
    lamports: native === undefined ? 0n : BigInt(native.after) - BigInt(native.before),
    feePaid: signers[0] === address ? BigInt(feeLamports) : 0n,
  };
}

/** Stores events in order; of a wallet at most the newest 500 are kept. */
async function writeEvents(transaction: Transaction, walletId: number, events: readonly StoredEvent[]): Promise<void> {
  await transaction`
    insert into leaderboard_events (wallet_id, signature, slot, at, source, body)
    select ${walletId}, signature, slot, at, source, body
    from rows from (jsonb_to_recordset(${transaction.json(events)}) as (signature text, slot bigint, at bigint, source text, body jsonb))
      with ordinality as r(signature, slot, at, source, body, n) order by n
    on conflict (wallet_id, signature) do nothing`;
  await transaction`
    delete from leaderboard_events where wallet_id = ${walletId} and (slot, seq) < (
      select slot, seq from leaderboard_events where wallet_id = ${walletId} order by slot desc, seq desc offset ${MOST_TRANSACTIONS - 1} limit 1)`;
}

async function writeSales(transaction: Transaction, walletId: number, sales: readonly WalletSale[]): Promise<void> {
  await transaction`
    insert into leaderboard_sales (wallet_id, key, at, asset, direction, quantity, proceeds_usd, cost_usd, profit_usd, reference)
    select ${walletId}, key, at, asset, direction, quantity, "proceedsUsd", "costUsd", "profitUsd", reference
    from jsonb_to_recordset(${transaction.json(sales)}) as r(key text, at bigint, asset text, direction text, quantity text, "proceedsUsd" numeric,
      "costUsd" numeric, "profitUsd" numeric, reference text)
    on conflict (wallet_id, key) do nothing`;
}

/** Recomputes the sums of refreshed wallets, and of wallets of which a sale has left a window. */
async function project(transaction: Transaction, refreshed: readonly number[], at: number, staleBefore: number) {
  const [progress] = await transaction<{ swept_at: number }[]>`select swept_at from leaderboard_progress for update`;
  const since = progress?.swept_at ?? 0;
  await transaction`
    update leaderboard_standings t set read_at = w.read_at, failure = w.failure, truncated_at = w.truncated_at
    from leaderboard_wallets w where w.id = t.wallet_id and w.id = any(${refreshed as number[]}::bigint[])`;
  for (const window of LEADERBOARD_WINDOWS) {
    const begins = at - WINDOW_MS[window];
    await transaction`
      with changed as (
        select unnest(${refreshed as number[]}::bigint[]) as wallet_id
        union select wallet_id from leaderboard_sales where at >= ${since - WINDOW_MS[window]} and at < ${begins}
      ), summed as (
        select c.wallet_id, count(s.key)::int as sales, count(s.profit_usd)::int as matched, sum(s.profit_usd) as realized
        from changed c left join leaderboard_sales s on s.wallet_id = c.wallet_id and s.at >= ${begins} and s.at <= ${at} group by c.wallet_id
      )
      update leaderboard_standings t set sales = n.sales, matched = n.matched, realized_usd = n.realized
      from summed n where t."window" = ${window} and t.wallet_id = n.wallet_id
        and (t.sales, t.matched, t.realized_usd) is distinct from (n.sales, n.matched, n.realized)`;
  }
  await transaction`
    with placed as (
      select "window", wallet_id, matched > 0 and read_at >= ${at - OUTDATED_MS} is true as is_ranked, realized_usd from leaderboard_standings
    ), ordered as (
      select "window", wallet_id,
        case when is_ranked then rank() over (partition by "window", is_ranked order by realized_usd desc) end as rank,
        row_number() over (partition by "window" order by is_ranked desc, case when is_ranked then realized_usd end desc nulls last, wallet_id) as place
      from placed
    )
    update leaderboard_standings t set rank = o.rank, place = o.place from ordered o
    where t."window" = o."window" and t.wallet_id = o.wallet_id and (t.rank, t.place) is distinct from (o.rank, o.place)`;
  await transaction`delete from leaderboard_sales where at < ${at - KEPT_MS}`;
  const [behind] = await transaction<{ waiting: number; oldest: number | null }[]>`
    select count(*)::int as waiting, min(coalesce(asked_at, registered_at)) as oldest from leaderboard_wallets
    where asked_at is null or asked_at < ${staleBefore}`;
  const waiting = behind?.waiting ?? 0;
  const behindMs = behind?.oldest == null ? 0 : Math.max(0, at - behind.oldest);
  await transaction`update leaderboard_progress set at = ${at}, swept_at = ${at}, waiting = ${waiting}, behind_ms = ${behindMs}`;
  return { waiting, behindMs };
}

function toWallet(row: WalletRow): RefreshedWallet {
  return {
    id: row.id,
    chain: row.chain,
    address: row.address,
    newest: row.newest,
    ledgerSlot: row.ledger_slot,
    ledger: row.ledger,
    readAt: row.read_at,
    transactions: row.transactions,
    truncatedAt: row.truncated_at,
  };
}

export function createLeaderboardReads(sql: Sql) {
  const columns = sql`w.address, w.chain, w.label, s.place, s.rank, s.realized_usd::text, s.sales, s.matched, s.read_at, s.failure, s.truncated_at`;
  return {
    /** Lists wallets by rank, unranked ones last. The position is the last one's place. */
    async rank(
      window: LeaderboardWindow,
      { chain, search, ranked, minimumCoveragePct }: LeaderboardFilter,
      { limit, after }: Page,
    ): Promise<PageOf<LeaderboardEntry>> {
      const rows = await sql<EntryRow[]>`
        select ${columns} from leaderboard_standings s join leaderboard_wallets w on w.id = s.wallet_id
        where s."window" = ${window} ${after === null ? sql`` : sql`and s.place > ${Number(after)}::bigint`}
        ${chain === null ? sql`` : sql`and w.chain = ${chain}`}
        ${
          search === null
            ? sql``
            : sql`and s.wallet_id = any(array(select f.id from leaderboard_wallets f
                where starts_with(f.address, ${search}) or strpos(lower(coalesce(f.label, '')), lower(${search})) > 0))`
        }
        ${ranked === null ? sql`` : ranked ? sql`and s.rank is not null` : sql`and s.rank is null`}
        ${minimumCoveragePct === null ? sql`` : sql`and w.chain = 'spotchain' and s.sales > 0 and s.matched * 100.0 / s.sales >= ${minimumCoveragePct}`}
        order by s.place, s.wallet_id limit ${limit + 1}`;
      const page = pageOfRows(rows, limit, ({ place }) => String(place));
      return { items: page.items.map(toEntry), next: page.next };
    },

    /** Returns a wallet; null if the address is not on the leaderboard. */
    async find(address: string, window: LeaderboardWindow): Promise<LeaderboardEntry | null> {
      const [row] = await sql<EntryRow[]>`
        select ${columns} from leaderboard_wallets w join leaderboard_standings s on s.wallet_id = w.id and s."window" = ${window}
        where ${/^0x/i.test(address) ? sql`lower(w.address) = ${address.toLowerCase()}` : sql`w.address = ${address}`}`;
      return row === undefined ? null : toEntry(row);
    },

    /** Returns the sales behind a wallet's figure, newest first. The position is the last one's place among the window's sales. */
    async sales(address: string, window: LeaderboardWindow, now: EpochMs, { limit, after }: Page): Promise<PageOf<WalletSale>> {
      const begins = now - WINDOW_MS[window];
      const from = after === null ? 0 : Number(after);
      const rows = await sql<SaleRow[]>`
        select s.key, s.at, s.asset, s.direction, s.quantity, s.proceeds_usd::text, s.cost_usd::text, s.profit_usd::text, s.reference
        from leaderboard_sales s join leaderboard_wallets w on w.id = s.wallet_id
        where w.address = ${address} and s.at >= ${begins} order by s.at desc, s.key offset ${from} limit ${limit + 1}`;
      const items = rows.slice(0, limit).map(toSale);
      return { items, next: rows.length > limit ? String(from + limit) : null };
    },

    /** Returns the progress of the refresh: its last run, the number of waiting wallets and the longest wait. */
    async progress(): Promise<{ readonly at: EpochMs; readonly waiting: number; readonly behindMs: number }> {
      const [row] = await sql<
        { at: number; waiting: number; behind_ms: number }[]
      >`select at, waiting, behind_ms from leaderboard_progress`;
      return { at: row?.at ?? 0, waiting: row?.waiting ?? 0, behindMs: row?.behind_ms ?? 0 };
    },
  };
}

/** Reads of the leaderboard, which all organizations share. */
export type LeaderboardReads = ReturnType<typeof createLeaderboardReads>;

function toEntry(row: EntryRow): LeaderboardEntry {
  return {
    address: row.address,
    chain: row.chain,
    label: row.label,
    place: row.place,
    rank: row.rank,
    // Without a cost basis there is no figure.
    realizedPnlUsd: row.matched === 0 ? null : money(row.realized_usd),
    sales: row.sales,
    matchedSales: row.matched,
    readAt: row.read_at,
    failure: row.failure,
    truncatedAt: row.truncated_at,
  };
}

function toSale(row: SaleRow): WalletSale {
  return {
    key: row.key,
    at: row.at,
    asset: row.asset,
    direction: row.direction,
    quantity: row.quantity,
    proceedsUsd: money(row.proceeds_usd),
    costUsd: money(row.cost_usd),
    profitUsd: money(row.profit_usd),
    reference: row.reference,
  };
}

export function createRegistrationStore(sql: Sql): RegistrationDirectory {
  return {
    async count(orgId) {
      const [row] = await sql<{ n: number }[]>`select count(*)::int as n from leaderboard_registrations where org_id = ${orgId}`;
      return row?.n ?? 0;
    },

    register: (orgId, { chain, address, label, by, at }, records) =>
      inTransaction(sql, async (transaction) => {
        await transaction`
          insert into leaderboard_registrations (org_id, chain, address, label, registered_by, registered_at)
          values (${orgId}, ${chain}, ${address}, ${label}, ${by}, ${at}) on conflict do nothing`;
        await writeRecords(transaction, records);
      }),
  };
}
