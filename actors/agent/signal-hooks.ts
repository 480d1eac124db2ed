/** Creates, rotates, revokes and lists signal hooks of external agents: URLs that turn alerts into outside proposals. */
import type { ActorRecord } from '../../src/domain/agents/actor-step.ts';
import { NO_AGENT } from '../../src/domain/agents/agent.ts';
import { sha256Hex } from '../../src/domain/values/canonical-json.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import type { SignalMapping } from '../../src/domain/outside/signal-template.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';

export interface SignalHook extends SignalMapping {
  readonly id: string;
  readonly agentId: string;
  readonly name: string;
  /** Hash of the manifest that its proposals name. Another manifest needs another hook. */
  readonly manifestHash: string;
  readonly createdBy: string;
  readonly createdAt: EpochMs;
  readonly revokedAt: EpochMs | null;
}

/** A hook with its secret, which is shown only once. */
export interface OpenedHook extends SignalHook {
  /** Path segment that authorizes a delivery without a signature. */
  readonly token: string;
  /** Key of signed deliveries: the SHA-256 of the token in hexadecimal. */
  readonly digest: string;
}

/** Storage of hooks. Reads return null if the organization has no such agent. */
export interface SignalHookStore {
  manifestHash(orgId: string, agentId: string): Promise<string | null>;
  list(orgId: string, agentId: string): Promise<readonly SignalHook[] | null>;
  create(orgId: string, opened: OpenedHook, records: readonly ActorRecord[]): Promise<void>;
  addSecret(
    orgId: string,
    hookId: string,
    secret: { readonly digest: string; readonly subject: string; readonly at: EpochMs },
    records: readonly ActorRecord[],
  ): Promise<void>;
  revoke(
    orgId: string,
    hookId: string,
    by: { readonly subject: string; readonly at: EpochMs },
    records: readonly ActorRecord[],
  ): Promise<void>;
}

/** Prefix that tells a hook's token from other tokens. */
export const SIGNAL_TOKEN = 'sgs_';
/** Maximum number of live hooks per agent. */
const MOST_HOOKS = 20;

export function createSignalHooks(deps: {
  readonly store: SignalHookStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
  /** Returns a random secret of at least 256 bits. */
  readonly newSecret: () => string;
}) {
  const { store, clock } = deps;
  const audit = (context: CommandContext, action: string, agentId: string) => auditRow(context, `agent.${action}`, agentId, null, null);

  async function found(context: CommandContext, agentId: string, hookId: string): Promise<Outcome<SignalHook>> {
    const known = await store.list(context.orgId, agentId);
    if (known === null) return refuse('not_found', NO_AGENT);
    const hook = known.find(({ id }) => id === hookId);
    return hook === undefined ? refuse('not_found', 'the agent has no signal hook with this id') : { ok: true, value: hook };
  }

  function secret(): Pick<OpenedHook, 'token' | 'digest'> {
    const token = `${SIGNAL_TOKEN}${deps.newSecret()}`;
    return { token, digest: sha256Hex(token) };
  }

  return {
    /** Hooks, newest first, or null if the organization has no such agent. */
    list: store.list,

    async create(
      context: CommandContext,
      agentId: string,
      { name, template, tickers }: SignalMapping & { readonly name: string },
    ): Promise<Outcome<OpenedHook>> {
      const [known, manifestHash] = [await store.list(context.orgId, agentId), await store.manifestHash(context.orgId, agentId)];
      if (known === null || manifestHash === null) return refuse('not_found', NO_AGENT);
      if (known.filter(({ revokedAt }) => revokedAt === null).length >= MOST_HOOKS)
        return refuse('state_conflict', `the agent has ${MOST_HOOKS} signal hooks: revoke one first`);
      const by = { createdBy: context.subject, createdAt: clock.now(), revokedAt: null };
      const opened = { id: deps.newId(), agentId, name, template, tickers, manifestHash, ...by, ...secret() };
      await store.create(context.orgId, opened, [audit(context, 'signal_create', agentId)]);
      return { ok: true, value: opened };
    },

    /** Replaces the hook's secret. The old one works for one more day. */
    async rotate(context: CommandContext, agentId: string, hookId: string): Promise<Outcome<OpenedHook>> {
      const hook = await found(context, agentId, hookId);
      if (!hook.ok) return hook;
      if (hook.value.revokedAt !== null) return refuse('state_conflict', 'the signal hook was revoked: create another one');
      const made = secret();
      const by = { digest: made.digest, subject: context.subject, at: clock.now() };
      await store.addSecret(context.orgId, hookId, by, [audit(context, 'signal_rotate', agentId)]);
      return { ok: true, value: { ...hook.value, ...made } };
    },

    async revoke(context: CommandContext, agentId: string, hookId: string): Promise<Outcome<SignalHook>> {
      const hook = await found(context, agentId, hookId);
      if (!hook.ok || hook.value.revokedAt !== null) return hook;
      const at = clock.now();
      const revoked = { ...hook.value, revokedAt: at };
      const records = [audit(context, 'signal_revoke', agentId), ...answerRows(context, revoked)];
      await store.revoke(context.orgId, hookId, { subject: context.subject, at }, records);
      return { ok: true, value: revoked };
    },
  };
}

export type SignalHooks = ReturnType<typeof createSignalHooks>;
