/** Stages, autonomy levels, pause causes and other terms of an agent. */

/** The seven promotion stages in order. */
export const STAGES = ['draft', 'backtest', 'stress_test', 'paper', 'shadow', 'limited_live', 'live'] as const;
export type Stage = (typeof STAGES)[number];

/** Message for an agent that the organization does not have. */
export const NO_AGENT = 'there is no agent with this id';

/** Autonomy levels 0 to 5. */
export const AUTONOMY_LEVELS = ['research', 'suggest', 'confirm', 'policy_auto', 'autonomous', 'risk_only'] as const;
export type Autonomy = (typeof AUTONOMY_LEVELS)[number];

/** Levels at which orders are placed without a person's approval. */
export const EXECUTES_BY_ITSELF: ReadonlySet<Autonomy> = new Set<Autonomy>(['policy_auto', 'autonomous']);

/** Upper-case names of the levels in a declarative manifest. */
export const AUTONOMY_IDENTIFIERS: Readonly<Record<string, Autonomy>> = {
  RESEARCH: 'research',
  SUGGEST: 'suggest',
  CONFIRM: 'confirm',
  POLICY_AUTO: 'policy_auto',
  AUTONOMOUS: 'autonomous',
  EMERGENCY_RISK_ONLY: 'risk_only',
};

/** Causes of a pause, which decide who may resume the agent. */
export const PAUSE_CAUSES = ['operator', 'emergency_halt', 'data_degraded', 'daily_drawdown', 'tick_crash', 'quarantine'] as const;
export type PauseCause = (typeof PAUSE_CAUSES)[number];

/** Maximum length of a halt's reason. The column `control.halt_reason` has the same limit. */
export const MAX_HALT_REASON_CHARS = 500;

/** Possible results of a tick. */
export const DISPOSITIONS = ['hold', 'propose_entry', 'propose_exit', 'blocked_by_risk'] as const;
export type Disposition = (typeof DISPOSITIONS)[number];

export const PERMISSIONS = ['market:read', 'agent:read', 'trade:execute', 'risk:manage', 'members:manage'] as const;
export type Permission = (typeof PERMISSIONS)[number];
