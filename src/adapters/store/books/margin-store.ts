/** Paper books with perpetuals, and the booking of their liquidations. */
import type { Fill, Position } from '../../../domain/books/book.ts';
import { plainDecimal } from '../../../domain/values/decimal.ts';
import { DEFAULT_PREFERENCES } from '../../../domain/risk/preferences.ts';
import { writeRecords } from '../actors/actor-records.ts';
import { hintAnnouncements, inTransaction } from '../actors/actor-store.ts';
import type { Sql, Transaction } from '../database.ts';
import { BookMoved } from './book-store.ts';
import { readFunding, readPerpetualFills } from './funding-store.ts';
import type { FundingPayment, PerpetualFill } from '../../../domain/orders/funding.ts';
import type { LeverageLimits } from '../../../domain/orders/margin.ts';

/** A paper book with perpetuals. */
export interface MarginedBook {
  readonly id: string;
  readonly orgId: string;
  readonly version: number;
  readonly holdings: readonly Position[];
  /** Stricter of the manifest's and the organization's limits. */
  readonly limits: LeverageLimits;
  /** Funding booked to it. */
  readonly funding: readonly FundingPayment[];
  /** Its fills of perpetuals since its oldest position was opened, ascending. */
  readonly fills: readonly PerpetualFill[];
}

interface Row {
  id: string;
  org_id: string;
  version: number;
  holdings: readonly Position[];
  max_leverage: string;
  max_capital: string;
}

/** Announces a liquidation on the channel `alerts`. */
async function announceLiquidation(transaction: Transaction, { bookId, instrument, quantity, fillPrice, at }: Fill): Promise<void> {
  const detail = `The ${instrument} position of ${quantity} was liquidated at ${fillPrice}: its equity was at the maintenance margin`;
  await transaction`
    insert into announcements (channel, org_id, actor_id, at, body)
    select 'alerts', org_id, agent_id, ${at}, jsonb_strip_nulls(jsonb_build_object('agentId', agent_id)) ||
      ${transaction.json({ what: 'liquidated', bookId, instrument, quantity, fillPrice, detail })} from books where id = ${bookId}`;
  await hintAnnouncements(transaction);
}

export function createMarginStore(sql: Sql) {
  return {
    async margined(): Promise<readonly MarginedBook[]> {
      const { maxLeverage, maxCapitalUsd } = DEFAULT_PREFERENCES;
      // `least` ignores the missing manifest of a manual book.
      const rows = await sql<Row[]>`
        select b.id, b.org_id, b.version, b.holdings,
          least((readable_json(m.canonical) ->> 'maxLeverage')::numeric, coalesce((p.body ->> 'maxLeverage')::numeric, ${maxLeverage}::numeric))::text as max_leverage,
          least((readable_json(m.canonical) ->> 'maxCapitalUsd')::numeric, coalesce((p.body ->> 'maxCapitalUsd')::numeric, ${maxCapitalUsd}::numeric))::text as max_capital
        from books b left join manifests m on m.agent_id = b.agent_id and m.version = b.manifest_version
        left join lateral (select body from risk_preferences r where r.org_id = b.org_id order by version desc limit 1) p on true
        where b.mode = 'paper' and exists (
          select 1 from readable_elements(b.holdings) h(holding) where starts_with(h.holding ->> 'instrument', 'evmvenue:'))
        order by b.id`;
      return Promise.all(
        rows.map(async (row) => ({
          id: row.id,
          orgId: row.org_id,
          version: row.version,
          holdings: row.holdings,
          limits: { maxLeverage: plainDecimal(row.max_leverage), maxCapitalUsd: plainDecimal(row.max_capital) },
          funding: await readFunding(sql, row.id),
          fills: await readPerpetualFills(sql, row.id, Math.min(...row.holdings.map(({ openedAt }) => openedAt))),
        })),
      );
    },

    /** Books the end of a position, unless the book has changed since it was read. Returns 1 if it was booked. */
    async end({ orgId, version }: Pick<MarginedBook, 'orgId' | 'version'>, fill: Fill): Promise<number> {
      try {
        await inTransaction(sql, async (transaction) => {
          await writeRecords(transaction, [{ type: 'fill', orgId, fill, expectedVersion: version }]);
          await announceLiquidation(transaction, fill);
        });
        return 1;
      } catch (error) {
        if (error instanceof BookMoved) return 0;
        throw error;
      }
    },
  };
}

export type MarginStore = ReturnType<typeof createMarginStore>;
