/** The `agents` channel: the organization's agents, then every change of their stage, status, autonomy, breakers and evaluations. */
import { Type } from 'typebox';
import { EVALUATIONS } from '../../../actors/evaluation/machine.ts';
import { WAITS_FOR_WORK, WORK_FIELDS } from '../../../src/core/work-fields.ts';
import { AutonomyWord, choice, HashText, IdText, PauseCauseWord, StageWord } from '../../shapes.ts';
import { AgentBody, agentBody } from '../../v1/agents/agent-body.ts';
import { EvaluationRunBody } from '../../v1/agents/agent-evaluations.ts';
import { announcementChannel } from './channel.ts';

/** Status of an agent, shared by its changes and alerts. */
export const agentStatus = {
  agentId: IdText,
  stage: StageWord,
  // Missing in announcements of earlier versions, until they leave the kept history.
  status: Type.Optional(
    choice(['running', 'paused'], 'A running agent decides at each slot. Missing in announcements of earlier versions.'),
  ),
  duty: { ...choice(['active', 'paused'], 'Use status. Deprecated; served until 2027-05-27.'), deprecated: true },
  feed: choice(['live', 'degraded', 'lost']),
  autonomy: AutonomyWord,
  pauseCause: PauseCauseWord,
  manifestHash: HashText,
};

/** Fields of a tripped breaker: its limit and the observed value. */
export const tripFields = {
  breaker: Type.Optional(Type.String({ description: 'The breaker that tripped.' })),
  observed: Type.Optional(Type.String()),
  limit: Type.Optional(Type.String()),
};

const AgentChange = Type.Object(
  {
    what: choice(['promoted', 'demoted', 'autonomy_set', 'manifest_changed', 'paused', 'resumed', 'closing', 'closed']),
    ...agentStatus,
    ...tripFields,
  },
  { $id: 'AgentChange', additionalProperties: false },
);

const ofRun = { agentId: IdText, runId: IdText, evaluation: choice(EVALUATIONS) };
const { state, manifestHash, ending, resultHash, summary } = EvaluationRunBody.properties;

const EvaluationChange = Type.Object(
  {
    what: choice([
      'evaluation_queued',
      'evaluation_running',
      'evaluation_finished',
      'evaluation_refused',
      'evaluation_cancelled',
      'evaluation_failed',
    ]),
    ...ofRun,
    state,
    manifestHash,
    ending,
    resultHash,
    summary,
  },
  { $id: 'EvaluationChange', additionalProperties: false, description: 'An evaluation run started or ended.' },
);

const EvaluationProgress = Type.Object(
  {
    what: choice(['evaluation_progress']),
    ...ofRun,
    done: Type.Number(),
    total: Type.Number(),
    doing: Type.String({ description: 'Present work, in words.' }),
    since: Type.Integer({ description: 'Time of the change, in milliseconds since the epoch.' }),
    ...WORK_FIELDS,
    waitsForWork: WAITS_FOR_WORK,
  },
  { $id: 'EvaluationProgress', additionalProperties: false, description: 'Progress of a run.' },
);

export const agentsChannel = announcementChannel({
  name: 'agents',
  about: 'State of the agents, then each change of stage, status, autonomy and breakers.',
  actorParam: 'agentId',
  item: Type.Union([AgentChange, EvaluationChange, EvaluationProgress]),
  // In the shape of `GET /v1/agents`.
  snapshot: { body: Type.Array(AgentBody), read: async (ports, orgId, agentId) => (await ports.agentsNow(orgId, agentId)).map(agentBody) },
});
