/** Checkouts, licences and imports in PostgreSQL. */
import type { CheckoutDirectory } from '../../../../actors/checkout/command-handler.ts';
import type { CheckoutView, Licence } from '../../../../actors/checkout/commands.ts';
import type { CheckoutReads } from '../../../../api/v1/marketplace/ports.ts';
import type { ActorRecord } from '../../../domain/actor-step.ts';
import { plainDecimal } from '../../../domain/decimal.ts';
import type { CheckoutState } from '../../../domain/marketplace/checkout.ts';
import type { Sql, Transaction } from '../database.ts';
import { pageOfRows } from '../page-of-rows.ts';

interface CheckoutRow {
  readonly id: string;
  readonly number: number;
  readonly listing_id: string;
  readonly manifest_hash: string;
  readonly price_usd: string;
  readonly buyer: string | null;
  readonly payout_wallet: string | null;
  readonly memo: string | null;
  readonly state: CheckoutState;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly signature: string | null;
  readonly requested_by: string;
  readonly submitted_by: string | null;
  readonly created_at: number;
  readonly changed_at: number;
  readonly unsigned: string | null;
  readonly last_valid: number | null;
  readonly licence_id: string | null;
}

interface LicenceRow {
  readonly id: string;
  readonly number: number;
  readonly listing_id: string;
  readonly checkout_id: string;
  readonly manifest_hash: string;
  readonly price_usd: string;
  readonly signature: string | null;
  readonly issued_to: string;
  readonly issued_at: number;
  readonly agent_ids: readonly string[];
}

/** Writes where checkouts stand; where one step projects twice, the last row is what it leaves. */
export function writeCheckouts(transaction: Transaction, rows: readonly ActorRecord[]): Promise<unknown> {
  const last = [...new Map(rows.map((row) => [row['id'], row])).values()];
  return transaction`
    insert into marketplace_checkouts (id, org_id, listing_id, manifest_hash, price_usd, buyer, payout_wallet, memo, transaction_id, state, reason, detail,
      signature, requested_by, submitted_by, created_at, changed_at)
    select id, "orgId", "listingId", "manifestHash", "priceUsd", buyer, "payoutWallet", memo, "transactionId", state, reason, detail,
      signature, "requestedBy", "submittedBy", "createdAt", "changedAt"
    from jsonb_to_recordset(${transaction.json(last as never)}) as r(id uuid, "orgId" uuid, "listingId" uuid, "manifestHash" text, "priceUsd" numeric,
      buyer text, "payoutWallet" text, memo text, "transactionId" uuid, state text, reason text, detail text, signature text, "requestedBy" text,
      "submittedBy" text, "createdAt" bigint, "changedAt" bigint)
    on conflict (id) do update set state = excluded.state, reason = excluded.reason, detail = excluded.detail, signature = excluded.signature,
      submitted_by = excluded.submitted_by, changed_at = excluded.changed_at`;
}

/** Issues licences; an organization that holds one of the listing keeps that one. */
export function writeLicences(transaction: Transaction, rows: readonly ActorRecord[]): Promise<unknown> {
  return transaction`
    insert into licences (id, org_id, listing_id, checkout_id, manifest_hash, price_usd, signature, issued_to, issued_at)
    select id, "orgId", "listingId", "checkoutId", "manifestHash", "priceUsd", signature, "issuedTo", "issuedAt"
    from jsonb_to_recordset(${transaction.json(rows as never)}) as r(id uuid, "orgId" uuid, "listingId" uuid, "checkoutId" uuid, "manifestHash" text,
      "priceUsd" numeric, signature text, "issuedTo" text, "issuedAt" bigint)
    on conflict on constraint one_licence_per_listing do nothing`;
}

export function writeImports(transaction: Transaction, rows: readonly ActorRecord[]): Promise<unknown> {
  return transaction`
    insert into marketplace_imports (agent_id, org_id, licence_id, listing_id, imported_by, at)
    select "agentId", "orgId", "licenceId", "listingId", "importedBy", at from jsonb_to_recordset(${transaction.json(rows as never)})
      as r("agentId" uuid, "orgId" uuid, "licenceId" uuid, "listingId" uuid, "importedBy" text, at bigint)`;
}

export function createCheckoutStore(sql: Sql): CheckoutReads & Pick<CheckoutDirectory, 'licence' | 'openCheckout' | 'startProblem'> {
  const checkouts = sql`
    select c.id, c.number, c.listing_id, c.manifest_hash, c.price_usd::text, c.buyer, c.payout_wallet, c.memo, c.state, c.reason, c.detail, c.signature,
      c.requested_by, c.submitted_by, c.created_at, c.changed_at, t.unsigned, (t.message->>'lastValidBlockHeight')::bigint as last_valid, l.id as licence_id
    from marketplace_checkouts c left join prepared_transactions t on t.id = c.transaction_id left join licences l on l.checkout_id = c.id`;
  const licences = sql`
    select l.id, l.number, l.listing_id, l.checkout_id, l.manifest_hash, l.price_usd::text, l.signature, l.issued_to, l.issued_at,
      array(select i.agent_id from marketplace_imports i where i.licence_id = l.id order by i.at, i.agent_id) as agent_ids
    from licences l`;

  return {
    /** Newest first. The position is the last one's number. */
    async list(orgId, { limit, after }) {
      const rows = await sql<CheckoutRow[]>`
        ${checkouts} where c.org_id = ${orgId} ${after === null ? sql`` : sql`and c.number < ${Number(after)}`}
        order by c.number desc limit ${limit + 1}`;
      const page = pageOfRows(rows, limit, ({ number }) => String(number));
      return { items: page.items.map(checkoutOf), next: page.next };
    },

    async find(orgId, id) {
      const [row] = await sql<CheckoutRow[]>`${checkouts} where c.id = ${id} and c.org_id = ${orgId}`;
      return row === undefined ? null : checkoutOf(row);
    },

    /** Newest first. The position is the last one's number. */
    async licences(orgId, { limit, after }) {
      const rows = await sql<LicenceRow[]>`
        ${licences} where l.org_id = ${orgId} ${after === null ? sql`` : sql`and l.number < ${Number(after)}`} order by l.number desc limit ${limit + 1}`;
      const page = pageOfRows(rows, limit, ({ number }) => String(number));
      return { items: page.items.map(licenceOf), next: page.next };
    },

    async licence(orgId, listingId) {
      const [row] = await sql<LicenceRow[]>`${licences} where l.org_id = ${orgId} and l.listing_id = ${listingId}`;
      return row === undefined ? null : licenceOf(row);
    },

    async openCheckout(orgId, listingId) {
      const [row] = await sql<{ id: string }[]>`
        select id from marketplace_checkouts where org_id = ${orgId} and listing_id = ${listingId} and state in ('prepared', 'submitted', 'confirmed')`;
      return row?.id ?? null;
    },

    startProblem(error) {
      const { code, constraint_name: constraint } = error as { code?: string; constraint_name?: string };
      if (code === '23505' && constraint === 'one_open_checkout') return 'another checkout of this listing has just begun: settle that one';
      if (constraint === 'checkout_as_listed') return 'the listing has changed in this moment: check out anew';
      return null;
    },
  };
}

function checkoutOf(row: CheckoutRow): CheckoutView {
  return {
    id: row.id,
    listingId: row.listing_id,
    state: row.state,
    reason: row.reason,
    detail: row.detail,
    priceUsd: plainDecimal(row.price_usd),
    manifestHash: row.manifest_hash,
    buyer: row.buyer,
    payoutWallet: row.payout_wallet,
    memo: row.memo,
    transaction: row.unsigned,
    lastValidBlockHeight: row.last_valid,
    signature: row.signature,
    licenceId: row.licence_id,
    requestedBy: row.requested_by,
    submittedBy: row.submitted_by,
    createdAt: row.created_at,
    changedAt: row.changed_at,
  };
}

function licenceOf(row: LicenceRow): Licence {
  return {
    id: row.id,
    listingId: row.listing_id,
    checkoutId: row.checkout_id,
    manifestHash: row.manifest_hash,
    priceUsd: plainDecimal(row.price_usd),
    signature: row.signature,
    issuedTo: row.issued_to,
    issuedAt: row.issued_at,
    agentIds: row.agent_ids,
  };
}
