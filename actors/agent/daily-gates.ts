/** Assesses agents in paper and shadow trading once a day. */
import type { Clock } from '../../streams/clock/clock.ts';
import type { ContainedLoop } from '../runtime/containment.ts';
import { type Look, runEvery } from '../runtime/run-every.ts';
import { type AgreementDeps, lookAtAgreement } from './agreement.ts';

/** Interval, in milliseconds, of the check for agents that have no evidence of the day. */
const DAILY_LOOK_MS = 600_000;
/** Maximum number of agents assessed at once. */
const ASSESSED_AT_ONCE = 500;

interface DailyGates<Agent> {
  /** Agents whose gate was not assessed on the day of `now`. */
  dueForToday(now: number, limit: number): Promise<readonly Agent[]>;
  /** Validates the agent's present gate, and records the result. */
  validate(agent: Agent, write: true): Promise<unknown>;
  /** Agents with outdated evidence whose owners were not told in the last 24 hours. */
  untold(now: number): Promise<readonly { readonly id: string }[]>;
  /** Tells an agent's owners which outdated evidence holds it at its stage. */
  tellOutdated(agentId: string, now: number): Promise<void>;
  /** Agents with fills in the last 24 hours whose owners were not told of cost drift in that time. */
  filled(now: number): Promise<readonly { readonly id: string }[]>;
  /** Tells an agent's owners if its fills cost more than expected. */
  tellDrift(agentId: string, now: number): Promise<void>;
  /** External agents whose code has proposed nothing for a day and whose owners have not been told. */
  silent(now: number): Promise<readonly { readonly id: string; readonly last: number }[]>;
  tellSilence(agent: { readonly id: string; readonly last: number }, now: number): Promise<void>;
  readonly agreement: AgreementDeps;
}

/**
 * Assesses all due agents. Reports agents whose evidence is outdated, whose fills cost more than expected or whose code is silent, and asks
 * outside code again. An agent that changes its stage meanwhile is assessed at its new stage next time.
 */
export async function assessDue<Agent extends { readonly id: string }>(
  gates: DailyGates<Agent>,
  now: number,
  contained: ContainedLoop,
): Promise<void> {
  await contained.each(
    await gates.dueForToday(now, ASSESSED_AT_ONCE + contained.waiting),
    ({ id }) => ({ id, orgId: null }),
    (agent) => gates.validate(agent, true),
  );
  await contained.each(
    await gates.untold(now),
    ({ id }) => ({ id: `${id} evidence`, orgId: null }),
    ({ id }) => gates.tellOutdated(id, now),
  );
  await contained.each(
    await gates.filled(now),
    ({ id }) => ({ id: `${id} costs`, orgId: null }),
    ({ id }) => gates.tellDrift(id, now),
  );
  await contained.each(
    await gates.silent(now),
    ({ id }) => ({ id: `${id} silence`, orgId: null }),
    (agent) => gates.tellSilence(agent, now),
  );
  await lookAtAgreement(gates.agreement, now, contained);
}

/** Assesses all due agents, periodically. */
export function lookDaily<Agent extends { readonly id: string }>(
  gates: DailyGates<Agent>,
  clock: Pick<Clock, 'now' | 'deadline'>,
  contained: ContainedLoop,
  onError: (error: unknown) => void,
): Look {
  const look = () => assessDue(gates, clock.now(), contained);
  return runEvery(clock, 'assessing paper and shadow stages', DAILY_LOOK_MS, look, onError);
}
