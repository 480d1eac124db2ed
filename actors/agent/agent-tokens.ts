/** Creates, lists and revokes tokens of external agents. A token belongs to one agent. Only its SHA-256 digest is stored. */
import { sha256Hex } from '../../src/domain/values/canonical-json.ts';
import type { ActorRecord } from '../../src/domain/agents/actor-step.ts';
import { NO_AGENT } from '../../src/domain/agents/agent.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';

export interface AgentToken {
  readonly id: string;
  readonly agentId: string;
  readonly name: string;
  readonly createdBy: string;
  readonly createdAt: EpochMs;
  readonly revokedAt: EpochMs | null;
}

/** A new token with its text, which is shown only once. */
export interface NewAgentToken extends AgentToken {
  readonly token: string;
}

/** Storage of agent tokens. Reads return null if the organization has no such agent. */
export interface AgentTokenStore {
  list(orgId: string, agentId: string): Promise<readonly AgentToken[] | null>;
  create(orgId: string, token: AgentToken & { readonly digest: string }, records: readonly ActorRecord[]): Promise<void>;
  revoke(
    orgId: string,
    tokenId: string,
    by: { readonly subject: string; readonly at: EpochMs },
    records: readonly ActorRecord[],
  ): Promise<void>;
}

/** Prefix that tells an agent token from other tokens. */
export const AGENT_TOKEN = 'sga_';
/** Maximum number of live tokens per agent. */
const MOST_TOKENS = 20;

export function createAgentTokens(deps: {
  readonly store: AgentTokenStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
  /** Returns a random secret of at least 256 bits. */
  readonly newSecret: () => string;
}) {
  const { store, clock } = deps;
  const noAgent = () => refuse('not_found', NO_AGENT);
  return {
    /** Tokens, newest first, or null if the organization has no such agent. */
    list: store.list,

    async create(context: CommandContext, agentId: string, name: string): Promise<Outcome<NewAgentToken>> {
      const known = await store.list(context.orgId, agentId);
      if (known === null) return noAgent();
      if (known.filter(({ revokedAt }) => revokedAt === null).length >= MOST_TOKENS)
        return refuse('state_conflict', `the agent has ${MOST_TOKENS} tokens: revoke one first`);
      const token = `${AGENT_TOKEN}${deps.newSecret()}`;
      const made = { id: deps.newId(), agentId, name, createdBy: context.subject, createdAt: clock.now(), revokedAt: null };
      await store.create(context.orgId, { ...made, digest: sha256Hex(token) }, [
        auditRow(context, 'agent.token_create', agentId, null, null),
      ]);
      return { ok: true, value: { ...made, token } };
    },

    async revoke(context: CommandContext, agentId: string, tokenId: string): Promise<Outcome<AgentToken>> {
      const known = await store.list(context.orgId, agentId);
      if (known === null) return noAgent();
      const found = known.find(({ id }) => id === tokenId);
      if (found === undefined) return refuse('not_found', 'the agent has no token with this id');
      if (found.revokedAt !== null) return { ok: true, value: found };
      const at = clock.now();
      const revoked = { ...found, revokedAt: at };
      const records = [auditRow(context, 'agent.token_revoke', agentId, null, null), ...answerRows(context, revoked)];
      await store.revoke(context.orgId, tokenId, { subject: context.subject, at }, records);
      return { ok: true, value: revoked };
    },
  };
}

export type AgentTokens = ReturnType<typeof createAgentTokens>;
