/** The risk mandate of an organization. */
import { Type } from 'typebox';
import type { PreferencesCommands, PreferencesView } from '../../actors/risk-preferences/commands.ts';
import type { PreferencesStore } from '../../src/adapters/store/risk/risk-preferences-reads.ts';
import { DEFAULT_PREFERENCES, type RiskPreferences } from '../../src/domain/risk/index.ts';
import { plainDecimal } from '../../src/domain/values/decimal.ts';
import { requireMember } from '../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../cursor.ts';
import { onceOnly } from '../idempotency.ts';
import { defineRoute, type RouteGroup } from '../route.ts';
import { nullable, objectSchema, pageFields, pageSchema, Time } from '../shapes.ts';

declare module '../route.ts' {
  interface ApiPorts {
    /** An organization's risk preferences: read, listed and replaced. */
    readonly riskPreferences: Pick<PreferencesStore, 'current' | 'history'> & Pick<PreferencesCommands, 'replace'>;
  }
}

/** Returns the schema of money with up to 13 whole digits and micro-dollars. */
const Money = (description: string, value: string) => Type.String({ pattern: '^\\d{1,13}(\\.\\d{1,6})?$', description, examples: [value] });
const Percent = (description: string, value: number, maximum = 100) => Type.Number({ minimum: 0, maximum, description, examples: [value] });

/** All preferences. None has a default in a request, because an omitted limit must not become looser. */
const preferenceFields = {
  maxCapitalUsd: Money('Max capital of one book in positions, in US dollars.', DEFAULT_PREFERENCES.maxCapitalUsd),
  maxTradeNotionalUsd: Money('Max order size, in US dollars.', DEFAULT_PREFERENCES.maxTradeNotionalUsd),
  maxLeverage: Type.String({
    pattern: '^(100(\\.0{1,4})?|\\d{1,2}(\\.\\d{1,4})?)$',
    description: "Highest ratio of a book's exposure to its equity, at most 100.",
    examples: [DEFAULT_PREFERENCES.maxLeverage],
  }),
  maxDailyDrawdownPct: Percent(
    'Max daily loss, in percent of the equity at the start of the UTC day. A book that lost more can only sell.',
    DEFAULT_PREFERENCES.maxDailyDrawdownPct,
  ),
  maxOpenPositions: Type.Integer({
    minimum: 0,
    maximum: 1_000,
    description: 'Max open positions of one book.',
    examples: [DEFAULT_PREFERENCES.maxOpenPositions],
  }),
  maxSlippageBps: Type.Number({
    minimum: 0,
    maximum: 10_000,
    description: 'Max distance of a limit price from the executable price, in basis points.',
    examples: [DEFAULT_PREFERENCES.maxSlippageBps],
  }),
  maxPositionWeightPct: Percent(
    'Max weight of one instrument over all books of a mode, in percent of their equity.',
    DEFAULT_PREFERENCES.maxPositionWeightPct,
    10_000,
  ),
  maxUnderlyingWeightPct: Percent(
    'Max weight of one underlying that several instruments give exposure to, in percent of the equity of the books of a mode.',
    DEFAULT_PREFERENCES.maxUnderlyingWeightPct,
    10_000,
  ),
  maxPoolSharePct: Percent("Max share of a position in its pool's liquidity, in percent.", DEFAULT_PREFERENCES.maxPoolSharePct),
  requireLiveReference: Type.Boolean({
    description: 'If true, an instrument with a reference price is bought only while that reference is live.',
    examples: [DEFAULT_PREFERENCES.requireLiveReference],
  }),
  reduceOnly: Type.Boolean({ description: 'If true, no buys are allowed.', examples: [DEFAULT_PREFERENCES.reduceOnly] }),
};

const RiskPreferencesBody = Type.Object(
  {
    version: Type.Integer({ minimum: 0, description: 'Counts the changes; 0 while the defaults hold.' }),
    ...preferenceFields,
    setBy: nullable('string', 'Member who set them, or null for the defaults.'),
    setAt: Type.Unsafe<string | null>({ ...Time, type: ['string', 'null'] }),
  },
  { $id: 'RiskPreferences', description: 'Every order must meet these limits and those of its manifest.' },
);

function preferencesBody({ version, preferences, setBy, setAt }: PreferencesView) {
  return { version, ...preferences, setBy, setAt };
}

const getRiskPreferences = defineRoute({
  method: 'GET',
  url: '/v1/risk/preferences',
  name: 'getRiskPreferences',
  tag: 'risk',
  summary: "The organization's risk mandate",
  permission: 'agent:read',
  cost: 'read',
  schema: {},
  answers: { 200: { description: 'The preferences that hold now.', schema: RiskPreferencesBody } },
  refusals: [],
  handle: (ports) => async (request) => preferencesBody(await ports.riskPreferences.current(requireMember(request).orgId)),
});

const PreferencesRequest = Type.Object(preferenceFields, { additionalProperties: false });

const setRiskPreferences = defineRoute({
  method: 'PUT',
  url: '/v1/risk/preferences',
  name: 'setRiskPreferences',
  tag: 'risk',
  summary: "Replaces the organization's risk mandate",
  description:
    'Replaces all fields, and a body that leaves one out is refused: send what `GET /v1/risk/preferences` answered with your changes. Once it has answered, nothing is executed any more that was assessed by the earlier one, approved proposals included.',
  permission: 'risk:manage',
  cost: 'write',
  schema: { body: PreferencesRequest },
  idempotent: true,
  answers: { 200: { description: 'The preferences that hold now.', schema: RiskPreferencesBody } },
  refusals: [],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const asked: RiskPreferences = request.body;
      const preferences: RiskPreferences = {
        ...asked,
        maxCapitalUsd: plainDecimal(asked.maxCapitalUsd),
        maxTradeNotionalUsd: plainDecimal(asked.maxTradeNotionalUsd),
        maxLeverage: plainDecimal(asked.maxLeverage),
      };
      return carryOut(request, reply, {
        status: 200,
        answer: preferencesBody,
        run: (context) => ports.riskPreferences.replace(context, preferences),
      });
    };
  },
});

const listRiskPreferences = defineRoute({
  method: 'GET',
  url: '/v1/risk/preferences/history',
  name: 'listRiskPreferences',
  tag: 'risk',
  summary: 'Every risk mandate that was set, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectSchema(pageFields) },
  answers: { 200: { description: 'A page of versions; empty while the defaults hold.', schema: pageSchema(RiskPreferencesBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'risk_preferences', POSITIONS.number);
    return pageBody(await ports.riskPreferences.history(requireMember(request).orgId, page), 'risk_preferences', preferencesBody);
  },
});

export const riskRoutes: RouteGroup = {
  tag: {
    name: 'risk',
    position: 120,
    description:
      'The risk mandate of your organization. Every order must meet it and the limits of its manifest. Read it, change the fields and send all of them back: a missing field is refused. Proposals assessed under the earlier mandate are not executed any more.',
  },
  routes: [getRiskPreferences, setRiskPreferences, listRiskPreferences],
};
