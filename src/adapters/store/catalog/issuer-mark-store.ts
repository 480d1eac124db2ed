/** Store of issuers' marks (`issuer_marks`): one row per change, append-only. */
import type { DecimalString } from '../../../domain/values/decimal.ts';
import { plainDecimal } from '../../../domain/values/decimal.ts';
import type { MarkChange } from '../../../domain/catalog/issuer-mark.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import type { Sql } from '../database.ts';
import { readsReal, writesReal } from './source-origins.ts';

/** Change of a mark, and the previous mark. */
interface RecordedMark {
  readonly id: number;
  readonly change: MarkChange;
  readonly previous: { readonly markPrice: DecimalString; readonly markValuation: DecimalString } | null;
}

interface Row {
  id: number;
  issuer: string;
  source: string;
  instrument: string;
  mint: string;
  mark_price: string;
  mark_valuation: string;
  supply: string | null;
  token_price: string | null;
  implied_valuation: string | null;
  seen_at: number;
}

interface RowWithPrevious extends Row {
  previous_price: string | null;
  previous_valuation: string | null;
}

function toChange(row: Row): MarkChange {
  const text = (value: string | null): DecimalString | null => (value === null ? null : plainDecimal(value));
  return {
    issuer: row.issuer,
    source: row.source,
    symbol: row.instrument,
    mint: row.mint,
    markPrice: plainDecimal(row.mark_price),
    markValuation: plainDecimal(row.mark_valuation),
    supply: text(row.supply),
    tokenPrice: text(row.token_price),
    impliedValuation: text(row.implied_valuation),
    receivedAt: row.seen_at,
  };
}

export function createIssuerMarkStore(sql: Sql) {
  return {
    /** Returns the first and the last known change of each token. */
    async newest(): Promise<readonly { readonly first: MarkChange; readonly last: MarkChange }[]> {
      const rows = await sql<Row[]>`
        select m.* from issuer_marks m
        join (select instrument, min(id) as first, max(id) as last from issuer_marks where is_real = ${readsReal(sql, 'issuer')} group by instrument) e
          on m.id in (e.first, e.last) order by m.id`;
      const byInstrument = new Map<string, { first: MarkChange; last: MarkChange }>();
      for (const row of rows) {
        const change = toChange(row);
        const before = byInstrument.get(change.symbol);
        byInstrument.set(change.symbol, { first: before?.first ?? change, last: change });
      }
      return [...byInstrument.values()];
    },

    /** Stores changes; existing ones are not changed. */
    async append(changes: readonly MarkChange[]): Promise<void> {
      const rows = changes.map((change) => ({
        issuer: change.issuer,
        source: change.source,
        instrument: change.symbol,
        mint: change.mint,
        mark_price: change.markPrice,
        mark_valuation: change.markValuation,
        supply: change.supply,
        token_price: change.tokenPrice,
        implied_valuation: change.impliedValuation,
        seen_at: change.receivedAt,
      }));
      await sql.begin(
        (transaction) => transaction`
        insert into issuer_marks (is_real, issuer, source, instrument, mint, mark_price, mark_valuation, supply, token_price, implied_valuation, seen_at)
        select ${writesReal(sql, 'issuer')}, r.* from jsonb_to_recordset(${sql.json(rows)}) as r (issuer text, source text, instrument text, mint text, mark_price numeric,
          mark_valuation numeric, supply numeric, token_price numeric, implied_valuation numeric, seen_at bigint)`,
      );
    },

    async changes(instrument: string | null, { limit, after }: Page): Promise<PageOf<RecordedMark>> {
      const rows = await sql<RowWithPrevious[]>`
        select * from (
          select m.*, lag(mark_price) over w as previous_price, lag(mark_valuation) over w as previous_valuation
          from issuer_marks m where (${instrument}::text is null or instrument = ${instrument}) and is_real = ${readsReal(sql, 'issuer')}
          window w as (partition by instrument order by id)
        ) c
        where ${after}::bigint is null or id < ${after}::bigint
        order by id desc limit ${limit + 1}`;
      const items = rows.slice(0, limit).map(
        (row): RecordedMark => ({
          id: row.id,
          change: toChange(row),
          previous:
            row.previous_price === null || row.previous_valuation === null
              ? null
              : { markPrice: plainDecimal(row.previous_price), markValuation: plainDecimal(row.previous_valuation) },
        }),
      );
      const last = items.at(-1);
      return { items, next: rows.length > limit && last !== undefined ? String(last.id) : null };
    },
  };
}

/** History of issuers' marks, newest first, of one token or (null) of all. */
export type IssuerMarkStore = ReturnType<typeof createIssuerMarkStore>;
