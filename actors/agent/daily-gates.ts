/** The daily look at agents whose stage is assessed from rows: paper and shadow trading. */
import type { Clock } from '../../streams/clock.ts';
import type { ContainedLoop } from '../runtime/containment.ts';
import { type Look, runEvery } from '../runtime/run-every.ts';
import { type AgreementDeps, lookAtAgreement } from './agreement.ts';

/** Interval of the check for paper and shadow stages without evidence of the day. */
const DAILY_LOOK_MS = 600_000;
/** Agents assessed in one look, at most. */
const ASSESSED_AT_ONCE = 500;

export interface DailyGates<Agent> {
  /** Agents whose gate nobody has looked at on the day of this time. */
  dueForToday(now: number, limit: number): Promise<readonly Agent[]>;
  /** Validates the gate that the agent stands at, on record. */
  validate(agent: Agent, write: true): Promise<unknown>;
  /** Agents with evidence of earlier rules that were not told so in the day before this time. */
  untold(now: number): Promise<readonly { readonly id: string }[]>;
  /** Tells an agent's owners which evidence holds it at its stage. */
  tellOutdated(agentId: string, now: number): Promise<void>;
  /** Agents that were filled in the day before this time and not told of a drift of their costs in it. */
  filled(now: number): Promise<readonly { readonly id: string }[]>;
  /** Tells an agent's owners that its fills cost more than was expected, if they do. */
  tellDrift(agentId: string, now: number): Promise<void>;
  /** External agents whose code has proposed nothing for a day and whose owners were not told of it. */
  silent(now: number): Promise<readonly { readonly id: string; readonly last: number }[]>;
  tellSilence(agent: { readonly id: string; readonly last: number }, now: number): Promise<void>;
  readonly agreement: AgreementDeps;
}

/**
 * Assesses all due agents, reports agents whose evidence no longer counts, whose fills cost more than expected or whose code is silent, and
 * asks outside code again. An agent that moves on meanwhile is assessed at its new stage next time.
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
