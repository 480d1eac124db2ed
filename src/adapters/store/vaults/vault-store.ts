/** Store of vaults: shares, deposits, withdrawals, marks, and the ranking. */
import type { ContainedLoop } from '../../../../actors/runtime/containment.ts';
import type { ActorRecord } from '../../../domain/agents/actor-step.ts';
import type { Stage } from '../../../domain/agents/agent.ts';
import { bookIds, emptyBook, markBook } from '../../../domain/books/book.ts';
import { drawdownPct, shareValue } from '../../../domain/books/vault.ts';
import type { Observation } from '../../../domain/market/cut.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../../domain/values/time.ts';
import type { UnreadableRow } from '../../../domain/values/value-text.ts';
import { writeRecords } from '../actors/actor-records.ts';
import { inTransaction } from '../actors/actor-store.ts';
import { BookMoved, readTradedBooks, type StoredBook } from '../books/book-store.ts';
import type { Sql, Transaction } from '../database.ts';
import { outdatedEvidence } from '../gates/evidence-store.ts';
import { pageOfRows } from '../queries.ts';
import { type SignedRows, UnsignedRow } from '../trail/signed-rows.ts';

/** Vault and its rank in its organization, valued at its last mark. */
export interface RankedVault {
  /** Null without a mark within the window. */
  readonly rank: number | null;
  readonly agentId: string;
  readonly name: string;
  readonly stage: Stage;
  readonly returnPct: number | null;
  readonly sinceAt: EpochMs | null;
  readonly sharePriceUsd: DecimalString | null;
  readonly highWaterMarkUsd: DecimalString;
  readonly drawdownPct: number | null;
  readonly equityUsd: DecimalString | null;
  readonly allocatedUsd: DecimalString;
  readonly realizedPnlUsd: DecimalString;
  readonly depositors: number;
  readonly markedAt: EpochMs | null;
}

/** Windows of the ranking in milliseconds; null starts at the first mark. */
const WINDOWS: Readonly<Record<string, number | null>> = { '24h': DAY_MS, '7d': 168 * HOUR_MS, '30d': 720 * HOUR_MS, all: null };

/**
 * Database errors after which a change is tried again on fresh data: a price too far from the newest cut, dollars that an order reserved
 * meanwhile, or a concurrent deposit.
 */
const MOVED: ReadonlySet<string> = new Set(['vault_reserved', 'vault_price', 'vault_backing']);

interface VaultRow {
  readonly stage: Stage;
  readonly max_capital: string;
  readonly total_shares: string | null;
  readonly rounding_usd: string | null;
  readonly allocated_usd: string | null;
  readonly high_water_usd: string | null;
  readonly high_water_at: EpochMs | null;
  readonly changes: number | null;
}

/** Reads the rows of one vault in one snapshot, so that shares are never priced by a later book. */
async function vaultRows(transaction: Transaction, orgId: string, agentId: string) {
  const [row] = await transaction<VaultRow[]>`
    select a.stage, m.canonical::jsonb ->> 'maxCapitalUsd' as max_capital, v.total_shares, v.rounding_usd, v.allocated_usd,
      v.high_water_usd, v.high_water_at, v.changes
    from agents a join manifests m on m.agent_id = a.id and m.version = a.manifest_version left join vaults v on v.agent_id = a.id
    where a.id = ${agentId} and a.org_id = ${orgId}`;
  const holders = await transaction<{ depositor: string; shares: string; paid_in: string; paid_out: string }[]>`
    select depositor, sum(case kind when 'deposit' then shares else -shares end) as shares,
      coalesce(sum(amount_usd) filter (where kind = 'deposit'), 0) as paid_in,
      coalesce(sum(amount_usd) filter (where kind = 'withdrawal'), 0) as paid_out
    from vault_changes where agent_id = ${agentId} group by depositor order by depositor`;
  return { row, holders, outdated: await outdatedEvidence(transaction, agentId), books: await readTradedBooks(transaction, [agentId]) };
}

/** Creates the store. `signed` checks the rows that price and rank vaults; unsigned rows are not used. */
export function createVaultStore(sql: Sql, signed: SignedRows) {
  return {
    /**
     * Returns a vault, empty if nothing was ever deposited; null if the organization has no such agent. @throws UnsignedRow if its book is
     * not as a writer signed it, which blocks deposits and withdrawals
     */
    async find(orgId: string, agentId: string) {
      const { row, holders, outdated, books } = await sql.begin('isolation level repeatable read read only', (transaction) =>
        vaultRows(transaction, orgId, agentId),
      );
      if (row === undefined) return null;
      const id = bookIds.live(agentId);
      const stored = books.get(id);
      if (stored !== undefined && stored.version > 0) await signed.requireRows('books', [id]);
      return {
        agentId,
        stage: row.stage,
        maxCapitalUsd: plainDecimal(row.max_capital),
        allocatedUsd: plainDecimal(row.allocated_usd ?? '0'),
        totalShares: plainDecimal(row.total_shares ?? '0'),
        roundingUsd: plainDecimal(row.rounding_usd ?? '0'),
        highWaterMarkUsd: plainDecimal(row.high_water_usd ?? '1'),
        highWaterAt: row.high_water_at,
        changes: row.changes ?? 0,
        outdated,
        holders: holders.map((holder) => ({
          depositor: holder.depositor,
          shares: plainDecimal(holder.shares),
          paidInUsd: plainDecimal(holder.paid_in),
          paidOutUsd: plainDecimal(holder.paid_out),
        })),
        book: stored?.state ?? emptyBook(id, 'live', '0'),
        bookVersion: stored?.version ?? 0,
      };
    },

    async change(records: readonly ActorRecord[]): Promise<boolean> {
      try {
        await inTransaction(sql, (transaction) => writeRecords(transaction, records));
        return true;
      } catch (error) {
        const { code, constraint_name: constraint } = error as { code?: string; constraint_name?: string };
        if (error instanceof BookMoved || (code === '23505' && constraint === 'vault_changes_pkey')) return false;
        if (constraint !== undefined && MOVED.has(constraint)) return false;
        throw error;
      }
    },

    mark: (contained: ContainedLoop): Promise<number> => markVaults(sql, signed, contained),

    rank: (orgId: string, window: string, page: Page, now: EpochMs) => rankVaults({ sql, signed }, orgId, window, page, now),
  };
}

export type VaultStore = ReturnType<typeof createVaultStore>;

/**
 * Prices every vault with shares by the newest cut and stores the mark, if each position has a live quote and cut and book have valid
 * signatures. Returns the number of priced vaults.
 */
async function markVaults(sql: Sql, signed: SignedRows, contained: ContainedLoop): Promise<number> {
  const owned = await sql<{ agent_id: string; org_id: string; total_shares: string; rounding_usd: string }[]>`
    select v.agent_id, a.org_id, v.total_shares, v.rounding_usd from vaults v join agents a on a.id = v.agent_id
    where v.total_shares > 0 order by v.agent_id`;
  const [cut] = await sql<{ slot: EpochMs }[]>`select slot from judged_cuts order by slot desc limit 1`;
  if (owned.length === 0 || cut === undefined) return 0;
  const unreadable = new Map<string | null, UnreadableRow>();
  const books = await readTradedBooks(
    sql,
    owned.map(({ agent_id }) => agent_id),
    (agentId, error) => unreadable.set(agentId, error),
  );
  const live = owned.map(({ agent_id }) => bookIds.live(agent_id)).filter((id) => books.has(id));
  const isCutSigned = await signed.requireCut(cut.slot).then(() => true, refusalOnly);
  if (!isCutSigned) return 0;
  const vouched = await signed.signedOnes('books', live);
  const marks = await liveMids(sql, cut.slot, [...books.values()]);
  const rows: VaultMark[] = [];
  await contained.each(
    owned,
    ({ agent_id: id, org_id: orgId }) => ({ id, orgId }),
    ({ agent_id, total_shares, rounding_usd }) => {
      const fault = unreadable.get(agent_id);
      if (fault !== undefined) throw fault;
      const book = books.get(bookIds.live(agent_id));
      const equityUsd = book === undefined || !vouched.has(book.id) ? null : markBook(book.state, marks, cut.slot).equityUsd;
      if (equityUsd === null) return;
      const { sharePriceUsd } = shareValue({ totalShares: plainDecimal(total_shares), roundingUsd: plainDecimal(rounding_usd) }, equityUsd);
      rows.push({ agent_id, at: cut.slot, equityUsd, sharePriceUsd });
    },
  );
  if (rows.length > 0) await writeMarks(sql, rows);
  return rows.length;
}

interface VaultMark {
  readonly agent_id: string;
  readonly at: EpochMs;
  readonly equityUsd: DecimalString;
  readonly sharePriceUsd: DecimalString;
}

const writeMarks = (sql: Sql, rows: readonly VaultMark[]): Promise<unknown> =>
  sql.begin(
    (transaction) => transaction`
    insert into vault_marks (agent_id, at, equity_usd, share_price_usd)
    select agent_id, at, "equityUsd", "sharePriceUsd" from jsonb_to_recordset(${sql.json(rows)})
      as r(agent_id uuid, at bigint, "equityUsd" numeric, "sharePriceUsd" numeric) on conflict do nothing`,
  );

interface RankedRow {
  readonly place: number;
  readonly id: string;
  readonly name: string;
  readonly stage: Stage;
  readonly high_water_usd: string;
  readonly allocated_usd: string;
  readonly marked_at: EpochMs | null;
  readonly equity_usd: string | null;
  readonly share_price_usd: string | null;
  readonly since_at: EpochMs | null;
  readonly return_pct: string | null;
  readonly realized: string;
  readonly depositors: number;
}

/**
 * Lists an organization's vaults by the share's return over a window that ends at `now`, chained over times without shares. The position is
 * the place in the ranking. Vaults without a mark in the window come last, without a rank.
 */
async function rankVaults(
  { sql, signed }: { readonly sql: Sql; readonly signed: SignedRows },
  orgId: string,
  window: string,
  { limit, after }: Page,
  now: EpochMs,
): Promise<PageOf<RankedVault>> {
  const back = WINDOWS[window];
  if (back === undefined) throw new RangeError(`unknown window ${window}; known are ${Object.keys(WINDOWS).join(', ')}`);
  const from = back === null ? 0 : now - back;
  const rows = await sql<RankedRow[]>`
    with priced as (
      select a.id, a.name, a.stage, v.high_water_usd, v.allocated_usd, l.at as marked_at, l.equity_usd, l.share_price_usd, s.at as since_at,
        s.share_price_usd as since_price, coalesce(g.factor, 1) as chained, coalesce(b.realized_pnl_usd, 0) as realized,
        (select count(*) from (select 1 from vault_changes c where c.agent_id = a.id group by c.depositor
          having sum(case c.kind when 'deposit' then c.shares else -c.shares end) > 0) d) as depositors
      from vaults v join agents a on a.id = v.agent_id
      left join books b on b.agent_id = a.id and b.mode = 'live'
      left join lateral (select * from judged_vault_marks m where m.agent_id = a.id order by m.at desc limit 1) l on true
      -- The last mark before the window opened, else the first one within it.
      left join lateral (
        (select 1 as turn, m.at, m.share_price_usd from judged_vault_marks m where m.agent_id = a.id and m.at <= ${from} order by m.at desc limit 1)
        union all (select 2, m.at, m.share_price_usd from judged_vault_marks m where m.agent_id = a.id and m.at > ${from} order by m.at limit 1)
        order by turn limit 1
      ) s on true
      -- A vault that was emptied begins again at another price: what its shares were given back at over what new ones cost.
      left join lateral (
        select exp(sum(ln(e.share_price_usd / d.share_price_usd))) as factor
        from (
          select change, at, share_price_usd, sum(case kind when 'deposit' then shares else -shares end) over (order by change) as shares
          from vault_changes where agent_id = a.id
        ) e join vault_changes d on d.agent_id = a.id and d.change = e.change + 1
        where e.shares = 0 and e.at > s.at and d.at <= l.at
      ) g on true
      where a.org_id = ${orgId} and v.changes > 0
    ), ranked as (
      select *, case when marked_at > ${from} and since_price > 0 then (share_price_usd / since_price * chained - 1) * 100 end as return_pct from priced
    )
    select *, row_number() over (order by return_pct desc nulls last, (1 - coalesce(share_price_usd, 0) / high_water_usd), id) as place from ranked
    order by place limit ${limit + 1} offset ${after === null ? 0 : Number(after)}`;
  const page = pageOfRows(rows, limit, (row) => String(row.place));
  const marks = page.items.flatMap(({ id, marked_at, since_at }) =>
    [marked_at, since_at].flatMap((at) => (at === null ? [] : [`${id} ${at}`])),
  );
  const vouched = await signed.signedOnes('vault_marks', [...new Set(marks)]);
  const isSigned = ({ id, marked_at, since_at }: RankedRow) =>
    [marked_at, since_at].every((at) => at === null || vouched.has(`${id} ${at}`));
  return { items: page.items.map((row) => rankedVault(isSigned(row) ? row : unmarked(row))), next: page.next };
}

/** Removes the rank of a vault with unsigned marks. */
function unmarked(row: RankedRow): RankedRow {
  return { ...row, marked_at: null, equity_usd: null, share_price_usd: null, since_at: null, return_pct: null };
}

/** Returns false for an unsigned row. @throws any other error */
function refusalOnly(error: unknown): false {
  if (error instanceof UnsignedRow) return false;
  throw error;
}

function rankedVault(row: RankedRow): RankedVault {
  const price = row.share_price_usd === null ? null : plainDecimal(row.share_price_usd);
  return {
    rank: row.return_pct === null ? null : row.place,
    agentId: row.id,
    name: row.name,
    stage: row.stage,
    returnPct: row.return_pct === null ? null : new Decimal(row.return_pct).toDecimalPlaces(6).toNumber(),
    sinceAt: row.return_pct === null ? null : row.since_at,
    sharePriceUsd: price,
    highWaterMarkUsd: plainDecimal(row.high_water_usd),
    drawdownPct: price === null ? null : drawdownPct(price, plainDecimal(row.high_water_usd)),
    equityUsd: row.equity_usd === null ? null : plainDecimal(row.equity_usd),
    allocatedUsd: plainDecimal(row.allocated_usd),
    realizedPnlUsd: plainDecimal(row.realized),
    depositors: row.depositors,
    markedAt: row.marked_at,
  };
}

/** Returns mid prices of live quotes at a slot for the instruments of some books. */
async function liveMids(sql: Sql, slot: EpochMs, books: readonly StoredBook[]): Promise<ReadonlyMap<InstrumentKey, DecimalString>> {
  const held = [...new Set(books.flatMap(({ state }) => state.holdings.map(({ instrument }) => instrument)))];
  if (held.length === 0) return new Map();
  const rows = await sql<{ instrument: InstrumentKey; body: string }[]>`
    select instrument, body from observations where slot = ${slot} and instrument = any(${held as string[]}::text[])`;
  return new Map(
    rows.flatMap(({ instrument, body }) => {
      const { quote } = JSON.parse(body) as Observation;
      return quote !== null && quote.quality === 'live' && quote.mid !== null ? [[instrument, quote.mid] as const] : [];
    }),
  );
}

/** Returns the instruments in live books, which are observed even if no agent's rules name them. */
export async function heldInstruments(sql: Sql): Promise<readonly InstrumentKey[]> {
  const rows = await sql<{ instrument: InstrumentKey }[]>`
    select distinct h ->> 'instrument' as instrument from books b cross join lateral readable_elements(b.holdings) h where b.mode = 'live' and h ->> 'instrument' is not null order by 1`;
  return rows.map(({ instrument }) => instrument);
}
