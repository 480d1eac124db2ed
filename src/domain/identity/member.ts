/** Members of an organization: their permissions, roles, invitations, settings, and revoked tokens. */
import type { Permission } from '../agents/agent.ts';
import { type EpochMs, HOUR_MS } from '../values/time.ts';

/** Claims of a verified token: subject and expiry. Nothing else in it counts. */
export interface VerifiedToken extends TokenClaims {
  readonly subject: string;
  readonly expiresAt: EpochMs;
  /** True if the token was checked against keys that may be outdated. Its bearer may read and stop agents, but not trade. */
  readonly readOnly?: boolean;
}

/** Grants of a subject, as the database has them now. */
export interface Member {
  readonly orgId: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  /** Role that was granted last, or null if permissions were listed. */
  readonly role?: string | null;
  /** Revocations of the subject's tokens. */
  readonly revocations?: readonly TokenRevocation[];
}

/** Roles of every organization, which adds its own under other names. */
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

/** Returns the permissions of a built-in role, or null for any other name. */
export function builtInRole(name: string): readonly Permission[] | null {
  return Object.hasOwn(BUILT_IN_ROLES, name) ? BUILT_IN_ROLES[name as keyof typeof BUILT_IN_ROLES] : null;
}

/** A member, as its organization sees it. */
export interface MemberView {
  readonly subject: string;
  readonly name: string;
  readonly role: string | null;
  readonly permissions: readonly Permission[];
}

/** An invitation without its code, which is shown only once. */
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

/** Default lifetime of an invitation, in hours. */
export const INVITATION_HOURS = 72;

/** Claims by which a token can be revoked. */
export interface TokenClaims {
  readonly issuedAt: EpochMs;
  /** Session at the provider, if the token names one. */
  readonly sessionId: string | null;
  readonly tokenId: string | null;
}

/** Revocation of a subject's tokens: one session, one token, or everything issued up to an instant. */
export interface TokenRevocation {
  readonly before: EpochMs;
  readonly sessionId: string | null;
  readonly tokenId: string | null;
}

/** Maximum error in milliseconds of the machine's clock with which a halt and a pause still work. */
export const CLOCK_ERROR_MS = 3 * HOUR_MS;

/** Maximum lifetime in milliseconds of any provider's token. A revocation is kept as long. */
export const LONGEST_TOKEN_MS = HOUR_MS + CLOCK_ERROR_MS;

/** True if one of the revocations covers the token. */
export function isTakenBack(token: TokenClaims, revocations: readonly TokenRevocation[] = []): boolean {
  return revocations.some(({ before, sessionId, tokenId }) => {
    if (sessionId !== null) return token.sessionId === sessionId;
    if (tokenId !== null) return token.tokenId === tokenId;
    return token.issuedAt <= before;
  });
}

/** Setting of a member: a short text by name, with a version. Nothing acts on it. */
export interface Setting {
  readonly name: string;
  /** Counts the changes; 0 if the setting does not exist. */
  readonly version: number;
  /** Null if the setting does not exist. */
  readonly value: string | null;
}

/** Maximum settings of a member. */
export const MOST_SETTINGS = 64;
/** Maximum characters of a setting. */
export const LONGEST_SETTING = 16_384;
