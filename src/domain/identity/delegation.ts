/**
 * Delegations, by which a wallet's owner lets one agent or Take have its transactions signed without a prompt per trade. Wallet ownership
 * alone authorizes nothing: a delegation needs the owner's signature and a member of the organization who may trade.
 */
import { toRatio } from '../values/exact.ts';
import { DAY_MS, type EpochMs, MINUTE_MS, isoTime } from '../values/time.ts';

/** Traders that follow a manifest's rules and can be delegated a wallet. */
const TRADER_KINDS = ['agent', 'take'] as const;
export type TraderKind = (typeof TRADER_KINDS)[number];

/** Names of the kinds in sentences. */
const TRADER_NAMES: Readonly<Record<TraderKind, string>> = { agent: 'agent', take: 'Take' };

/** Terms that the owner signs. */
export interface DelegationTerms {
  readonly orgId: string;
  /** Kind of the trader `agentId`. The signed text states it, so that a grant to one kind is never read as one to the other. */
  readonly trader: TraderKind;
  /** Id of the agent or Take that trades. */
  readonly agentId: string;
  /** The owner's address on the primary chain, base58. */
  readonly wallet: string;
  /** Name of the same wallet at the remote signer. */
  readonly signerWallet: string;
  /** Maximum value of one transaction at its worst price, in US dollars. */
  readonly maxNotionalUsd: string;
  readonly expiresAt: EpochMs;
  readonly issuedAt: EpochMs;
  /** Random value that makes the text unique: it is signed once and grants once. */
  readonly nonce: string;
}

/** Terms and state that decide what a delegation allows. */
export interface DelegationState extends Pick<DelegationTerms, 'trader' | 'wallet' | 'maxNotionalUsd' | 'expiresAt'> {
  readonly revokedAt: EpochMs | null;
}

/** Time for which a text can be signed. */
export const CHALLENGE_MS = 10 * MINUTE_MS;
/** Maximum duration of a delegation. */
export const LONGEST_DELEGATION_MS = 90 * DAY_MS;

/** Returns the text to sign. It consists of letters, because wallets refuse to sign messages that could be a transaction. */
export function delegationText(terms: DelegationTerms): string {
  const trader = TRADER_NAMES[terms.trader];
  return [
    'Sevengate delegation 1',
    '',
    `By signing this I let one ${trader} trade from my wallet without asking me each time, until it expires or is revoked. Signing moves nothing.`,
    '',
    `Organization: ${terms.orgId}`,
    `${terms.trader === 'agent' ? 'Agent' : trader}: ${terms.agentId}`,
    `Wallet: ${terms.wallet}`,
    `Wallet at the signer: ${terms.signerWallet}`,
    `Most per transaction: ${terms.maxNotionalUsd} US dollars`,
    `Expires: ${isoTime(terms.expiresAt)}`,
    `Issued: ${isoTime(terms.issuedAt)}`,
    `Nonce: ${terms.nonce}`,
  ].join('\n');
}

/** Reasons why a delegated transaction is not signed, in the order of the checks. The first that applies is reported. */
const DELEGATION_REFUSALS = [
  'feature_disabled',
  'delegation_missing',
  'delegation_revoked',
  'delegation_expired',
  'delegation_limit_breach',
  'signer_refused',
] as const;
export type DelegationRefusal = (typeof DELEGATION_REFUSALS)[number];

/** Returns why the newest delegation of an agent or Take does not allow a transaction of this wallet and size now, or null if it does. */
export function delegationRefusal(
  delegation: DelegationState | null,
  at: EpochMs,
  transaction: { readonly wallet: string; readonly notionalUsd: string },
): { readonly code: DelegationRefusal; readonly detail: string } | null {
  if (delegation === null) return { code: 'delegation_missing', detail: 'it has no delegated wallet; grant one with POST /v1/delegations' };
  const trader = TRADER_NAMES[delegation.trader];
  if (delegation.revokedAt !== null)
    return { code: 'delegation_revoked', detail: `the delegation of this ${trader} was revoked at ${isoTime(delegation.revokedAt)}` };
  if (at >= delegation.expiresAt)
    return { code: 'delegation_expired', detail: `the delegation of this ${trader} expired at ${isoTime(delegation.expiresAt)}` };
  if (transaction.wallet !== delegation.wallet)
    return {
      code: 'delegation_missing',
      detail: `the ${trader} may trade from ${delegation.wallet}, but this transaction uses ${transaction.wallet}`,
    };
  if (exceeds(transaction.notionalUsd, delegation.maxNotionalUsd))
    return {
      code: 'delegation_limit_breach',
      detail: `the transaction costs up to ${transaction.notionalUsd} US dollars; the wallet's owner allowed ${delegation.maxNotionalUsd}`,
    };
  return null;
}

function exceeds(value: string, limit: string): boolean {
  const [one, other] = [toRatio(value), toRatio(limit)];
  return one.numerator * other.denominator > other.numerator * one.denominator;
}
