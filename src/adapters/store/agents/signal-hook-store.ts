/** Store of external agents' signal hooks. */
import type { SignalHook, SignalHookStore } from '../../../../actors/agent/signal-hooks.ts';
import { canonicalJson } from '../../../domain/values/canonical-json.ts';
import type { SignalMapping } from '../../../domain/outside/signal-template.ts';
import { DAY_MS, type EpochMs } from '../../../domain/values/time.ts';
import { writeRecords } from '../actors/actor-records.ts';
import { inTransaction } from '../actors/actor-store.ts';
import type { Sql, Transaction } from '../database.ts';

/** Signal hook that is not revoked, and its valid secrets. */
export interface FoundHook extends SignalHook {
  readonly orgId: string;
  /** SHA-256 of each valid secret, hexadecimal. */
  readonly digests: readonly string[];
}

interface Row {
  readonly id: string;
  readonly org_id: string;
  readonly agent_id: string;
  readonly name: string;
  readonly template: string;
  readonly manifest_hash: string;
  readonly created_by: string;
  readonly created_at: EpochMs;
  readonly revoked_at: EpochMs | null;
}

/** Milliseconds for which the last replaced secret stays valid. Earlier ones end at once. */
const REPLACED_WORKS_MS = DAY_MS;

export function createSignalHookStore(sql: Sql): SignalHookStore {
  return {
    async manifestHash(orgId, agentId) {
      const [row] = await sql<{ manifest_hash: string }[]>`select manifest_hash from agents where org_id = ${orgId} and id = ${agentId}`;
      return row?.manifest_hash ?? null;
    },

    async list(orgId, agentId) {
      const [agent] = await sql`select 1 from agents where org_id = ${orgId} and id = ${agentId}`;
      if (agent === undefined) return null;
      const rows = await sql<Row[]>`
        select h.*, r.revoked_at from signal_hooks h left join signal_hook_revocations r on r.hook_id = h.id
        where h.org_id = ${orgId} and h.agent_id = ${agentId} order by h.number desc`;
      return rows.map(toHook);
    },

    create: (orgId, { id, agentId, name, template, tickers, manifestHash, createdBy, createdAt, digest }, records) =>
      inTransaction(sql, async (transaction) => {
        await transaction`
          insert into signal_hooks (id, org_id, agent_id, name, template, manifest_hash, created_by, created_at)
          values (${id}, ${orgId}, ${agentId}, ${name}, ${canonicalJson({ template, tickers })}, ${manifestHash}, ${createdBy}, ${createdAt})`;
        await insertSecret(transaction, orgId, id, { digest, subject: createdBy, at: createdAt });
        await writeRecords(transaction, records);
      }),

    addSecret: (orgId, hookId, secret, records) =>
      inTransaction(sql, async (transaction) => {
        await insertSecret(transaction, orgId, hookId, secret);
        await writeRecords(transaction, records);
      }),

    revoke: (orgId, hookId, { subject, at }, records) =>
      inTransaction(sql, async (transaction) => {
        // Of two concurrent revocations the first one's time stays.
        await transaction`
          insert into signal_hook_revocations (hook_id, org_id, revoked_by, revoked_at) values (${hookId}, ${orgId}, ${subject}, ${at})
          on conflict do nothing`;
        await writeRecords(transaction, records);
      }),
  };
}

async function insertSecret(
  transaction: Transaction,
  orgId: string,
  hookId: string,
  { digest, subject, at }: Parameters<SignalHookStore['addSecret']>[2],
): Promise<void> {
  await transaction`
    insert into signal_secrets (digest, org_id, hook_id, created_by, created_at) values (${digest}, ${orgId}, ${hookId}, ${subject}, ${at})`;
}

function toHook(row: Row): SignalHook {
  const { id, agent_id: agentId, name, manifest_hash: manifestHash, created_by: createdBy, created_at: createdAt } = row;
  const mapping = JSON.parse(row.template) as SignalMapping;
  return { id, agentId, name, ...mapping, manifestHash, createdBy, createdAt, revokedAt: row.revoked_at };
}

/** Creates the lookup of hooks that are not revoked, by id or secret. `sql` sees every organization. */
export function createSignalReads(sql: Sql) {
  return {
    /** Finds a hook by its id, or by the SHA-256 of a secret that is valid at an instant. */
    async find(key: { readonly id: string } | { readonly digest: string }, at: EpochMs): Promise<FoundHook | null> {
      const by = 'id' in key ? sql`h.id = ${key.id}` : sql`h.id = (select hook_id from signal_secrets where digest = ${key.digest})`;
      const [row] = await sql<(Row & { digests: string[] })[]>`
        select h.*, null as revoked_at, array(
          select s.digest from (
            select digest, lag(created_at) over (order by number desc) as replaced_at from signal_secrets where hook_id = h.id
            order by number desc limit 2
          ) s where s.replaced_at is null or s.replaced_at > ${at - REPLACED_WORKS_MS}
        ) as digests
        from signal_hooks h where ${by} and not exists (select 1 from signal_hook_revocations r where r.hook_id = h.id)`;
      if (row === undefined || ('digest' in key && !row.digests.includes(key.digest))) return null;
      return { ...toHook(row), orgId: row.org_id, digests: row.digests };
    },
  };
}

export type SignalReads = ReturnType<typeof createSignalReads>;
