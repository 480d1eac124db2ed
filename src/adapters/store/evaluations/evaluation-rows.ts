/** Rows by which paper and shadow trading are assessed: fills of the paper book, live prices of cuts, and results of the flow. */
import { bookIds, type Fill } from '../../../domain/books/book.ts';
import { type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import type { Manifest } from '../../../domain/manifest/manifest.ts';
import type { Marks, PaperRows } from '../../../domain/agents/paper-evaluation.ts';
import type { ShadowRows } from '../../../domain/agents/shadow-evaluation.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import { toFill } from '../books/book-reads.ts';
import { readFunding } from '../books/funding-store.ts';
import { multiplierChanges } from '../catalog/token-multipliers.ts';
import type { Sql } from '../database.ts';

/** Period from the agent's arrival at its stage to the assessment, by the database's clock. */
interface StageWindow {
  readonly enteredAt: EpochMs;
  readonly evaluatedAt: EpochMs;
}

interface Evaluated {
  readonly id: string;
  readonly manifestVersion: number;
}

export function createEvaluationRows(sql: Sql) {
  async function readFills(bookId: string, until: EpochMs): Promise<readonly Fill[]> {
    const rows = await sql<Parameters<typeof toFill>[0][]>`
      select id, number, order_id, book_id, instrument, side, quantity, fill_price, fee_usd, notional_usd, decision_price, slippage_bps, at, quotes
      from fills where book_id = ${bookId} and at <= ${until} order by number`;
    return rows.map(toFill);
  }

  const readPauses = (agentId: string): Promise<PaperRows['pauses']> => sql<PaperRows['pauses'][number][]>`
    select at as "from", next_at as "to" from (
      select at, to_value ->> 'duty' as duty, version, lead(at) over (order by version) as next_at from steps where actor_id = ${agentId}
    ) s where s.duty = 'paused' order by version`;

  return {
    /** Returns the period; null for an agent without gate records. */
    async window(agentId: string): Promise<StageWindow | null> {
      const [row] = await sql<{ entered: number | null; now: number }[]>`select (stage_entry(${agentId})).at as entered, gate_now() as now`;
      return row === undefined || row.entered === null ? null : { enteredAt: row.entered, evaluatedAt: row.now };
    },

    async paper(agent: Evaluated, manifest: Manifest, { enteredAt, evaluatedAt }: StageWindow): Promise<PaperRows> {
      const bookId = bookIds.paper(agent.id, agent.manifestVersion);
      const fills = await readFills(bookId, evaluatedAt);
      const [known] = await sql<{ pausedMs: number; promisedBps: number | null }[]>`
        select paused_ms(${agent.id}, ${enteredAt}, ${evaluatedAt}) as "pausedMs", promised_cost_bps(${agent.id}, ${agent.manifestVersion}) as "promisedBps"`;
      const instruments = [...new Set(fills.map(({ instrument }) => instrument))];
      const marks = await sql<{ day: number | null; instrument: InstrumentKey; bid: DecimalString }[]>`
        with span as (
          select null::bigint as day, ${enteredAt}::bigint - 86400000 as "from", ${enteredAt}::bigint + 1 as until
          union all
          select day, day, least(day + 86400000, ${evaluatedAt}::bigint + 1)
          from generate_series(${enteredAt}::bigint - ${enteredAt}::bigint % 86400000, ${evaluatedAt}::bigint, 86400000) as day
        )
        select s.day, i.instrument, b.bid from span s cross join unnest(${instruments as string[]}::text[]) as i(instrument)
        cross join lateral last_bid_in_units(i.instrument, s."from", s.until) as b(bid) where b.bid is not null`;
      const dayMarks = new Map<EpochMs, Map<InstrumentKey, DecimalString>>();
      const entryMarks = new Map<InstrumentKey, DecimalString>();
      for (const { day, instrument, bid } of marks) {
        if (day === null) entryMarks.set(instrument, plainDecimal(bid));
        else dayMarks.set(day, (dayMarks.get(day) ?? new Map()).set(instrument, plainDecimal(bid)));
      }
      return {
        bookId,
        capitalUsd: manifest.maxCapitalUsd,
        enteredAt,
        evaluatedAt,
        pausedMs: known?.pausedMs ?? 0,
        pauses: await readPauses(agent.id),
        promisedBps: known?.promisedBps ?? null,
        fills,
        funding: await readFunding(sql, bookId, evaluatedAt),
        rescalings: await multiplierChanges(sql, instruments, evaluatedAt),
        entryMarks,
        dayMarks: dayMarks as ReadonlyMap<EpochMs, Marks>,
      };
    },

    async shadow(agent: Evaluated, manifest: Manifest, { enteredAt, evaluatedAt }: StageWindow): Promise<ShadowRows> {
      const bookId = bookIds.paper(agent.id, agent.manifestVersion);
      const rows = await sql<
        { id: string; outcome: 'measured' | 'unknown'; quantity: DecimalString | null; price: DecimalString | null }[]
      >`
        select f.id, w.outcome, w.quantity, w.price from fills f join shadow_windows w on w.fill_id = f.id and w.measured_at <= ${evaluatedAt}
        where f.book_id = ${bookId} and f.at between ${enteredAt} and ${evaluatedAt}`;
      const plain = (figure: DecimalString | null): DecimalString | null => (figure === null ? null : plainDecimal(figure));
      return {
        enteredAt,
        evaluatedAt,
        maxSlippageBps: manifest.maxSlippageBps,
        fills: await readFills(bookId, evaluatedAt),
        measured: new Map(
          rows.map(({ id, outcome, quantity, price }) => [id, { outcome, quantity: plain(quantity), price: plain(price) }]),
        ),
      };
    },
  };
}
