/** Permissions that a route requires, and the check of a caller against them. */
import type { Permission } from '../src/domain/agents/agent.ts';

/**
 * `public`: nobody need be identified. `identity`: any verified identity, with or without grants. `bearer`: any token in Authorization,
 * an identity's or an agent's; what is asked on is asked with that token again. A cookie opens nothing there.
 */
export type RoutePermission =
  | 'public'
  | 'identity'
  | 'bearer'
  | Permission
  /** A member with the permission, or a token of the agent that the path names. */
  | { readonly member: Permission; readonly agentToken: true }
  | { readonly anyOf: readonly [Permission, ...Permission[]] }
  | { readonly allOf: readonly [Permission, ...Permission[]] };

/** Permissions to stop agents. */
export const TO_STOP = { anyOf: ['trade:execute', 'risk:manage'] } as const satisfies RoutePermission;

/** Rules that a token of the agent meets as well: `agent:propose` is what such a token may do, and nobody is granted it. */
export const orAgentToken = (member: Permission): RoutePermission => ({ member, agentToken: true });

/** Permissions of an identity to which no organization has granted any. */
export const VIEWER_PERMISSIONS: readonly Permission[] = ['market:read'];

const isWithoutGrants = (rule: RoutePermission): rule is 'public' | 'identity' | 'bearer' =>
  rule === 'public' || rule === 'identity' || rule === 'bearer';

/** The permissions that a rule wants and the caller lacks, in words; null if the caller may. */
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

/** The rule in words, for the permission table and the OpenAPI document. */
export function permissionText(rule: RoutePermission): string {
  if (typeof rule === 'string') return rule;
  if ('agentToken' in rule) return `${rule.member} or agent:propose`;
  return 'anyOf' in rule ? rule.anyOf.join(' or ') : rule.allOf.join(' and ');
}
