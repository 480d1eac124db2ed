/** GET /v1/agents/:id/context: returns the data that an outside strategy needs of its agent. */
import { Type } from 'typebox';
import type { OutsideContext } from '../../../actors/agent/outside-proposals.ts';
import { ObservationBody } from '../../../src/core/decision-shapes.ts';
import { NO_AGENT } from '../../../src/domain/agents/agent.ts';
import type { Observation } from '../../../src/domain/market/cut.ts';
import { ORDER_SIDES } from '../../../src/domain/orders/order.ts';
import type { DecimalString } from '../../../src/domain/values/decimal.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { requireMember } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { orAgentToken } from '../../permission.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import {
  AgentPath,
  AutonomyWord,
  choice,
  DecimalText,
  HashText,
  IdText,
  NullableDecimalText,
  nullable,
  PauseCauseWord,
  StageWord,
  Time,
} from '../../shapes.ts';
import { OutsideReceiptBody, receiptBody } from './outside-proposals.ts';

const CutBody = Type.Unsafe<object | null>({
  type: ['object', 'null'],
  required: ['slot', 'observations'],
  properties: { slot: Time, observations: Type.Array(ObservationBody) },
  description: 'The last cut: the instruments and indicators of the manifest alone. Null before the first one.',
});

const PendingBody = Type.Unsafe<object | null>({
  ...OutsideReceiptBody,
  $id: undefined,
  type: ['object', 'null'],
  description: 'The outside proposal that waits for its slot, or null.',
});

const AgreementBody = Type.Unsafe<object | null>({
  type: ['object', 'null'],
  required: ['sessionId', 'openedAt'],
  properties: { sessionId: IdText, openedAt: Time },
  description:
    'The session that asks your code again for answers that it gave in the session that passed, or null. Answer it as a replay session, from its first step on, within an hour.',
});

const ContextBody = Type.Object(
  {
    agentId: IdText,
    stage: StageWord,
    autonomy: AutonomyWord,
    paused: Type.Boolean(),
    pauseCause: PauseCauseWord,
    manifestHash: HashText,
    manifestVersion: Type.Integer(),
    release: nullable('string', 'Release of the outside code; null of an agent whose own rules trade.'),
    universe: Type.Array(Type.String()),
    cut: CutBody,
    book: Type.Object({
      id: Type.String(),
      mode: Type.String(),
      cashUsd: DecimalText,
      equityUsd: NullableDecimalText,
      exposureUsd: NullableDecimalText,
      realizedPnlUsd: DecimalText,
      dailyDrawdownPct: nullable('number'),
      positions: Type.Array(
        Type.Object({ instrument: Type.String(), quantity: DecimalText, costUsd: DecimalText, valueUsd: NullableDecimalText }),
      ),
      openProposals: Type.Array(
        Type.Object({
          id: Type.String(),
          instrument: Type.String(),
          side: choice(ORDER_SIDES),
          quantity: DecimalText,
          notionalUsd: DecimalText,
        }),
        { description: 'Proposals of the agent that wait for approval or are being executed.' },
      ),
    }),
    limits: Type.Object(
      {
        maxTradeNotionalUsd: DecimalText,
        maxCapitalUsd: DecimalText,
        maxOpenPositions: Type.Integer(),
        maxSlippageBps: Type.Number(),
        maxDailyDrawdownPct: Type.Number(),
        maxLeverage: DecimalText,
        reduceOnly: Type.Boolean(),
      },
      { description: 'The stricter of the manifest and the organization’s risk preferences.' },
    ),
    pending: PendingBody,
    agreement: AgreementBody,
  },
  { $id: 'OutsideContext', description: 'The view that an outside strategy has of its agent.' },
);

export const getOutsideContext = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/context',
  name: 'getOutsideContext',
  tag: 'agents',
  summary: 'The view that an outside strategy has of its agent: market, book, limits, and what is pending',
  permission: orAgentToken('agent:read'),
  cost: 'read',
  schema: { params: AgentPath },
  answers: { 200: { description: 'The context.', schema: ContextBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.agents.outside.context(requireMember(request).orgId, id);
    return found === null ? sendProblem(reply, 'not_found', NO_AGENT) : contextBody(found);
  },
});

/** Figures of an instrument that strategies use most. */
const BriefInstrument = Type.Object({
  bid: NullableDecimalText,
  ask: NullableDecimalText,
  live: Type.Boolean({ description: 'False: the quote is stale or missing, and nothing trades on it.' }),
  premiumPct: nullable('number'),
  basisPct: nullable('number'),
  held: DecimalText,
});

const BriefBody = Type.Object(
  {
    slot: Type.Unsafe<string | null>({ ...Time, type: ['string', 'null'], description: 'Slot of the last cut.' }),
    manifestHash: HashText,
    mayTrade: Type.Boolean({ description: 'False while it is paused or at `research`.' }),
    cashUsd: DecimalText,
    mostUsd: { ...DecimalText, description: 'Largest size of one trade.' },
    market: Type.Record(Type.String(), BriefInstrument),
    pending: Type.Boolean(),
    agreement: nullable('string', 'The agreement session that waits for answers.'),
  },
  { $id: 'BriefContext', description: 'The context in few words, for code that pays by the token.' },
);

export const getBriefContext = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/context/brief',
  name: 'getBriefContext',
  tag: 'agents',
  summary: 'The context of an agent in few words: prices, holdings, the largest trade, and what is pending',
  description: 'A tenth of the tokens of the whole context, for language models that look each minute.',
  permission: orAgentToken('agent:read'),
  cost: 'read',
  schema: { params: AgentPath },
  answers: { 200: { description: 'The context in few words.', schema: BriefBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.agents.outside.context(requireMember(request).orgId, id);
    return found === null ? sendProblem(reply, 'not_found', NO_AGENT) : briefBody(found);
  },
});

function briefBody({ agent, manifest, cut, book, mandate, pending, agreement }: OutsideContext) {
  const held = new Map(book.positions.map(({ instrument, quantity }) => [instrument, quantity]));
  const seen = new Map(cut?.observations.map((one) => [one.instrument, one]));
  return {
    slot: cut === null ? null : isoTime(cut.slot),
    manifestHash: agent.manifestHash,
    mayTrade: !agent.paused && agent.autonomy !== 'research',
    cashUsd: book.state.cashUsd,
    mostUsd: mandate.maxTradeNotionalUsd,
    market: Object.fromEntries(manifest.universe.map(({ key }) => [key, briefInstrument(seen.get(key), held.get(key) ?? '0')])),
    pending: pending !== null,
    agreement: agreement?.sessionId ?? null,
  };
}

function briefInstrument(seen: Observation | undefined, held: DecimalString) {
  const { bid = null, ask = null, quality } = seen?.quote ?? {};
  return { bid, ask, live: quality === 'live', premiumPct: seen?.premiumPct ?? null, basisPct: seen?.basisPct ?? null, held };
}

function contextBody({ agent, manifest, cut, book, mandate, pending, agreement }: OutsideContext) {
  const { state, positions, equityUsd, exposureUsd, dailyDrawdownPct } = book;
  const { maxTradeNotionalUsd, maxCapitalUsd, maxOpenPositions, maxSlippageBps, maxDailyDrawdownPct, maxLeverage, reduceOnly } = mandate;
  return {
    agentId: agent.id,
    stage: agent.stage,
    autonomy: agent.autonomy,
    paused: agent.paused,
    pauseCause: agent.pauseCause,
    manifestHash: agent.manifestHash,
    manifestVersion: agent.manifestVersion,
    release: manifest.strategy?.release ?? null,
    universe: manifest.universe.map(({ key }) => key),
    cut: cut === null ? null : { slot: isoTime(cut.slot), observations: cut.observations },
    book: {
      id: state.id,
      mode: state.mode,
      cashUsd: state.cashUsd,
      equityUsd,
      exposureUsd,
      realizedPnlUsd: state.realizedPnlUsd,
      dailyDrawdownPct,
      positions,
      openProposals: state.openProposals,
    },
    limits: { maxTradeNotionalUsd, maxCapitalUsd, maxOpenPositions, maxSlippageBps, maxDailyDrawdownPct, maxLeverage, reduceOnly },
    pending: pending === null ? null : receiptBody(pending),
    agreement: agreement === null ? null : { sessionId: agreement.sessionId, openedAt: isoTime(agreement.openedAt) },
  };
}
