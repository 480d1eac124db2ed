/** An evaluation run on the wire. */
import { Type } from 'typebox';
import type { EvaluationView } from '../../../../actors/evaluation/commands.ts';
import { EVALUATIONS, RUN_STATES } from '../../../../actors/evaluation/protocol.ts';
import type { Provenance } from '../../../../src/domain/market/data-source.ts';
import type { EpochMs } from '../../../../src/domain/values/time.ts';
import { awaitedWork, evaluationProgress } from '../../../../src/domain/values/work-progress.ts';
import { WAITS_FOR_WORK, WORK_FIELDS } from '../../../../src/core/work-fields.ts';
import { idInPath, storedId } from '../../../identifier.ts';
import { OriginsBody, SIMULATED } from '../gates/evidence-body.ts';
import { choice, HashText, IdText, NullableTime, objectOf, Time } from '../../../shapes.ts';

export const EvaluationRunBody = Type.Object(
  {
    id: IdText,
    agentId: IdText,
    evaluation: choice(EVALUATIONS),
    state: choice(RUN_STATES, '`refused`: the run cannot be done, see `ending`. `failed`: a defect of the service.'),
    manifestVersion: Type.Integer(),
    manifestHash: HashText,
    request: Type.Unsafe<object>({
      type: 'object',
      additionalProperties: true,
      description: 'The request with every default resolved.',
    }),
    requestedBy: Type.String(),
    createdAt: Time,
    startedAt: NullableTime,
    endedAt: NullableTime,
    attempts: Type.Integer({ description: 'Attempts. More than one if a process died over it.' }),
    ending: Type.Unsafe<{ code: string; detail: string } | null>({
      type: ['object', 'null'],
      required: ['code', 'detail'],
      properties: { code: { type: 'string' }, detail: { type: 'string' } },
      description: 'Reason it has no result, such as `insufficient_history`.',
    }),
    resultHash: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'SHA-256 of the canonical result: the same for the same manifest, history and request.',
    }),
    summary: Type.Unsafe<object | null>({
      type: ['object', 'null'],
      additionalProperties: true,
      description: 'The main numbers of a finished run.',
    }),
    provenance: Type.Unsafe<Provenance | null>({
      type: ['object', 'null'],
      required: ['simulated', 'origins'],
      properties: { simulated: Type.Boolean({ description: SIMULATED }), origins: OriginsBody },
      description: 'Origins of the market data that the result stands on. Null before the run has finished.',
    }),
    ...WORK_FIELDS,
    waitsForWork: WAITS_FOR_WORK,
  },
  { $id: 'EvaluationRun' },
);

export const RunPath = objectOf({ id: IdText, runId: IdText });

/** Message for a run that does not exist or belongs to another organization. */
export const NO_RUN = 'there is no such run of an agent of yours';

export function evaluationBody({ told, ...view }: EvaluationView, at: EpochMs) {
  return { ...view, ...evaluationProgress(view.state, told, at), waitsForWork: awaitedWork(view.state, told) };
}

/** Reads agent and run from a path. Null if one of them is not a UUID. */
export function runIdsOf(params: {
  readonly id: string;
  readonly runId: string;
}): { readonly agentId: string; readonly runId: string } | null {
  const [agentId, runId] = [idInPath(params), storedId(params.runId)];
  return agentId === null || runId === null ? null : { agentId, runId };
}
