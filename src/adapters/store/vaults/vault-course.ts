/** Share price of a vault over time, from its signed marks at even intervals. */
import { type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import { drawdownPct } from '../../../domain/books/vault.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Sql } from '../database.ts';
import type { SignedRows } from '../trail/signed-rows.ts';

/** Mark of a vault. */
interface VaultPoint {
  readonly at: EpochMs;
  readonly equityUsd: DecimalString;
  readonly sharePriceUsd: DecimalString;
  readonly drawdownPct: number;
}

interface MarkRow {
  readonly at: number;
  readonly equity_usd: string;
  readonly share_price_usd: string;
  /** Highest share price until then. */
  readonly high: string;
}

export function createVaultCourse(sql: Sql, signed: Pick<SignedRows, 'signedOnes'>) {
  return {
    /** Returns a limited number of points, ascending, the last one being the newest mark; null if the organization has no such agent. */
    async course(orgId: string, agentId: string, points: number): Promise<readonly VaultPoint[] | null> {
      const [agent] = await sql`select 1 from agents where id = ${agentId} and org_id = ${orgId}`;
      if (agent === undefined) return null;
      const rows = await sql<MarkRow[]>`
        with marks as (
          select at, equity_usd, share_price_usd, max(share_price_usd) over (order by at) as high, ntile(${points}) over (order by at) as part
          from judged_vault_marks where agent_id = ${agentId}
        )
        select distinct on (part) at, equity_usd, share_price_usd, high from marks order by part, at desc`;
      const vouched = await signed.signedOnes(
        'vault_marks',
        rows.map(({ at }) => `${agentId} ${at}`),
      );
      return rows.filter(({ at }) => vouched.has(`${agentId} ${at}`)).map(toPoint);
    },
  };
}

export type VaultCourse = ReturnType<typeof createVaultCourse>;

function toPoint({ at, equity_usd, share_price_usd, high }: MarkRow): VaultPoint {
  return {
    at,
    equityUsd: plainDecimal(equity_usd),
    sharePriceUsd: plainDecimal(share_price_usd),
    drawdownPct: drawdownPct(plainDecimal(share_price_usd), plainDecimal(high)),
  };
}
