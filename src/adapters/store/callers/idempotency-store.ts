/** Answers that were given under an Idempotency-Key. They are written with the effect they answer for; here they are found and forgotten. */
import type { RememberedAnswers } from '../../../../api/remembered-answers.ts';
import type { Sql } from '../database.ts';

export interface IdempotencyStore extends RememberedAnswers {
  /** Forgets answers that are older than so many hours; returns how many. A key must live longer than any client retries. */
  forgetOlderThan(hours: number): Promise<number>;
}

export function createIdempotencyStore(sql: Sql): IdempotencyStore {
  return {
    async find(orgId, subject, route, key) {
      const [row] = await sql<{ request_hash: string; status: number | null; body: string | null }[]>`
        select request_hash, status, body from idempotency_keys
        where org_id = ${orgId} and subject = ${subject} and route = ${route} and key = ${key}`;
      return row === undefined ? null : { requestHash: row.request_hash, status: row.status, body: row.body };
    },
    async forgetOlderThan(hours) {
      const gone = await sql`delete from idempotency_keys where created_at < clock_timestamp() - make_interval(hours => ${hours}::int)`;
      return gone.count;
    },
  };
}
