/** Commands of delegations: the protocol between the API and the command handler. */
import type { Delegation, DelegationTerms } from '../../src/domain/identity/delegation.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { CommandContext } from '../agent/commands.ts';

/** Terms that the wallet's owner and the organization agree on. */
export type DelegationWish = Pick<DelegationTerms, 'trader' | 'agentId' | 'wallet' | 'signerWallet' | 'maxNotionalUsd' | 'expiresAt'>;

/** A text to be signed, with what must be sent back beside the signature. */
export interface Challenge {
  readonly terms: DelegationTerms;
  readonly text: string;
}

/** Every command answers after its transaction is committed. Foreign agents, Takes and delegations answer exactly as missing ones. */
export interface DelegationCommands {
  /** The text that the owner signs. Nothing is kept of it: it says everything itself. */
  challenge(context: CommandContext, wish: DelegationWish): Promise<Outcome<Challenge>>;
  /** Grants what the text says, once, if the owner's signature stands under it. It takes the place of the trader's earlier one. */
  grant(
    context: CommandContext,
    terms: Omit<DelegationTerms, 'orgId'>,
    /** Base64. */
    ownerSignature: string,
  ): Promise<Outcome<Delegation>>;
  /** Revokes a delegation. Nothing is signed under it after the answer. */
  revoke(context: CommandContext, id: string): Promise<Outcome<Delegation>>;
}
