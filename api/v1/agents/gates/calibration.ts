/** GET /v1/agents/:id/calibration: returns expected and realized costs of the agent's fills. */
import { Type } from 'typebox';
import { NO_AGENT } from '../../../../src/domain/agents/agent.ts';
import {
  type CalibratedFill,
  COST_GROUPS,
  type CostFigures,
  costFigures,
  costsBy,
  DRIFT_BPS,
  hasDrifted,
  LEAST_FILLS,
} from '../../../../src/domain/agents/calibration.ts';
import { isoTime } from '../../../../src/domain/values/time.ts';
import { memberOf } from '../../../caller.ts';
import { idInPath } from '../../../identifier.ts';
import { sendProblem } from '../../../problem.ts';
import { defineRoute } from '../../../route.ts';
import { AgentPath, choice, nullable, Time } from '../../../shapes.ts';

/** Maximum fills listed individually. */
const MOST_SHOWN = 300;

const bps = (description: string) => nullable('number', `${description} Basis points; null if unknown.`);

const figures = {
  fills: Type.Integer(),
  unknown: Type.Integer({ description: 'Fills whose expectation is not on record. They are in no other figure.' }),
  expectedBps: bps('Mean expected cost.'),
  realizedBps: bps('Mean realized cost.'),
  biasBps: bps('Mean of realized less expected cost: above zero the expectation was too kind.'),
  biasErrorBps: bps('Standard error of the bias.'),
  medianBps: bps('Median of realized less expected cost.'),
  p10Bps: bps('Tenth percentile of realized less expected cost.'),
  p90Bps: bps('Ninetieth percentile of realized less expected cost.'),
  dearer: Type.Integer({ description: 'Fills that cost more than expected.' }),
  cheaper: Type.Integer({ description: 'Fills that cost less than expected.' }),
  signP: nullable(
    'number',
    'Sign test: the probability of so uneven a number of dearer and cheaper fills if both were as likely. Null without either.',
  ),
};

const CostFiguresBody = Type.Object(figures, { $id: 'CostFigures' });
const GroupBody = Type.Object({ by: choice(COST_GROUPS), key: Type.String(), ...figures }, { $id: 'CostGroup' });

const CalibrationBody = Type.Object(
  {
    manifestVersion: Type.Integer({ description: 'The active version, whose fills these are.' }),
    promisedBps: bps('Mean cost of a fill in the newest backtest that passed its gate.'),
    drifted: nullable(
      'boolean',
      `True if fills cost more than expected by more than ${DRIFT_BPS} basis points beyond their own error: backtests from before them are optimistic, and the alert \`costs_drifted\` is sent once a day. Null of fewer than ${LEAST_FILLS} fills.`,
    ),
    paper: CostFiguresBody,
    live: CostFiguresBody,
    groups: Type.Array(GroupBody, { description: 'The same by venue, algorithm, size in US dollars and hour of day (UTC).' }),
    fills: Type.Array(
      Type.Object({
        at: Time,
        mode: choice(['paper', 'live']),
        instrument: Type.String(),
        expectedBps: bps('Expected cost.'),
        realizedBps: Type.Number(),
      }),
      { description: `The newest ${MOST_SHOWN}, newest first.` },
    ),
  },
  { $id: 'Calibration' },
);

export const getCalibration = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/calibration',
  name: 'getCalibration',
  tag: 'agents',
  summary: 'Expected and realized trading costs of an agent',
  description:
    'Costs of the newest 1,000 fills of the active manifest, paper and live. A cost is the distance of a fill from the price that could be traded at the decision: the ask of a buy, the bid of a sell. Expected is what the cost model asks for that size in the market of the decision.',
  permission: 'agent:read',
  cost: 'costly',
  schema: { params: AgentPath },
  answers: { 200: { description: 'The calibration; figures are null without fills.', schema: CalibrationBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.agents.calibration(memberOf(request).orgId, id);
    if (found === null) return sendProblem(reply, 'not_found', NO_AGENT);
    const { manifestVersion, promisedBps, fills } = found;
    const ofMode = (mode: CalibratedFill['mode']): CostFigures => costFigures(fills.filter((fill) => fill.mode === mode));
    return {
      manifestVersion,
      promisedBps,
      drifted: hasDrifted(costFigures(fills)),
      paper: ofMode('paper'),
      live: ofMode('live'),
      groups: COST_GROUPS.flatMap((by) => costsBy(by, fills).map((group) => ({ by, ...group }))),
      fills: fills
        .slice(0, MOST_SHOWN)
        .map(({ at, mode, instrument, expectedBps, realizedBps }) => ({ at: isoTime(at), mode, instrument, expectedBps, realizedBps })),
    };
  },
});
