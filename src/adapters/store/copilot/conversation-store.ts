/** Conversations with the copilot, kept per caller: the subject of another member of the organization finds none of them. */
import type { Intent } from '../../../domain/copilot/classify.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Sql } from '../database.ts';

/** One exchange of a conversation. */
export interface Exchange {
  readonly at: EpochMs;
  readonly message: string;
  readonly intent: Intent;
  readonly reply: string;
  /** Symbol of the exchange, or null. */
  readonly symbol: string | null;
}

/** Maximum number of conversation entries to read. */
const MAX_READ = 50;

export function createConversationStore(sql: Sql, newId: () => string) {
  return {
    /** A fresh id for a conversation (UUIDv7). */
    newId: (_orgId: string): string => newId(),

    /** Exchanges, oldest first; null if the caller has no such conversation. */
    async find(orgId: string, subject: string, conversationId: string): Promise<readonly Exchange[] | null> {
      const rows = await sql<{ at: number; message: string; intent: Intent; reply: string; symbol: string | null }[]>`
        select at, message, intent, reply, symbol from copilot_exchanges
        where conversation = ${conversationId} and org_id = ${orgId} and subject = ${subject} order by number desc limit ${MAX_READ}`;
      return rows.length === 0 ? null : rows.reverse();
    },

    /** Adds an exchange; begins the conversation if it is new. */
    async add(orgId: string, subject: string, conversationId: string, { at, message, intent, reply, symbol }: Exchange): Promise<void> {
      await sql`
        insert into copilot_exchanges (conversation, org_id, subject, at, message, intent, reply, symbol)
        values (${conversationId}, ${orgId}, ${subject}, ${at}, ${message}, ${intent}, ${reply}, ${symbol})`;
    },
  };
}

export type Conversations = ReturnType<typeof createConversationStore>;
