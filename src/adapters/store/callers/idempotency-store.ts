/** Stored answers of requests with an Idempotency-Key. They are written with their effect; this store finds and deletes them. */
import type { Sql } from '../database.ts';

/** Answer of a request with an Idempotency-Key. `status` is null while the request is running. */
interface RememberedAnswer {
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
    /** Deletes answers older than the given hours and returns their number. They must be kept longer than any client retries. */
    async forgetOlderThan(hours: number): Promise<number> {
      const gone = await sql`delete from idempotency_keys where created_at < clock_timestamp() - make_interval(hours => ${hours}::int)`;
      return gone.count;
    },
  };
}

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;
