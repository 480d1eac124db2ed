/** Store of listed agent tokens (`listed_tokens`). */
import { completeCatalog, type ListedToken, type TokenOrigin } from '../../../domain/catalog/listed-token.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import type { Sql } from '../database.ts';

interface Row {
  mint: string;
  program: string;
  symbol: string;
  name: string;
  decimals: number;
  paired_stock: InstrumentKey | null;
  launcher: string;
  listed_at: number;
  delisted_at: number | null;
  origin: TokenOrigin | null;
}

export function createListedTokenStore(sql: Sql) {
  return {
    /** Returns every token that was ever listed, oldest first. */
    async all(): Promise<readonly ListedToken[]> {
      const rows = await sql<Row[]>`select * from listed_tokens order by listed_at, mint`;
      return rows.map(({ paired_stock: pairedStock, listed_at: listedAt, delisted_at: delistedAt, ...row }) => ({
        ...row,
        pairedStock,
        listedAt,
        delistedAt,
      }));
    },
    /** Returns the origin of a launched token; null for a token listed without a launch, or unknown. */
    async originOf(mint: string): Promise<TokenOrigin | null> {
      const [row] = await sql<Pick<Row, 'origin'>[]>`select origin from listed_tokens where mint = ${mint}`;
      return row?.origin ?? null;
    },
    /** Lists a token. Returns false and changes nothing if its mint or symbol was listed before. */
    async add(token: Omit<ListedToken, 'delistedAt'>): Promise<boolean> {
      const { mint, program, symbol, name, decimals, pairedStock, launcher, listedAt } = token;
      const rows = await sql.begin(
        (transaction) => transaction`
        insert into listed_tokens (mint, program, symbol, name, decimals, paired_stock, launcher, listed_at)
        values (${mint}, ${program}, ${symbol}, ${name}, ${decimals}, ${pairedStock}, ${launcher}, ${listedAt})
        on conflict do nothing`,
      );
      return rows.count === 1;
    },
    /** Ends a listing; false if there is none of the mint, or it has ended. */
    async delist(mint: string, at: EpochMs): Promise<boolean> {
      const rows = await sql.begin(
        (transaction) => transaction`update listed_tokens set delisted_at = ${at} where mint = ${mint} and delisted_at is null`,
      );
      return rows.count === 1;
    },
  };
}

/**
 * Adds listed tokens to this process's catalog; tokens of the sandbox's chain only if that is the chain. Returns sentences about tokens
 * that the catalog rejected.
 */
export async function loadListedTokens(sql: Sql, isSandboxed: boolean): Promise<readonly string[]> {
  const tokens = await createListedTokenStore(sql).all();
  return completeCatalog(tokens.filter(({ launcher }) => isSandboxed || launcher !== 'sandbox'));
}
