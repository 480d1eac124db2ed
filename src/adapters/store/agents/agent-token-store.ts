/** Store of external agents' tokens. */
import type { AgentToken, AgentTokenStore } from '../../../../actors/agent/agent-tokens.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { writeRecords } from '../actors/actor-records.ts';
import { inTransaction } from '../actors/actor-store.ts';
import type { Sql } from '../database.ts';

/** Agent of a token that is not revoked. */
interface AgentTokenHolder {
  readonly id: string;
  readonly orgId: string;
  readonly agentId: string;
  readonly name: string;
}

interface Row {
  readonly id: string;
  readonly agent_id: string;
  readonly name: string;
  readonly created_by: string;
  readonly created_at: EpochMs;
  readonly revoked_at: EpochMs | null;
}

export function createAgentTokenStore(sql: Sql): AgentTokenStore {
  return {
    async list(orgId, agentId) {
      const [agent] = await sql`select 1 from agents where org_id = ${orgId} and id = ${agentId}`;
      if (agent === undefined) return null;
      const rows = await sql<Row[]>`
        select t.id, t.agent_id, t.name, t.created_by, t.created_at, r.revoked_at from agent_tokens t
        left join agent_token_revocations r on r.token_id = t.id where t.org_id = ${orgId} and t.agent_id = ${agentId} order by t.number desc`;
      return rows.map(toToken);
    },

    create: (orgId, { id, agentId, name, digest, createdBy, createdAt }, records) =>
      inTransaction(sql, async (transaction) => {
        await transaction`
          insert into agent_tokens (id, org_id, agent_id, name, digest, created_by, created_at)
          values (${id}, ${orgId}, ${agentId}, ${name}, ${digest}, ${createdBy}, ${createdAt})`;
        await writeRecords(transaction, records);
      }),

    revoke: (orgId, tokenId, { subject, at }, records) =>
      inTransaction(sql, async (transaction) => {
        // Of two concurrent revocations the first one's time stays.
        await transaction`
          insert into agent_token_revocations (token_id, org_id, revoked_by, revoked_at) values (${tokenId}, ${orgId}, ${subject}, ${at})
          on conflict do nothing`;
        await writeRecords(transaction, records);
      }),
  };
}

function toToken(row: Row): AgentToken {
  const { id, agent_id: agentId, name, created_by: createdBy, created_at: createdAt, revoked_at: revokedAt } = row;
  return { id, agentId, name, createdBy, createdAt, revokedAt };
}

/** Creates the lookup of tokens by the SHA-256 of their text. `sql` sees every organization. */
export function createAgentTokenReads(sql: Sql) {
  return {
    /** Returns the agent of a token; null if the token is unknown or revoked. */
    async find(digest: string): Promise<AgentTokenHolder | null> {
      const [row] = await sql<{ id: string; org_id: string; agent_id: string; name: string }[]>`
        select t.id, t.org_id, t.agent_id, t.name from agent_tokens t
        where t.digest = ${digest} and not exists (select 1 from agent_token_revocations r where r.token_id = t.id)`;
      return row === undefined ? null : { id: row.id, orgId: row.org_id, agentId: row.agent_id, name: row.name };
    },
  };
}

export type AgentTokenReads = ReturnType<typeof createAgentTokenReads>;
