/** The portfolio over books and wallets: every figure with the ids of its inputs. */
import { Type } from 'typebox';
import { QUALITIES } from '../../../src/domain/market/quote.ts';
import type { HoldingMargin } from '../../../src/domain/orders/margin.ts';
import { EXECUTION_MODES } from '../../../src/domain/orders/order.ts';
import { ACCOUNT_KINDS } from '../../../src/domain/portfolio/account.ts';
import { ASSET_CLASSES } from '../../../src/domain/portfolio/asset-class.ts';
import { EXPOSURE_RELATIONS } from '../../../src/domain/portfolio/exposure.ts';
import { PORTFOLIO_FORMULAS, type Portfolio, computePortfolio } from '../../../src/domain/portfolio/portfolio.ts';
import { PRICINGS, type PriceSource } from '../../../src/domain/portfolio/positions.ts';
import { SCENARIO_IDS, STANDARD_SCENARIOS } from '../../../src/domain/portfolio/standard-scenarios.ts';
import { INPUT_KINDS, type PortfolioInput } from '../../../src/domain/portfolio/input-trace.ts';
import { isoTime, isoTimeOrNull } from '../../../src/domain/values/time.ts';
import type { PortfolioReads } from '../../../src/trading/portfolio.ts';
import { requireMember } from '../../caller.ts';
import { sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import {
  choice,
  DecimalText,
  NullableDecimalText,
  NullableTime,
  nullable,
  nullableChoice,
  objectSchema,
  QualityFlags,
  QualityWord,
  Time,
  VenueWord,
} from '../../shapes.ts';
import { addressesNamed, chooseMode, namedWallets, readWallets } from './portfolio-wallets.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly portfolio: PortfolioReads;
  }
}

const Ids = Type.Array(Type.String(), { description: 'Ids of inputs, holdings and places that it was made of.' });
const Ratio = (description: string) => nullable('number', description);

/** Source of a figure. */
export const PortfolioInputBody = Type.Object(
  {
    id: Type.String(),
    kind: choice(INPUT_KINDS),
    what: Type.String(),
    value: NullableDecimalText,
    source: Type.String(),
    observedAt: NullableTime,
    ageMs: nullable('integer'),
    quality: nullableChoice(QUALITIES, 'Quality of a quote. Null for everything else.'),
    flags: QualityFlags,
    refers: Type.Array(Type.String(), { description: 'Ids outside of this answer, such as those of fills, newest first.' }),
  },
  { $id: 'PortfolioInput' },
);

const HoldingBody = Type.Object(
  {
    id: Type.String(),
    place: Type.String({ description: 'The book or wallet that holds it.' }),
    instrument: nullable('string', 'Null if the catalog lists no such thing.'),
    symbol: Type.String(),
    name: Type.String(),
    assetClass: choice(ASSET_CLASSES),
    sector: Type.String(),
    underlying: Type.String(),
    side: choice(['long', 'short']),
    quantity: { ...DecimalText, description: 'Below zero is short.' },
    costUsd: { ...NullableDecimalText, description: 'Cost paid by the book. Null in a wallet.' },
    pricing: choice(PRICINGS, '`qualified`: at a price that is not quite the market now. `unpriced`: in no sum.'),
    mark: NullableDecimalText,
    valueUsd: { ...NullableDecimalText, description: 'Null if it is unpriced, never zero for want of a price.' },
    quote: Type.Unsafe<object | null>({
      anyOf: [
        Type.Object({
          venue: VenueWord,
          source: Type.String(),
          observedAt: Time,
          ageMs: Type.Integer(),
          quality: QualityWord,
          flags: QualityFlags,
        }),
        { type: 'null' },
      ],
      description: "The quote of the holding's own venue; null if none was received.",
    }),
    why: Type.String({ description: 'Reasons it is qualified or unpriced; empty if it is live.' }),
    margin: Type.Unsafe<HoldingMargin | null>({
      anyOf: [
        Type.Object({
          leverage: DecimalText,
          marginUsd: { ...DecimalText, description: 'Cost divided by the leverage.' },
          liquidationPrice: {
            ...NullableDecimalText,
            description: 'Bid at or below which it is liquidated, after the funding paid so far. Null if none above zero does.',
          },
        }),
        { type: 'null' },
      ],
      description: 'Isolated margin of a perpetual in a book. Null for everything else.',
    }),
    inputs: Ids,
  },
  { $id: 'PortfolioHolding' },
);

const ScenarioBody = Type.Object(
  {
    id: choice(SCENARIO_IDS),
    shocks: Type.Record(Type.String(), Type.Number(), {
      description: 'Percent of the price by asset class.',
      examples: [{ public_equity: -10 }],
    }),
    exitHaircutPct: nullable('number', 'In addition, for a position larger than 5 percent of its pool.'),
    against: nullableChoice(['next_regular_open'], 'Moment that the shocked prices belong to. Null means at once.'),
    opensAt: NullableTime,
    beforeUsd: DecimalText,
    afterUsd: DecimalText,
    lossUsd: { ...DecimalText, description: 'Below zero is a gain.' },
    lossPct: Ratio('Percent of the value before, or null if that is not above zero.'),
    coverage: choice(['complete', 'partial']),
    leftOut: Type.Array(Type.String(), { description: 'Holdings without a price, whose loss is unknown.' }),
    effects: Type.Array(
      Type.Object({
        holding: Type.String(),
        shockPct: Type.Number(),
        haircutPct: Type.Number({ description: 'Added to the shock: both are percent of the price before.' }),
        beforeUsd: DecimalText,
        afterUsd: DecimalText,
        lossUsd: DecimalText,
        why: Type.String(),
        inputs: Ids,
      }),
    ),
    inputs: Ids,
  },
  { $id: 'PortfolioScenario' },
);

export const PortfolioBody = Type.Object(
  {
    at: Time,
    mode: choice(EXECUTION_MODES),
    places: Type.Array(
      Type.Object({
        id: Type.String(),
        kind: choice(ACCOUNT_KINDS),
        agentId: nullable('string'),
        address: nullable('string'),
        cashUsd: { ...DecimalText, description: 'US dollars and dollar stablecoins at par; net of the value of perpetuals.' },
        reservedUsd: { ...DecimalText, description: 'Amount reserved by pending buys and transfers.' },
        quality: nullableChoice(
          ['in_transit'],
          'Set for money between the chains, which is owned and cannot be used. Null for every other place.',
        ),
        inputs: Ids,
      }),
    ),
    unread: Type.Array(Type.Object({ address: Type.String(), asked: Type.String(), why: Type.String() }), {
      description: 'Wallets or parts of wallets that could not be read. Their holdings are in no sum.',
    }),
    totals: Type.Object({
      valueUsd: { ...DecimalText, description: 'Cash and every holding that has a price.' },
      cashUsd: DecimalText,
      liveUsd: DecimalText,
      qualifiedUsd: DecimalText,
      grossExposureUsd: DecimalText,
      leverage: Ratio('Gross exposure / value.'),
      coverage: choice(['complete', 'partial'], '`partial`: something is unpriced or unread.'),
      includes: Type.String({ description: 'Places that the value includes and leaves out.' }),
      inputs: Ids,
    }),
    holdings: Type.Array(HoldingBody),
    unpriced: Type.Array(Type.Object({ holding: Type.String(), why: Type.String() })),
    qualified: Type.Array(Type.Object({ holding: Type.String(), why: Type.String() })),
    instruments: Type.Array(
      Type.Object({
        instrument: Type.String(),
        quantity: DecimalText,
        grossUsd: DecimalText,
        weightPct: Ratio('Percent of the value.'),
        limitPct: Type.Number({ description: "The mandate's `maxPositionWeightPct`." }),
        exceedsLimit: Type.Boolean(),
        inputs: Ids,
      }),
    ),
    sectors: Type.Array(
      Type.Object({
        sector: Type.String(),
        netUsd: DecimalText,
        grossUsd: DecimalText,
        weightPct: Ratio('Net, of the value.'),
        inputs: Ids,
      }),
    ),
    duplicates: Type.Array(
      Type.Object({
        underlying: Type.String(),
        members: Type.Array(
          Type.Object({
            instrument: Type.String(),
            relation: choice(EXPOSURE_RELATIONS, '`paired_stock`: an agent token that was launched against a share of the underlying.'),
            valueUsd: NullableDecimalText,
          }),
        ),
        sameUnderlyingUsd: { ...DecimalText, description: 'Value of members on the underlying itself.' },
        pairedUsd: { ...DecimalText, description: 'Value of agent tokens paired with its share.' },
        weightPct: Ratio(
          'Weight of both sums together, which the pre-trade risk function compares with the limit. Null if a member is unpriced.',
        ),
        limitPct: Type.Number({ description: "The mandate's `maxUnderlyingWeightPct`." }),
        exceedsLimit: Type.Boolean(),
        inputs: Ids,
      }),
      { description: 'Underlyings that several instruments give exposure to.' },
    ),
    exits: Type.Array(
      Type.Object({
        instrument: Type.String(),
        quantity: DecimalText,
        positionUsd: DecimalText,
        liquidityUsd: { ...NullableDecimalText, description: 'Both sides of its pools; null if it is not known now.' },
        sharePct: Ratio("Percent of the pool's liquidity."),
        largeAboveUsd: { ...NullableDecimalText, description: '5 percent of the liquidity.' },
        large: Type.Boolean({ description: 'Strictly larger, or of unknown share: the liquidity freeze then takes the exit haircut.' }),
        why: Type.String(),
        limitSharePct: Type.Number({ description: "The mandate's `maxPoolSharePct`." }),
        exceedsLimit: Type.Boolean(),
        slippageBudgetBps: Type.Number(),
        exitSlippageBps: Ratio('Discount to the mark if the whole position is sold.'),
        exitableUsd: { ...NullableDecimalText, description: 'Amount that sells within the slippage budget.' },
        exitablePct: Ratio('Percent of the position.'),
        inputs: Ids,
      }),
      { description: 'Positions that trade in pools, over all places.' },
    ),
    scenarios: Type.Array(ScenarioBody, { description: 'The five standard scenarios.' }),
  },
  { $id: 'PortfolioView' },
);

export const FormulasBody = Type.Record(Type.String(), Type.String(), { description: 'Formulas of the numbers, by field.' });
export const FORMULAS = PORTFOLIO_FORMULAS;

export function inputBody(input: PortfolioInput) {
  return { ...input, observedAt: isoTimeOrNull(input.observedAt) };
}

function quoteBody(quote: PriceSource | null) {
  return quote === null ? null : { ...quote, observedAt: isoTime(quote.observedAt) };
}

export function portfolioBody(portfolio: Portfolio) {
  const { at, mode, places, unread, totals, holdings, instruments, sectors, duplicates, exits, scenarios } = portfolio;
  const named = (pricing: 'unpriced' | 'qualified') =>
    holdings.flatMap((holding) => (holding.pricing === pricing ? [{ holding: holding.id, why: holding.why }] : []));
  return {
    at: isoTime(at),
    mode,
    places: places.map(({ id, kind, agentId, address, cashUsd, reservedUsd, quality = null, inputs }) => ({
      id,
      kind,
      agentId,
      address,
      cashUsd,
      reservedUsd,
      quality,
      inputs,
    })),
    unread,
    totals,
    holdings: holdings.map(({ quote, ...holding }) => ({
      ...holding,
      side: holding.quantity.startsWith('-') ? ('short' as const) : ('long' as const),
      quote: quoteBody(quote),
    })),
    unpriced: named('unpriced'),
    qualified: named('qualified'),
    instruments,
    sectors,
    duplicates,
    exits,
    scenarios: scenarios.map(({ opensAt, ...result }, index) => {
      const { shocks = {}, exitHaircutPct = null, against = null } = STANDARD_SCENARIOS[index] ?? {};
      return { ...result, shocks, exitHaircutPct, against, opensAt: isoTimeOrNull(opensAt) };
    }),
  };
}

const WALLETS_TEXT = 600;

export const getPortfolio = defineRoute({
  method: 'GET',
  url: '/v1/portfolio',
  name: 'getPortfolio',
  tag: 'books',
  summary: 'Holdings over books and wallets with the quality of each price, and the five stress scenarios',
  description:
    "Books of one mode, and the wallets that are named: paper money and real money are never added up. A holding is valued at its own venue's quote. A holding without a price is named and counts in no sum, and so does a wallet that does not answer. Every number names its inputs.",
  permission: 'agent:read',
  cost: 'costly',
  schema: {
    querystring: objectSchema({
      mode: Type.Optional(choice(EXECUTION_MODES, 'Default: `paper`, or `live` where wallets are named.')),
      wallets: Type.Optional(
        Type.String({
          maxLength: WALLETS_TEXT,
          description:
            'At most 5, separated by commas: addresses of the EVM chain (its balances and its account on the perpetuals venue) or of the primary chain, or ids or labels of linked wallets.',
          examples: ['0xaf88d065e77c8cC2239327C5EDb3A432268e5831'],
        }),
      ),
    }),
  },
  answers: {
    200: {
      description: 'The portfolio.',
      schema: Type.Object(
        { ...PortfolioBody.properties, formulas: FormulasBody, inputs: Type.Array(PortfolioInputBody) },
        { $id: 'Portfolio' },
      ),
    },
  },
  refusals: [],
  handle: (ports) => async (request, reply) => {
    const { orgId } = requireMember(request);
    const asked = await addressesNamed(ports, orgId, (request.query.wallets ?? '').split(','), 'query.wallets');
    const wallets = namedWallets(asked, 'query.wallets');
    const mode = chooseMode(request.query.mode, wallets, 'query.mode');
    const read = await readWallets(ports, wallets);
    if (!read.ok) return sendRefusal(reply, read.refusal);
    const portfolio = computePortfolio(await ports.portfolio.read(orgId, mode, read.value), ports.catalog.entries);
    return { ...portfolioBody(portfolio), formulas: FORMULAS, inputs: portfolio.inputs.map(inputBody) };
  },
});
