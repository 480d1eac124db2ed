/** Holdings of several books over time: sums of their ledgers and the prices of cuts. */
import { Decimal, type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import type { LedgerMove } from '../../../domain/books/equity-course.ts';
import type { BookContents } from '../../../domain/portfolio/performance.ts';
import { DAY_MS, type EpochMs, WEEK_MS } from '../../../domain/values/time.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import type { Sql } from '../database.ts';
import { movedBefore } from '../trail/history-archive.ts';

export interface MoveRow {
  at: number;
  kind: LedgerMove['kind'];
  asset: string;
  amount: string;
}

export function toMove({ at, kind, asset, amount }: MoveRow): LedgerMove {
  return { at, kind, instrument: kind === 'position' ? (asset as InstrumentKey) : null, amount: plainDecimal(amount) };
}

export function createTotalReads(sql: Sql) {
  return {
    /**
     * Returns the time at which the first of these books was opened, and the start of the stored observations; null if they are complete.
     */
    async opened(
      orgId: string,
      bookIds: readonly string[],
    ): Promise<{ readonly openedAt: EpochMs | null; readonly observedFrom: EpochMs | null }> {
      const [[row], observedFrom] = await Promise.all([
        sql<{ at: number | null }[]>`
          select min(opened_at) as at from books where org_id = ${orgId} and id = any(${bookIds as string[]})`,
        movedBefore(sql),
      ]);
      return { openedAt: row?.at ?? null, observedFrom };
    },

    /** Returns the summed ledger moves of these books between `times` (ascending): at most one per kind and instrument. */
    async movesOf(orgId: string, bookIds: readonly string[], times: readonly EpochMs[]): Promise<readonly LedgerMove[]> {
      const rows = await sql<(Omit<MoveRow, 'at'> & { point: number })[]>`
        select width_bucket(t.at - 1, ${times as number[]}::bigint[]) as point, a.kind, a.asset, sum(l.amount) as amount
        from books b join ledger_transactions t on t.book_id = b.id
        join ledger_legs l on l.transaction_id = t.id join ledger_accounts a on a.id = l.account_id
        where b.org_id = ${orgId} and b.id = any(${bookIds as string[]}) and t.at <= ${times.at(-1) ?? 0}
          and a.kind in ('cash', 'capital', 'position')
        group by 1, 2, 3 order by 1`;
      return rows.map(({ point, ...row }) => toMove({ ...row, at: times[point] as number }));
    },

    /** Returns holdings and cash of each book before an instant, by book id. Leaves out books that are not open. */
    contentsBefore: (orgId: string, bookIds: readonly string[], before: EpochMs): Promise<ReadonlyMap<string, BookContents>> =>
      contentsBefore(sql, orgId, bookIds, before),

    /** Returns the last mid price of each instrument before an instant, from the newest cut or one of the day before it. */
    midsBefore: (
      _orgId: string,
      instruments: readonly InstrumentKey[],
      before: EpochMs,
    ): Promise<ReadonlyMap<InstrumentKey, DecimalString>> => midsBefore(sql, instruments, before),

    /** Returns the dollars that instruments earned in each book since an instant, less their costs, fees and funding. */
    tradedSince: (
      orgId: string,
      bookIds: readonly string[],
      instruments: readonly InstrumentKey[],
      since: EpochMs,
    ): Promise<ReadonlyMap<string, ReadonlyMap<InstrumentKey, DecimalString>>> => tradedSince(sql, orgId, bookIds, instruments, since),

    /** Returns the mid prices of the newest cut at each of `times`; cuts older than `withinMs` are ignored. */
    async observedMids(
      _orgId: string,
      instruments: readonly InstrumentKey[],
      times: readonly EpochMs[],
      withinMs: number,
    ): Promise<ReadonlyMap<EpochMs, ReadonlyMap<InstrumentKey, DecimalString>>> {
      const rows = await sql<{ at: number; instrument: InstrumentKey; mid: string }[]>`
        select t.at, o.instrument, o.body::jsonb #>> '{quote,mid}' as mid
        from unnest(${times as number[]}::bigint[]) as t (at)
        cross join lateral (
          select slot from judged_cuts c where c.slot <= t.at and c.slot > t.at - ${withinMs}::bigint and c.source = 'streams'
          order by slot desc limit 1) s
        cross join unnest(${instruments as string[]}::text[]) as i (instrument)
        join judged_observations o on o.slot = s.slot and o.instrument = i.instrument
        where o.body::jsonb #>> '{quote,mid}' is not null`;
      const found = new Map<number, Map<InstrumentKey, DecimalString>>();
      for (const { at, instrument, mid } of rows) {
        const known = found.get(at) ?? new Map<InstrumentKey, DecimalString>();
        found.set(at, known.set(instrument, plainDecimal(mid)));
      }
      return found;
    },
  };
}

/** Maximum age in milliseconds of a cut for the start of a day. */
const CUT_MAX_AGE_MS = WEEK_MS;
/** Maximum age of a mid price before the newest cut; the venues of held instruments never close. */
const MID_MAX_AGE_MS = DAY_MS;

async function midsBefore(
  sql: Sql,
  instruments: readonly InstrumentKey[],
  before: EpochMs,
): Promise<ReadonlyMap<InstrumentKey, DecimalString>> {
  const rows = await sql<{ instrument: InstrumentKey; mid: string }[]>`
    select i.instrument, m.mid from (
      select slot from judged_cuts where slot <= ${before} and slot > ${before - CUT_MAX_AGE_MS} and source = 'streams' order by slot desc limit 1) n
    cross join unnest(${instruments as string[]}::text[]) as i (instrument)
    cross join lateral (
      select o.body::jsonb #>> '{quote,mid}' as mid from judged_cuts c join judged_observations o on o.slot = c.slot and o.instrument = i.instrument
      where c.slot <= n.slot and c.slot > n.slot - ${MID_MAX_AGE_MS}::bigint and c.source = 'streams' and o.body::jsonb #>> '{quote,mid}' is not null
      order by c.slot desc limit 1) m`;
  return new Map(rows.map(({ instrument, mid }) => [instrument, plainDecimal(mid)]));
}

async function tradedSince(
  sql: Sql,
  orgId: string,
  bookIds: readonly string[],
  instruments: readonly InstrumentKey[],
  since: EpochMs,
): Promise<ReadonlyMap<string, ReadonlyMap<InstrumentKey, DecimalString>>> {
  const rows = await sql<{ book_id: string; instrument: InstrumentKey; usd: string }[]>`
    with booked as (
      select t.id, t.book_id, coalesce(
        (select a.asset from ledger_legs l join ledger_accounts a on a.id = l.account_id where l.transaction_id = t.id and a.kind = 'position'),
        case t.kind when 'funding' then substring(t.id from '(evmvenue:.*):[0-9]+$') end) as instrument
      from books b join ledger_transactions t on t.book_id = b.id
      where b.org_id = ${orgId} and b.id = any(${bookIds as string[]}) and t.at >= ${since}
    )
    -- Capital: tokens that a wallet brought in were not earned.
    select t.book_id, t.instrument, sum(l.amount)::text as usd
    from booked t join ledger_legs l on l.transaction_id = t.id join ledger_accounts a on a.id = l.account_id
    where t.instrument = any(${instruments as string[]}) and a.kind in ('cash', 'capital') group by 1, 2`;
  const found = new Map<string, Map<InstrumentKey, DecimalString>>();
  for (const { book_id, instrument, usd } of rows)
    found.set(book_id, (found.get(book_id) ?? new Map<InstrumentKey, DecimalString>()).set(instrument, plainDecimal(usd)));
  return found;
}

async function contentsBefore(
  sql: Sql,
  orgId: string,
  bookIds: readonly string[],
  before: EpochMs,
): Promise<ReadonlyMap<string, BookContents>> {
  // Present totals minus later bookings: a day has fewer bookings than a book.
  const rows = await sql<{ book_id: string; kind: MoveRow['kind']; asset: string; amount: string }[]>`
    with asked as (
      select id, capital_usd, cash_usd, holdings from books where org_id = ${orgId} and id = any(${bookIds as string[]})
    ), parts as (
      select id as book_id, 'cash' as kind, 'USD' as asset, cash_usd as amount from asked
      union all select id, 'capital', 'USD', -capital_usd from asked
      union all select id, 'position', h ->> 'instrument', (h ->> 'quantity')::numeric from asked, jsonb_array_elements(holdings) h
      union all select b.id, a.kind, a.asset, -l.amount
      from asked b join ledger_transactions t on t.book_id = b.id and t.at >= ${before}
      join ledger_legs l on l.transaction_id = t.id join ledger_accounts a on a.id = l.account_id
      where a.kind in ('cash', 'capital', 'position')
    )
    select book_id, kind, asset, sum(amount)::text as amount from parts group by 1, 2, 3 having kind <> 'position' or sum(amount) <> 0`;
  const found = new Map<string, BookContents>();
  for (const { book_id, kind, asset, amount } of rows) {
    const known = found.get(book_id) ?? { cashUsd: '0', capitalUsd: '0', holdings: [] };
    const { instrument, amount: moved } = toMove({ at: before, kind, asset, amount });
    if (kind === 'cash') found.set(book_id, { ...known, cashUsd: moved });
    else if (kind === 'capital') found.set(book_id, { ...known, capitalUsd: plainDecimal(new Decimal(moved).neg()) });
    else if (instrument !== null) found.set(book_id, { ...known, holdings: [...known.holdings, { instrument, quantity: moved }] });
  }
  return found;
}
