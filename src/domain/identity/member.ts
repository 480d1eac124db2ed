/** Members of an organization and their permissions: roles as sets of permissions, invitations, and revoked tokens. */
import type { Permission } from '../agents/agent.ts';
import type { EpochMs } from '../values/time.ts';

/** Claims of a verified token: subject and expiry. Nothing else in a token counts. */
export interface VerifiedToken extends TokenClaims {
  readonly subject: string;
  readonly expiresAt: EpochMs;
  /** True if the token was checked against keys that may be outdated: its bearer may read, and stop agents, but lead to no trade. */
  readonly readOnly?: boolean;
}

/** A subject's grants as the database holds them at this moment. */
export interface Member {
  readonly orgId: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  /** The role that was granted last; null if permissions were named one by one. */
  readonly role?: string | null;
  /** Tokens of the subject that were taken back. */
  readonly revocations?: readonly TokenRevocation[];
}

/** The roles that every organization has. An organization adds its own under other names. */
export const BUILT_IN_ROLES = {
  viewer: ['market:read', 'agent:read'],
  operator: ['market:read', 'agent:read', 'trade:execute'],
  risk_manager: ['market:read', 'agent:read', 'trade:execute', 'risk:manage'],
  administrator: ['market:read', 'agent:read', 'members:manage'],
} as const satisfies Readonly<Record<string, readonly Permission[]>>;

/** Pattern of an organization's own role names. */
export const ROLE_NAME = /^[a-z][a-z0-9_-]{0,39}$/;

/** A named set of permissions. */
export interface MemberRole {
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly builtIn: boolean;
}

/** The permissions of a built-in role; null of any other name. */
export function builtInRole(name: string): readonly Permission[] | null {
  return Object.hasOwn(BUILT_IN_ROLES, name) ? BUILT_IN_ROLES[name as keyof typeof BUILT_IN_ROLES] : null;
}

/** A member as its organization sees it. */
export interface MemberView {
  readonly subject: string;
  readonly name: string;
  readonly role: string | null;
  readonly permissions: readonly Permission[];
}

/** An invitation without its code, which is shown once. */
export interface Invitation {
  readonly id: string;
  readonly name: string;
  readonly role: string | null;
  readonly permissions: readonly Permission[];
  readonly invitedBy: string;
  readonly createdAt: EpochMs;
  readonly expiresAt: EpochMs;
  readonly acceptedBy: string | null;
  readonly acceptedAt: EpochMs | null;
  readonly revokedAt: EpochMs | null;
}

/** Default lifetime of an invitation. */
export const INVITATION_HOURS = 72;

/** Claims by which a token can be revoked. */
export interface TokenClaims {
  readonly issuedAt: EpochMs;
  /** The provider's session, if the token names one. */
  readonly sessionId: string | null;
  readonly tokenId: string | null;
}

/** Revocation of a subject's tokens: one session, one token, or everything that was issued up to an instant. */
export interface TokenRevocation {
  readonly before: EpochMs;
  readonly sessionId: string | null;
  readonly tokenId: string | null;
}

/** The largest error of the machine's clock with which a halt and a pause still work. Milliseconds. */
export const CLOCK_ERROR_MS = 3 * 3_600_000;

/**
 * Longest life of any provider's token, which is also the longest time it can stop agents and for which a revocation is kept. Milliseconds.
 */
export const LONGEST_TOKEN_MS = 3_600_000 + CLOCK_ERROR_MS;

/** True for a token that one of the revocations is about. */
export function isTakenBack(token: TokenClaims, revocations: readonly TokenRevocation[] = []): boolean {
  return revocations.some(({ before, sessionId, tokenId }) => {
    if (sessionId !== null) return token.sessionId === sessionId;
    if (tokenId !== null) return token.tokenId === tokenId;
    return token.issuedAt <= before;
  });
}
