/** Policies that trade the basis. A policy is evaluated like a Take. */
import { Type } from 'typebox';
import { takeInvalid } from '../../actors/take/commands.ts';
import { type TakeView, take } from '../../actors/take/resource.ts';
import {
  DEFAULT_MAX_HOLD_HOURS,
  DEFAULT_POLICY_LIFE_MS,
  DEFAULT_POLICY_SLIPPAGE_BPS,
  readPolicy,
  policyTake,
} from '../../src/domain/basis/policy.ts';
import { EXECUTION_MODES } from '../../src/domain/orders/order.ts';
import { readingOfFields } from '../../src/domain/take/read-take.ts';
import { TAKE_STATES } from '../../src/domain/take/take.ts';
import { requireMember } from '../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../cursor.ts';
import { malformed } from '../http/strict-json.ts';
import { onceOnly } from '../idempotency.ts';
import { idInPath } from '../identifier.ts';
import { TO_STOP } from '../permission.ts';
import { sendProblem, sendRefusal } from '../problem.ts';
import { defineRoute, type RouteGroup } from '../route.ts';
import { AgentPath, choice, DecimalText, EmptyBody, objectSchema, pageFields, pageSchema } from '../shapes.ts';

const PolicyBody = Type.Object(
  {
    ...take.wire,
    enterDiscountPct: Type.Number(),
    exitDiscountPct: Type.Number(),
    notionalUsd: DecimalText,
    maxHoldHours: Type.Number(),
  },
  { $id: 'BasisPolicy', description: 'Evaluated as a Take: its decisions, history and chart are those of GET /v1/takes/:id/….' },
);

function policyBody(view: TakeView) {
  return { ...take.body(view), ...readPolicy(view.take) };
}

const NO_POLICY = 'there is no basis policy with this id';

/** Modes of a policy. `POST /v1/takes/arm` arms a draft. */
const POLICY_MODES = [...EXECUTION_MODES, 'draft'] as const;

const armBasisPolicy = defineRoute({
  method: 'POST',
  url: '/v1/arbitrage/arm',
  name: 'armBasisPolicy',
  tag: 'arbitrage',
  summary: 'Deploys a deterministic basis policy',
  description:
    'Enters where the discount exceeds the target and the net edge is above zero, both prices live; leaves on reversion, after the holding time, or when the reference is lost. Real orders leave from a wallet that is delegated to the policy: `draft` keeps it as a draft, `POST /v1/delegations` with its id as `takeId` delegates a wallet, and `POST /v1/takes/arm` arms it live.',
  permission: 'trade:execute',
  cost: 'write',
  schema: {
    body: objectSchema({
      symbol: Type.String({ minLength: 1, maxLength: 64, description: 'A tokenized equity.' }),
      enterDiscountPct: Type.Number({ exclusiveMinimum: 0, maximum: 100 }),
      exitDiscountPct: Type.Number({ minimum: -100, maximum: 100, description: 'Below `enterDiscountPct`; below zero is a premium.' }),
      notionalUsd: Type.String({ pattern: '^[1-9]\\d{0,7}(\\.\\d{1,6})?$' }),
      mode: choice(POLICY_MODES),
      maxSlippageBps: Type.Optional(Type.Number({ minimum: 0, maximum: 10_000, default: DEFAULT_POLICY_SLIPPAGE_BPS })),
      maxHoldHours: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 8_760, default: DEFAULT_MAX_HOLD_HOURS })),
      expiresAt: Type.Optional(Type.String({ format: 'date-time', description: '30 days from now where it is missing.' })),
    }),
  },
  idempotent: true,
  answers: {
    201: {
      description: 'The policy: armed, or a draft where one was asked for.',
      schema: PolicyBody,
      shownAt: '/v1/arbitrage/policies/{id}',
    },
  },
  refusals: ['take_invalid', 'blocked_by_risk', 'feature_disabled', 'state_conflict', 'not_found'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const {
        mode,
        expiresAt,
        maxSlippageBps = DEFAULT_POLICY_SLIPPAGE_BPS,
        maxHoldHours = DEFAULT_MAX_HOLD_HOURS,
        ...bands
      } = request.body;
      const now = ports.clock.now();
      const until = expiresAt === undefined ? now + DEFAULT_POLICY_LIFE_MS : Date.parse(expiresAt);
      if (!Number.isFinite(until)) throw malformed('body.expiresAt', 'no time', 'an ISO 8601 time such as 2026-12-01T00:00:00Z');
      const read = policyTake({ ...bands, maxSlippageBps, maxHoldHours, expiresAt: until }, { catalog: ports.catalog.entries, now });
      if (!read.ok) return sendRefusal(reply, takeInvalid(read.problems).refusal);
      const reading = readingOfFields(read.take);
      return carryOut(request, reply, {
        status: 201,
        answer: (view: TakeView) => policyBody(view),
        run: (context) =>
          mode === 'draft'
            ? ports.takes.commands.create(context, read.take, reading)
            : ports.takes.commands.createArmed(context, read.take, reading, mode),
      });
    };
  },
});

const disarmBasisPolicy = defineRoute({
  method: 'POST',
  url: '/v1/arbitrage/policies/:id/disarm',
  name: 'disarmBasisPolicy',
  tag: 'arbitrage',
  summary: 'Disarms a basis policy',
  description: 'The position stays open.',
  permission: TO_STOP,
  cost: 'emergency',
  schema: { params: AgentPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The policy, disarmed.', schema: PolicyBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return async (request, reply) => {
      const id = idInPath(request.params);
      const found = id === null ? null : await ports.takes.reads.find(requireMember(request).orgId, id);
      if (id === null || found === null || found.take.origin !== 'basis') return sendProblem(reply, 'not_found', NO_POLICY);
      return carryOut(request, reply, {
        status: 200,
        answer: (view: TakeView) => policyBody(view),
        run: (context) => ports.takes.commands.disarm(context, id),
      });
    };
  },
});

const listBasisPolicies = defineRoute({
  method: 'GET',
  url: '/v1/arbitrage/policies',
  name: 'listBasisPolicies',
  tag: 'arbitrage',
  summary: "The organization's basis policies, newest first",
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectSchema({ state: Type.Optional(choice(TAKE_STATES)), ...pageFields }) },
  answers: { 200: { description: 'A page of policies.', schema: pageSchema(PolicyBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const { state = null } = request.query;
    const page = pageOfQuery(request.query, 'basis-policies', POSITIONS.number);
    return pageBody(
      await ports.takes.reads.list(requireMember(request).orgId, { origin: 'basis', state }, page),
      'basis-policies',
      policyBody,
    );
  },
});

const getBasisPolicy = defineRoute({
  method: 'GET',
  url: '/v1/arbitrage/policies/:id',
  name: 'getBasisPolicy',
  tag: 'arbitrage',
  summary: 'One basis policy',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: AgentPath },
  answers: { 200: { description: 'The policy.', schema: PolicyBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.takes.reads.find(requireMember(request).orgId, id);
    return found === null || found.take.origin !== 'basis' ? sendProblem(reply, 'not_found', NO_POLICY) : policyBody(found);
  },
});

export const arbitrageRoutes: RouteGroup = {
  tag: {
    name: 'arbitrage',
    position: 210,
    description:
      'Spread between a token, its reference share and the perpetual, and policies that trade it. Read the basis with its costs first, then arm a policy. A leg without a live price gives no edge.',
  },
  routes: [armBasisPolicy, disarmBasisPolicy, listBasisPolicies, getBasisPolicy],
};
