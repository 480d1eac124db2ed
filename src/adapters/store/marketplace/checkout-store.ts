/** Store of checkouts, licences and imports. */
import { type CheckoutView, checkout, type Licence, licence } from '../../../../actors/checkout/resource.ts';
import type { Sql } from '../database.ts';
import { createRowReads } from '../resource-rows.ts';

export function createCheckoutStore(sql: Sql) {
  const checkouts = createRowReads(
    sql,
    { ...checkout, view: (row): CheckoutView => checkout.whole(row) },
    {
      columns: sql`p.unsigned as transaction, (p.message->>'lastValidBlockHeight')::bigint as "lastValidBlockHeight", l.id as "licenceId"`,
      join: sql`left join prepared_transactions p on p.id = t.transaction_id left join licences l on l.checkout_id = t.id`,
    },
  );
  const licences = createRowReads(
    sql,
    { ...licence, view: (row): Licence => licence.whole(row) },
    {
      columns: sql`array(select i.agent_id from marketplace_imports i where i.licence_id = t.id order by i.at, i.agent_id) as "agentIds"`,
      join: sql``,
    },
  );

  return {
    ...checkouts,
    licences: licences.list,
    licence: (orgId: string, listingId: string): Promise<Licence | null> => licences.one(orgId, sql`t.listing_id = ${listingId}`),

    /** Returns the id of another checkout of a listing that is open or whose late payment is looked for, or null. */
    async openCheckout(orgId: string, listingId: string, thisId: string | null): Promise<string | null> {
      const [row] = await sql<{ id: string }[]>`
        select id from marketplace_checkouts
        where org_id = ${orgId} and listing_id = ${listingId} and state in ('prepared', 'submitted', 'confirmed', 'late')
          and id is distinct from ${thisId}::uuid limit 1`;
      return row?.id ?? null;
    },

    /** Returns why the database refused a checkout (another one is open, or the listing changed); null for other errors. */
    startProblem(error: unknown): string | null {
      const { code, constraint_name: constraint } = error as { code?: string; constraint_name?: string };
      if (code === '23505' && constraint === 'one_open_checkout') return 'another checkout of this listing has just begun: settle that one';
      if (constraint === 'checkout_as_listed') return 'the listing has changed in this moment: check out anew';
      return null;
    },
  };
}

/** Checkouts and licences of the organization, newest first; a foreign one is answered like a missing one. */
export type CheckoutStore = ReturnType<typeof createCheckoutStore>;
