/** Agent tokens that are listed, at rest (`listed_tokens`). */
import { completeCatalog, type ListedToken, type TokenOrigin } from '../../../domain/catalog/listed-token.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import type { Sql } from '../database.ts';

export interface ListedTokenStore {
  /** Every token that was ever listed, oldest first. */
  all(): Promise<readonly ListedToken[]>;
  /** Origin of a launched token; null if it was listed without a launch, or not at all. */
  originOf(mint: string): Promise<TokenOrigin | null>;
  /** Lists a token. False if its mint or its symbol was listed before: then nothing is changed. */
  add(token: Omit<ListedToken, 'delistedAt'>): Promise<boolean>;
  /** Ends a listing. Returns false if there is not one of that mint, or it has ended. */
  delist(mint: string, at: EpochMs): Promise<boolean>;
}

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

export function createListedTokenStore(sql: Sql): ListedTokenStore {
  return {
    async all() {
      const rows = await sql<Row[]>`select * from listed_tokens order by listed_at, mint`;
      return rows.map(({ paired_stock: pairedStock, listed_at: listedAt, delisted_at: delistedAt, ...row }) => ({
        ...row,
        pairedStock,
        listedAt,
        delistedAt,
      }));
    },
    async originOf(mint) {
      const [row] = await sql<Pick<Row, 'origin'>[]>`select origin from listed_tokens where mint = ${mint}`;
      return row?.origin ?? null;
    },
    async add({ mint, program, symbol, name, decimals, pairedStock, launcher, listedAt }) {
      const rows = await sql.begin(
        (transaction) => transaction`
        insert into listed_tokens (mint, program, symbol, name, decimals, paired_stock, launcher, listed_at)
        values (${mint}, ${program}, ${symbol}, ${name}, ${decimals}, ${pairedStock}, ${launcher}, ${listedAt})
        on conflict do nothing`,
      );
      return rows.count === 1;
    },
    async delist(mint, at) {
      const rows = await sql.begin(
        (transaction) => transaction`update listed_tokens set delisted_at = ${at} where mint = ${mint} and delisted_at is null`,
      );
      return rows.count === 1;
    },
  };
}

/**
 * Completes this process's catalog with what is listed; what the sandbox's chain has is listed only where that is the chain.
 * @returns what could not stand in the catalog, in sentences.
 */
export async function loadListedTokens(sql: Sql, isSandboxed: boolean): Promise<readonly string[]> {
  const tokens = await createListedTokenStore(sql).all();
  return completeCatalog(tokens.filter(({ launcher }) => isSandboxed || launcher !== 'sandbox'));
}
