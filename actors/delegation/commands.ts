/** Commands of delegations, as the API calls them. */
import type { DelegationTerms } from '../../src/domain/identity/delegation.ts';

/** Terms that the wallet's owner and the organization agree on. */
export type DelegationWish = Pick<DelegationTerms, 'trader' | 'agentId' | 'wallet' | 'signerWallet' | 'maxNotionalUsd' | 'expiresAt'>;

/** A text to sign, and the fields to send back with its signature. */
export interface Challenge {
  readonly terms: DelegationTerms;
  readonly text: string;
}
