/** Store of copilot conversations per caller; other members of the organization cannot see them. */
import type { Intent } from '../../../domain/copilot/classify.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Sql } from '../database.ts';

interface Exchange {
  readonly at: EpochMs;
  readonly message: string;
  readonly intent: Intent;
  readonly reply: string;
  /** Symbol that the exchange was about, or null. */
  readonly symbol: string | null;
}

/** Maximum exchanges to read. */
const MAX_READ = 50;

export function createConversationStore(sql: Sql, newId: () => string) {
  return {
    /** Returns a new id for a conversation (UUIDv7). */
    newId: (_orgId: string): string => newId(),

    /** Returns exchanges, oldest first; null if the caller has no such conversation. */
    async find(orgId: string, subject: string, conversationId: string): Promise<readonly Exchange[] | null> {
      const rows = await sql<{ at: number; message: string; intent: Intent; reply: string; symbol: string | null }[]>`
        select at, message, intent, reply, symbol from copilot_exchanges
        where conversation = ${conversationId} and org_id = ${orgId} and subject = ${subject} order by number desc limit ${MAX_READ}`;
      return rows.length === 0 ? null : rows.reverse();
    },

    /** Adds an exchange and creates the conversation if it is new. */
    async add(orgId: string, subject: string, conversationId: string, { at, message, intent, reply, symbol }: Exchange): Promise<void> {
      await sql`
        insert into copilot_exchanges (conversation, org_id, subject, at, message, intent, reply, symbol)
        values (${conversationId}, ${orgId}, ${subject}, ${at}, ${message}, ${intent}, ${reply}, ${symbol})`;
    },
  };
}

export type Conversations = ReturnType<typeof createConversationStore>;
