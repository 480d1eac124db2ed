/** Handles delegation commands. A grant needs the owner's signature and the member's permission, and both are stored. */
import type { ActorRecord } from '../../src/domain/agents/actor-step.ts';
import { NO_AGENT } from '../../src/domain/agents/agent.ts';
import {
  CHALLENGE_MS,
  type DelegationTerms,
  delegationText,
  LONGEST_DELEGATION_MS,
  type TraderKind,
} from '../../src/domain/identity/delegation.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import { type EpochMs, isoTime } from '../../src/domain/values/time.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { answeredMeanwhile, answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';
import { type Delegation, delegation, revocation } from './resource.ts';

/** Terms that the wallet's owner and the organization agree on. */
type DelegationWish = Pick<DelegationTerms, 'trader' | 'agentId' | 'wallet' | 'signerWallet' | 'maxNotionalUsd' | 'expiresAt'>;

/** A text to sign, and the fields to send back with its signature. */
interface Challenge {
  readonly terms: DelegationTerms;
  readonly text: string;
}

/** Store ports of the command handler. */
interface DelegationDirectory {
  find(orgId: string, id: string): Promise<Delegation | null>;
  /** Writes a command's records. False, with nothing written, if the text was used before or the delegation is revoked already. */
  write(records: readonly ActorRecord[]): Promise<boolean>;
  /** True if the organization has an agent or a Take with this id. */
  hasTrader(orgId: string, trader: TraderKind, id: string): Promise<boolean>;
  /** Resolves once every execution of the agent or Take that was under way at the call has ended. */
  executionsEnded(orgId: string, agentId: string): Promise<void>;
}

const NO_TRADER: Readonly<Record<TraderKind, string>> = {
  agent: NO_AGENT,
  take: 'there is no Take with this id',
};
const NO_DELEGATION = 'there is no delegation with this id';
/** Tolerated difference between clocks, in milliseconds. */
const AHEAD_MS = 5_000;

export function createDelegationHandler(deps: {
  readonly store: DelegationDirectory;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
  /** True if the base64 signature is the wallet's over the text, strictly by RFC 8032. False if either is not a signature or an address. */
  readonly isSigned: (wallet: string, text: string, signature: string) => boolean;
}) {
  const { store, clock, newId } = deps;

  function termsRefusal(expiresAt: EpochMs): ReturnType<typeof refuse> | null {
    const now = clock.now();
    if (expiresAt > now && expiresAt <= now + LONGEST_DELEGATION_MS) return null;
    return refuse(
      'malformed',
      `$.expiresAt: it should lie after ${isoTime(now)} and at most 90 days later, at ${isoTime(now + LONGEST_DELEGATION_MS)}`,
    );
  }

  function staleness(issuedAt: EpochMs): ReturnType<typeof refuse> | null {
    const now = clock.now();
    if (issuedAt <= now + AHEAD_MS && now - issuedAt <= CHALLENGE_MS) return null;
    return refuse('challenge_expired', `the text was issued at ${isoTime(issuedAt)}: it can be used for 10 minutes; ask for a new one`);
  }

  return {
    /** Returns the text that the owner signs. Nothing is stored: the text is complete. */
    async challenge(context: CommandContext, wish: DelegationWish): Promise<Outcome<Challenge>> {
      const wrong = termsRefusal(wish.expiresAt);
      if (wrong !== null) return wrong;
      if (!(await store.hasTrader(context.orgId, wish.trader, wish.agentId))) return refuse('not_found', NO_TRADER[wish.trader]);
      const terms: DelegationTerms = { ...wish, orgId: context.orgId, issuedAt: clock.now(), nonce: newId() };
      return { ok: true, value: { terms, text: delegationText(terms) } };
    },

    /** Grants what the text says if the owner's signature is valid. Works once. Replaces the trader's earlier delegation. */
    async grant(context: CommandContext, given: Omit<DelegationTerms, 'orgId'>, ownerSignature: string): Promise<Outcome<Delegation>> {
      const terms: DelegationTerms = { ...given, orgId: context.orgId };
      const wrong = termsRefusal(terms.expiresAt) ?? staleness(terms.issuedAt);
      if (wrong !== null) return wrong;
      if (!(await store.hasTrader(context.orgId, terms.trader, terms.agentId))) return refuse('not_found', NO_TRADER[terms.trader]);
      const text = delegationText(terms);
      if (!deps.isSigned(terms.wallet, text, ownerSignature))
        return refuse('signature_invalid', `the signature is not that of ${terms.wallet} under the text that these terms make`);
      const granted: Delegation = {
        ...terms,
        id: newId(),
        ownerSignature,
        grantedBy: context.subject,
        grantedAt: clock.now(),
        revokedAt: null,
        revokedBy: null,
      };
      const rows = [
        { type: 'delegation', ...delegation.record(context.orgId, delegation.pick({ challenge: text }, granted)) },
        auditRow(context, 'delegation.grant', granted.id, null, granted),
        ...answerRows(context, granted),
      ];
      try {
        if (await store.write(rows)) return { ok: true, value: granted };
        return refuse('state_conflict', 'this text has granted a delegation before: ask for a new one and have it signed');
      } catch (error) {
        return answeredMeanwhile(error);
      }
    },

    /** Revokes a delegation. Nothing is signed under it afterwards. */
    async revoke(context: CommandContext, id: string): Promise<Outcome<Delegation>> {
      const before = await store.find(context.orgId, id);
      if (before === null) return refuse('not_found', NO_DELEGATION);
      if (before.revokedAt !== null) return refuse('state_conflict', `it was revoked at ${isoTime(before.revokedAt)}`);
      const after: Delegation = { ...before, revokedAt: clock.now(), revokedBy: context.subject };
      const rows = [
        { type: 'delegation_revocation', ...revocation.record(context.orgId, revocation.pick({ delegationId: id }, after)) },
        auditRow(context, 'delegation.revoke', id, before, after),
        ...answerRows(context, after),
      ];
      try {
        if (!(await store.write(rows))) return refuse('state_conflict', 'another member has just revoked it');
        await store.executionsEnded(context.orgId, before.agentId);
        return { ok: true, value: after };
      } catch (error) {
        return answeredMeanwhile(error);
      }
    },
  };
}

/**
 * Commands of delegations. Each answers after its transaction has committed. Agents, Takes and delegations of another organization are
 * `not_found`.
 */
export type DelegationCommands = ReturnType<typeof createDelegationHandler>;
