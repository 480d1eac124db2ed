/** Commands of delegations, as the API calls them. */
import type { Delegation, DelegationTerms } from '../../src/domain/identity/delegation.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { CommandContext } from '../agent/commands.ts';

/** Terms that the wallet's owner and the organization agree on. */
export type DelegationWish = Pick<DelegationTerms, 'trader' | 'agentId' | 'wallet' | 'signerWallet' | 'maxNotionalUsd' | 'expiresAt'>;

/** A text to sign, and the fields to send back with its signature. */
export interface Challenge {
  readonly terms: DelegationTerms;
  readonly text: string;
}

/**
 * Commands of delegations. Each answers after its transaction has committed. Agents, Takes and delegations of another organization are
 * `not_found`.
 */
export interface DelegationCommands {
  /** Returns the text that the owner signs. Nothing is stored: the text is complete. */
  challenge(context: CommandContext, wish: DelegationWish): Promise<Outcome<Challenge>>;
  /** Grants what the text says if the owner's signature is valid. Works once. Replaces the trader's earlier delegation. */
  grant(
    context: CommandContext,
    terms: Omit<DelegationTerms, 'orgId'>,
    /** Base64. */
    ownerSignature: string,
  ): Promise<Outcome<Delegation>>;
  /** Revokes a delegation. Nothing is signed under it afterwards. */
  revoke(context: CommandContext, id: string): Promise<Outcome<Delegation>>;
}
