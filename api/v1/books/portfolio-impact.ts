/** Simulated impact of a proposed allocation on the portfolio. Nothing is stored or reserved. */
import { Type } from 'typebox';
import { AttributionBody } from '../../../src/core/order-shapes.ts';
import { type Catalog, resolveUniverseEntry } from '../../../src/domain/catalog/catalog.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { EXECUTION_MODES, ORDER_SIDES } from '../../../src/domain/orders/order.ts';
import { type Allocation, computeImpact, type SimulatedAllocation } from '../../../src/domain/portfolio/impact.ts';
import { plainDecimal } from '../../../src/domain/values/decimal.ts';
import { requireMember } from '../../caller.ts';
import { malformed } from '../../http/strict-json.ts';
import { sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { attributionInWords, choice, DecimalText, NullableDecimalText, objectSchema } from '../../shapes.ts';
import { FORMULAS, FormulasBody, inputBody, PortfolioBody, PortfolioInputBody, portfolioBody } from './portfolio.ts';
import { addressesNamed, chooseMode, namedWallets, readWallets } from './portfolio-wallets.ts';

const MAX_ALLOCATIONS = 20;

const AllocationWish = objectSchema({
  instrument: Type.Optional(
    Type.String({ minLength: 3, maxLength: 80, description: 'The key, e.g. `spotexchange:BTCUSDT`. Either this or `symbol`.' }),
  ),
  symbol: Type.Optional(
    Type.String({ minLength: 1, maxLength: 40, description: 'A symbol of the catalog, e.g. `AAPLx`. Either this or `instrument`.' }),
  ),
  side: choice(ORDER_SIDES, 'A sell reduces what the manual book holds.'),
  notionalUsd: Type.String({
    pattern: '^(0|[1-9][0-9]{0,12})(\\.[0-9]{1,6})?$',
    description: 'The most that a buy may cost, or what a sell may bring at its worst price.',
    examples: ['2500.00'],
  }),
});

const LimitBody = Type.Object({
  code: Type.String(),
  limitUsd: { ...NullableDecimalText, description: 'Null if it is unknown.' },
  beforeUsd: { ...DecimalText, description: 'Amount that counts against the limit. For the balance, the amount left.' },
  afterUsd: DecimalText,
  keeps: Type.Boolean(),
});

const SimulatedBody = Type.Object({
  id: Type.String(),
  instrument: Type.String(),
  side: choice(ORDER_SIDES),
  notionalUsd: DecimalText,
  wouldPass: Type.Boolean({ description: 'True if the pre-trade risk function would let the order pass now.' }),
  risk: AttributionBody,
  limits: Type.Array(LimitBody, { description: "The mandate's limits on the size of a buy, allocations before it included." }),
  price: { ...NullableDecimalText, description: 'The touch that it was simulated at; null if there is none that is live.' },
  quantity: { ...DecimalText, description: 'Simulated quantity, or zero if none could be simulated.' },
  feeUsd: DecimalText,
  note: Type.String(),
  inputs: Type.Array(Type.String()),
});

interface Wish {
  readonly instrument?: string;
  readonly symbol?: string;
  readonly side: Allocation['side'];
  readonly notionalUsd: string;
}

/** Reads an allocation. @throws InputError that names the invalid one. */
function readAllocation(catalog: Catalog, { instrument, symbol, side, notionalUsd }: Wish, path: string): Allocation {
  if ((instrument === undefined) === (symbol === undefined))
    throw malformed(path, 'give exactly one of instrument and symbol', 'one of the two');
  if (/^[0.]+$/.test(notionalUsd)) throw malformed(`${path}.notionalUsd`, 'it is zero', 'a number above zero');
  const named = `${path}.${instrument === undefined ? 'symbol' : 'instrument'}`;
  if (instrument !== undefined) {
    const entry = catalog.byKey(instrument as InstrumentKey);
    if (entry === undefined)
      throw malformed(named, `the catalog has no ${instrument}`, 'a key of GET /v1/catalog, e.g. spotexchange:BTCUSDT');
    return { instrument: entry.key, side, notionalUsd: plainDecimal(notionalUsd) };
  }
  const found = resolveUniverseEntry(symbol as string, catalog);
  if (!found.ok) throw malformed(named, found.problem, found.allowed);
  return { instrument: found.entry.key, side, notionalUsd: plainDecimal(notionalUsd) };
}

export function simulatedBody({ id, allocation, wouldPass, risk, limits, touch, quantity, feeUsd, note, inputs }: SimulatedAllocation) {
  return { id, ...allocation, wouldPass, risk: attributionInWords(risk), limits, price: touch, quantity, feeUsd, note, inputs };
}

export const simulateImpact = defineRoute({
  method: 'POST',
  url: '/v1/portfolio/impact',
  name: 'simulateImpact',
  tag: 'books',
  summary: 'Holdings, sector weights, duplicate exposure, pool exits and scenarios before and after a proposed allocation',
  description:
    "Simulated in the organization's manual book at the touch, fee included, one allocation after the other. Each is assessed by the pre-trade risk function as if those before it were pending; a refused one is simulated and marked as refused; one without a live price is not simulated. Nothing is stored and nothing reserved.",
  permission: 'agent:read',
  cost: 'costly',
  schema: {
    body: objectSchema({
      mode: Type.Optional(choice(EXECUTION_MODES, 'Default: `paper`, or `live` where wallets are named.')),
      wallets: Type.Optional(Type.Array(Type.String({ maxLength: 60 }), { maxItems: 20 })),
      allocations: Type.Array(AllocationWish, {
        minItems: 1,
        maxItems: MAX_ALLOCATIONS,
        examples: [[{ symbol: 'AAPLx', side: 'buy', notionalUsd: '2500.00' }]],
      }),
    }),
  },
  answers: {
    200: {
      description: 'The portfolio before and after.',
      schema: Type.Object(
        {
          allocations: Type.Array(SimulatedBody),
          before: PortfolioBody,
          after: PortfolioBody,
          formulas: FormulasBody,
          inputs: Type.Array(PortfolioInputBody),
        },
        { $id: 'PortfolioImpact' },
      ),
    },
  },
  refusals: [],
  handle: (ports) => async (request, reply) => {
    const { body } = request;
    const { orgId } = requireMember(request);
    const wallets = namedWallets(await addressesNamed(ports, orgId, body.wallets ?? [], '$.wallets'), '$.wallets');
    const mode = chooseMode(body.mode, wallets, '$.mode');
    const allocations = body.allocations.map((wish, index) => readAllocation(ports.catalog.entries, wish, `$.allocations[${index}]`));
    const read = await readWallets(ports, wallets);
    if (!read.ok) return sendRefusal(reply, read.refusal);
    const { material, bookId, assessed } = await ports.portfolio.assess(orgId, mode, read.value, allocations);
    const { before, after, allocations: simulated, inputs } = computeImpact(material, bookId, assessed, ports.catalog.entries);
    return {
      allocations: simulated.map(simulatedBody),
      before: portfolioBody(before),
      after: portfolioBody(after),
      formulas: FORMULAS,
      inputs: inputs.map(inputBody),
    };
  },
});
