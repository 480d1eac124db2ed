/** POST /v1/arbitrage/arm: deploys a basis policy, which is evaluated like a Take. */
import { Type } from 'typebox';
import { takeInvalid } from '../../../actors/take/command-handler.ts';
import type { TakeView } from '../../../actors/take/resource.ts';
import {
  DEFAULT_MAX_HOLD_HOURS,
  DEFAULT_POLICY_LIFE_MS,
  DEFAULT_POLICY_SLIPPAGE_BPS,
  policyTake,
} from '../../../src/domain/basis/policy.ts';
import { EXECUTION_MODES } from '../../../src/domain/orders/order.ts';
import { readingOfFields } from '../../../src/domain/take/read-take.ts';
import { malformed } from '../../http/strict-json.ts';
import { onceOnly } from '../../idempotency.ts';
import { sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { choice, objectOf } from '../../shapes.ts';
import { PolicyBody, policyBody } from './policy-body.ts';

/** Modes of a policy. `POST /v1/takes/arm` arms a draft. */
const POLICY_MODES = [...EXECUTION_MODES, 'draft'] as const;

export const armBasisPolicy = defineRoute({
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
    body: objectOf({
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
