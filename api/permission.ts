/** Permissions that a route requires, and the check of a caller against them. */
import type { Permission } from '../src/domain/agents/agent.ts';

/**
 * Permission of a route. `public`: no identity needed. `identity`: any verified identity, with or without grants. `bearer`: any token in
 * Authorization, an identity's or an agent's, which is also used for the requests it makes. Cookies are not accepted there.
 */
export type RoutePermission =
  | 'public'
  | 'identity'
  | 'bearer'
  | Permission
  /** A member with the permission, or a token of the agent in the path. */
  | { readonly member: Permission; readonly agentToken: true }
  | { readonly anyOf: readonly [Permission, ...Permission[]] }
  | { readonly allOf: readonly [Permission, ...Permission[]] };

/** Permissions that allow stopping agents. */
export const TO_STOP = { anyOf: ['trade:execute', 'risk:manage'] } as const satisfies RoutePermission;

/** Returns a rule that a token of the agent also satisfies. Such a token has `agent:propose`, which is granted to nobody. */
export const orAgentToken = (member: Permission): RoutePermission => ({ member, agentToken: true });

/** Permissions of an identity to which no organization has granted any. */
export const VIEWER_PERMISSIONS: readonly Permission[] = ['market:read'];

const isWithoutGrants = (rule: RoutePermission): rule is 'public' | 'identity' | 'bearer' =>
  rule === 'public' || rule === 'identity' || rule === 'bearer';

/** Returns the required permissions that the caller lacks in words, or null if it has them. */
export function missingPermission(rule: RoutePermission, held: readonly Permission[]): string | null {
  if (isWithoutGrants(rule)) return null;
  if (typeof rule === 'string') return held.includes(rule) ? null : rule;
  if ('agentToken' in rule) return held.includes(rule.member) ? null : rule.member;
  if ('anyOf' in rule) return rule.anyOf.some((permission) => held.includes(permission)) ? null : rule.anyOf.join(' or ');
  const missing = rule.allOf.filter((permission) => !held.includes(permission));
  return missing.length === 0 ? null : missing.join(' and ');
}

const TRADING: readonly Permission[] = ['trade:execute', 'risk:manage', 'members:manage'];

/** True if the rule requires a permission that can lead to trades, or to granting the right to trade. */
export function concernsTrading(rule: RoutePermission): boolean {
  if (isWithoutGrants(rule)) return false;
  const named: readonly Permission[] =
    typeof rule === 'string' ? [rule] : 'agentToken' in rule ? [rule.member] : 'anyOf' in rule ? rule.anyOf : rule.allOf;
  return named.some((permission) => TRADING.includes(permission));
}

/** Returns the rule in words, for the permission table and the OpenAPI document. */
export function permissionText(rule: RoutePermission): string {
  if (typeof rule === 'string') return rule;
  if ('agentToken' in rule) return `${rule.member} or agent:propose`;
  return 'anyOf' in rule ? rule.anyOf.join(' or ') : rule.allOf.join(' and ');
}
