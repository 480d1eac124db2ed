/** GET /v1/agent-market/stock-paired: agent tokens that are paired with a share, with their performance relative to it. */
import { Type } from 'typebox';
import { POSITIONS, pageBody, pageOfKeyed, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { nullable, objectOf, pageFields, pageOf } from '../../shapes.ts';
import {
  agentTokens,
  analysisFor,
  DuplicateBody,
  exposureBody,
  HOLDER_FIELDS,
  heldBy,
  PerformanceBody,
  performanceBody,
  RiskBody,
  riskBody,
} from './token-body.ts';

const LIST = 'agent-market-stock-paired';

export const listStockPaired = defineRoute({
  method: 'GET',
  url: '/v1/agent-market/stock-paired',
  name: 'listStockPaired',
  tag: 'agent-market',
  summary: 'Agent tokens with their performance relative to the paired share',
  description:
    '`duplicatedExposure` is true if you hold both a share and a token paired with it, in the books of the organization or the given wallets.',
  permission: 'market:read',
  cost: 'costly',
  schema: {
    querystring: objectOf({
      stock: Type.Optional(Type.String({ minLength: 1, maxLength: 16, description: 'Paired stock, e.g. `AAPLx`.' })),
      ...HOLDER_FIELDS,
      ...pageFields,
    }),
  },
  answers: {
    200: {
      description: 'A page of them, by instrument.',
      schema: pageOf(
        Type.Object(
          {
            mint: Type.String(),
            instrument: Type.String(),
            symbol: Type.String(),
            name: Type.String(),
            pairedStock: Type.String(),
            priceUsd: nullable('string'),
            performance: Type.Array(PerformanceBody),
            risk: RiskBody,
            duplicatedExposure: Type.Unsafe<ReturnType<typeof exposureBody>>({ anyOf: [DuplicateBody, { type: 'null' }] }),
          },
          { $id: 'StockPairedToken' },
        ),
      ),
    },
  },
  refusals: [],
  handle: (ports) => async (request) => {
    const { stock, wallets } = request.query;
    const page = pageOfQuery(request.query, LIST, POSITIONS.instrument);
    const paired = agentTokens(ports).filter(
      ({ pairedStock }) => pairedStock !== null && (stock === undefined || pairedStock === `spotchain:${stock}`),
    );
    const found = pageOfKeyed(paired, ({ key }) => key, page);
    const held = await heldBy(ports, request.caller?.orgId ?? null, wallets);
    const items = await Promise.all(found.items.map((entry) => analysisFor(ports, entry)));
    return pageBody({ items, next: found.next }, LIST, ({ entry, price, performance, risk }) => ({
      mint: entry.token?.mint ?? '',
      instrument: entry.key,
      symbol: entry.instrument,
      name: entry.name,
      pairedStock: entry.pairedStock ?? '',
      priceUsd: price?.priceUsd ?? null,
      performance: performanceBody(performance) ?? [],
      risk: riskBody(risk),
      duplicatedExposure: exposureBody(entry, held),
    }));
  },
});
