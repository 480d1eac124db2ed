/** Conversations with the copilot, kept per caller: the subject of another member of the organization finds none of them. */
import type { Conversations, Exchange } from '../../../../api/v1/copilot/ports.ts';
import type { Intent } from '../../../domain/copilot/classify.ts';
import type { Sql } from '../database.ts';

/** Maximum number of conversation entries to read. */
const MAX_READ = 50;

export function createConversationStore(sql: Sql, newId: () => string): Conversations {
  return {
    newId,

    async find(orgId, subject, conversationId) {
      const rows = await sql<{ at: number; message: string; intent: Intent; reply: string; symbol: string | null }[]>`
        select at, message, intent, reply, symbol from copilot_exchanges
        where conversation = ${conversationId} and org_id = ${orgId} and subject = ${subject} order by number desc limit ${MAX_READ}`;
      return rows.length === 0 ? null : rows.reverse();
    },

    async add(orgId, subject, conversationId, { at, message, intent, reply, symbol }: Exchange) {
      await sql`
        insert into copilot_exchanges (conversation, org_id, subject, at, message, intent, reply, symbol)
        values (${conversationId}, ${orgId}, ${subject}, ${at}, ${message}, ${intent}, ${reply}, ${symbol})`;
    },
  };
}
