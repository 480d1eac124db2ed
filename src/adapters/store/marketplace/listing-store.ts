/** Store of marketplace listings. Triggers copy the statements about the strategy from the record. */
import type { ListingWish } from '../../../../actors/listing/commands.ts';
import { type Listing, listing } from '../../../../actors/listing/resource.ts';
import type { ActorRecord } from '../../../domain/agents/actor-step.ts';
import type { Manifest } from '../../../domain/manifest/manifest.ts';
import { type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { writeRecords } from '../actors/actor-records.ts';
import { inTransaction } from '../actors/actor-store.ts';
import type { Sql, Transaction } from '../database.ts';
import { anywhere, pageOfRows } from '../queries.ts';
import { selectColumns } from '../resource-rows.ts';

type Row = Readonly<Record<string, unknown>>;

/** Filter of listings; null conditions are ignored. */
interface ListingFilter {
  readonly category: string | null;
  /** Text in name or description, ignoring case. */
  readonly search: string | null;
  readonly maxPriceUsd: DecimalString | null;
  /** True for the organization's own listings, including unlisted ones. */
  readonly mine: boolean;
}

/** Columns of a listing of the table `t`, and whether the organization published it. */
const columns = (on: Sql | Transaction, orgId: string) => on`${selectColumns(on, listing)}, t.org_id = ${orgId} as own`;

function toView(row: Row): Listing {
  const view = listing.view(row);
  return { ...view, priceUsd: plainDecimal(view.priceUsd), own: row['own'] as boolean };
}

export function createListingStore(sql: Sql) {
  return {
    ...listingWrites(sql),

    /** Lists listings, newest first. The position is the last one's number. Unlisted ones are visible to their creator only. */
    async list(orgId: string, { category, search, maxPriceUsd, mine }: ListingFilter, { limit, after }: Page): Promise<PageOf<Listing>> {
      const rows = await sql<(Row & { readonly number: number })[]>`
        select t.number, ${columns(sql, orgId)} from marketplace_listings t
        where ${mine ? sql`org_id = ${orgId}` : sql`state = 'listed'`}
        ${category === null ? sql`` : sql`and categories @> array[${category}]::text[]`}
        ${search === null ? sql`` : sql`and (name ilike ${anywhere(search)} or description ilike ${anywhere(search)})`}
        ${maxPriceUsd === null ? sql`` : sql`and price_usd <= ${maxPriceUsd}::numeric`}
        ${after === null ? sql`` : sql`and number < ${Number(after)}`}
        order by number desc limit ${limit + 1}`;
      const page = pageOfRows(rows, limit, ({ number }) => String(number));
      return { items: page.items.map(toView), next: page.next };
    },

    async find(orgId: string, id: string): Promise<Listing | null> {
      const [row] = await sql<Row[]>`select ${columns(sql, orgId)} from marketplace_listings t where id = ${id}`;
      return row === undefined ? null : toView(row);
    },

    /** Returns the manifest; null if row-level security hides it from the organization. */
    async rules(_: string, id: string): Promise<Manifest | null> {
      const [row] = await sql<{ canonical: string }[]>`select canonical from listing_rules where listing_id = ${id}`;
      return row === undefined ? null : (JSON.parse(row.canonical) as Manifest);
    },

    /** Lists the prices of a listing, newest first. The position is the last one's number. */
    async prices(
      _: string,
      id: string,
      { limit, after }: Page,
    ): Promise<PageOf<{ readonly priceUsd: DecimalString; readonly at: EpochMs }>> {
      const rows = await sql<{ number: number; price_usd: string; at: number }[]>`
        select number, price_usd::text, at from listing_prices where listing_id = ${id} ${after === null ? sql`` : sql`and number < ${Number(after)}`}
        order by number desc limit ${limit + 1}`;
      const page = pageOfRows(rows, limit, ({ number }) => String(number));
      return { items: page.items.map(({ price_usd, at }) => ({ priceUsd: plainDecimal(price_usd), at })), next: page.next };
    },

    /** Returns the organization's manifest version, or `no_agent` or `no_version` if it does not exist. */
    async manifest(orgId: string, agentId: string, version: number): Promise<Manifest | 'no_agent' | 'no_version'> {
      const [row] = await sql<{ canonical: string | null }[]>`
        select m.canonical from agents a left join manifests m on m.agent_id = a.id and m.version = ${version}
        where a.id = ${agentId} and a.org_id = ${orgId}`;
      if (row === undefined) return 'no_agent';
      return row.canonical === null ? 'no_version' : (JSON.parse(row.canonical) as Manifest);
    },

    /** Returns true if the organization has linked this wallet of the primary chain. */
    async isProved(orgId: string, address: string): Promise<boolean> {
      const rows = await sql`select 1 from linked_wallets where org_id = ${orgId} and address = ${address} and chain = 'spotchain'`;
      return rows.length > 0;
    },
  };
}

/** Creates the writes of listings, each in one transaction with its command's records. */
function listingWrites(sql: Sql) {
  return {
    /** Writes a listing with its command's records. The database fills in the figures of the track record. */
    publish: (
      orgId: string,
      wish: ListingWish & { readonly id: string; readonly by: string; readonly at: EpochMs },
      recordsOf: (published: Listing) => readonly ActorRecord[],
    ): Promise<Listing> =>
      inTransaction(sql, async (transaction) => {
        const { id, agentId, manifestVersion, categories, priceUsd, payoutWallet, by, at } = wish;
        // A trigger overwrites the placeholder values.
        const [row] = await transaction<[Row]>`
          insert into marketplace_listings as t (id, org_id, agent_id, manifest_version, manifest_hash, name, description, categories, shape, evidence, price_usd,
            payout_wallet, state, published_by, published_at, changed_by, changed_at)
          values (${id}, ${orgId}, ${agentId}, ${manifestVersion}, '', '', '', ${categories as string[]}, '{}', '{}', ${priceUsd}::numeric,
            ${payoutWallet}, 'listed', ${by}, ${at}, ${by}, ${at})
          returning ${columns(transaction, orgId)}`;
        const published = toView(row);
        await writeRecords(transaction, recordsOf(published));
        return published;
      }),

    /** Changes a listing. Returns null if the organization has no such listing, or `ended` if it is unlisted. */
    change: (
      orgId: string,
      id: string,
      { priceUsd, state, by, at }: { readonly priceUsd?: string; readonly state?: 'unlisted'; readonly by: string; readonly at: EpochMs },
      recordsOf: (before: Listing, after: Listing) => readonly ActorRecord[],
    ): Promise<Listing | 'ended' | null> =>
      inTransaction(sql, async (transaction) => {
        const [before] = await transaction<Row[]>`
          select ${columns(transaction, orgId)} from marketplace_listings t where id = ${id} and org_id = ${orgId} for update`;
        if (before === undefined) return null;
        if (before['state'] === 'unlisted') return 'ended';
        const [row] = await transaction<[Row]>`
          update marketplace_listings t set price_usd = coalesce(${priceUsd ?? null}::numeric, price_usd), state = coalesce(${state ?? null}, state),
            changed_by = ${by}, changed_at = ${at}
          where id = ${id} returning ${columns(transaction, orgId)}`;
        const after = toView(row);
        await writeRecords(transaction, recordsOf(toView(before), after));
        return after;
      }),

    /** Returns true for the error of publishing a version that is already listed. */
    isListed(error: unknown): boolean {
      const { code, constraint_name: constraint } = error as { code?: string; constraint_name?: string };
      return code === '23505' && constraint === 'one_listing_per_version';
    },
  };
}

/** Reads of the marketplace, newest first. Listings are public; rules are visible to their creator and to licence holders. */
export type ListingStore = ReturnType<typeof createListingStore>;
