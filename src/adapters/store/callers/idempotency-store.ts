/** Answers that were given under an Idempotency-Key. They are written with the effect they answer for; here they are found and forgotten. */
import type { Sql } from '../database.ts';

/** Stored answer of a request with an Idempotency-Key. `status` is null while it is still being made. */
export interface RememberedAnswer {
  readonly requestHash: string;
  readonly status: number | null;
  readonly body: string | null;
}

export function createIdempotencyStore(sql: Sql) {
  return {
    async find(orgId: string, subject: string, route: string, key: string): Promise<RememberedAnswer | null> {
      const [row] = await sql<{ request_hash: string; status: number | null; body: string | null }[]>`
        select request_hash, status, body from idempotency_keys
        where org_id = ${orgId} and subject = ${subject} and route = ${route} and key = ${key}`;
      return row === undefined ? null : { requestHash: row.request_hash, status: row.status, body: row.body };
    },
    /** Forgets answers that are older than so many hours; returns how many. A key must live longer than any client retries. */
    async forgetOlderThan(hours: number): Promise<number> {
      const gone = await sql`delete from idempotency_keys where created_at < clock_timestamp() - make_interval(hours => ${hours}::int)`;
      return gone.count;
    },
  };
}

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;
