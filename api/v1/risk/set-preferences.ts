/** PUT /v1/risk/preferences. */
import { Type } from 'typebox';
import type { RiskPreferences } from '../../../src/domain/risk/index.ts';
import { plainDecimal } from '../../../src/domain/values/decimal.ts';
import { onceOnly } from '../../idempotency.ts';
import { defineRoute } from '../../route.ts';
import { preferenceFields, preferencesBody, RiskPreferencesBody } from './preferences-body.ts';

const PreferencesRequest = Type.Object(preferenceFields, { additionalProperties: false });

export const setRiskPreferences = defineRoute({
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
