/** Asks outside code for answers it gave before, and demotes its agent if the new answers differ or do not come. */
import { LEAST_AGREEMENT_PCT } from '../../src/domain/backtest/agreement.ts';
import { DAY_MS, type EpochMs } from '../../src/domain/values/time.ts';
import type { EvaluationCommands } from '../evaluation/commands.ts';
import type { ContainedLoop } from '../runtime/containment.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** External agent whose next agreement session is due. */
export interface DueAgreement {
  readonly id: string;
  readonly orgId: string;
  readonly passedRun: string | null;
  readonly dueSince: EpochMs;
}

/** Agent whose last session shows that its code is no longer the code that passed. */
export interface Disagreement {
  readonly id: string;
  readonly runId: string;
  readonly agreementPct: number | null;
}

export interface AgreementDeps {
  readonly due: (now: EpochMs) => Promise<readonly DueAgreement[]>;
  readonly disagreed: () => Promise<readonly Disagreement[]>;
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly evaluations: Pick<EvaluationCommands, 'start'>;
  readonly newId: () => string;
}

/** Time after which an agent that keeps other evaluations open counts as silent, in milliseconds. */
const EVADED_MS = DAY_MS;

/** Demotes agents that disagreed and opens sessions for agents that are due. */
export async function lookAtAgreement(deps: AgreementDeps, now: EpochMs, contained: ContainedLoop): Promise<void> {
  await contained.each(
    await deps.disagreed(),
    ({ id }) => ({ id: `${id} agreement`, orgId: null }),
    ({ id, runId, agreementPct }) => trip(deps, id, agreementPct ?? 0, now, `run ${runId}`),
  );
  await contained.each(
    await deps.due(now),
    ({ id }) => ({ id: `${id} agreement`, orgId: null }),
    (due) => ask(deps, due, now),
  );
}

async function ask(deps: AgreementDeps, { id, orgId, passedRun, dueSince }: DueAgreement, now: EpochMs): Promise<void> {
  const session = deps.newId();
  const context = { orgId, subject: 'service', permissions: [], requestId: session };
  const started = await deps.evaluations.start(context, id, 'agreement', { of: passedRun, session });
  if (!started.ok && now - dueSince > EVADED_MS) await trip(deps, id, 0, now, 'no session could be opened for a day');
}

function trip({ runtime }: AgreementDeps, agentId: string, observed: number, at: EpochMs, why: string) {
  const event = { type: 'breaker.tripped', breaker: 'disagreement', at, observed, limit: LEAST_AGREEMENT_PCT };
  // The event is refused if the agent has left its stage meanwhile.
  return runtime.deliver(agentId, event, { cause: `breaker disagreement: ${why}` });
}
