/** State and price of a launched token on its curve. */
import { type Static, Type } from 'typebox';
import { NO_LAUNCH } from '../../../actors/launch/commands.ts';
import type { Launch } from '../../../actors/launch/resource.ts';
import type { LaunchReads } from '../../../src/adapters/store/launches/launch-store.ts';
import { buildCurveConfig, planCurve, priceOfSqrt } from '../../../src/domain/launch/curve/curve-config.ts';
import { successorPoolAddress } from '../../../src/domain/launch/curve/program.ts';
import {
  CURVE_LAUNCH_STATES,
  type CurveState,
  claimedFee,
  type LaunchReturns,
  launchReturns,
} from '../../../src/domain/launch/launch-state.ts';
import { type PresetKey, findPreset } from '../../../src/domain/launch/presets.ts';
import { wholeTokens } from '../../../src/domain/launch/launch-preview.ts';
import type { TokenDollars } from '../../../src/domain/launch/quote-tokens.ts';
import { Decimal, plainDecimal } from '../../../src/domain/values/decimal.ts';
import { type Outcome, refuse } from '../../../src/domain/values/refusal.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { requireMember } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { choice, DecimalText, IdText, NullableDecimalText, nullable, Time } from '../../shapes.ts';
import { computeCurvePrice, computeFillPct, LaunchPath, PROGRESS, nameProgress } from './launch-body.ts';

/** Returns the launch. Refuses an unknown launch, and one whose token trades on no curve. @param id Null if the path has no valid id. */
async function curveLaunch(reads: LaunchReads, orgId: string, id: string | null): Promise<Outcome<Launch>> {
  const launch = id === null ? null : await reads.find(orgId, id);
  if (launch === null) return refuse('not_found', NO_LAUNCH);
  if (launch.kind === 'launcher') return refuse('state_conflict', 'tokens of the external launcher have no curve here');
  return { ok: true, value: launch };
}

const FeesBody = Type.Object({
  quote: Type.String({ description: 'Accrued and not claimed yet, in whole quote tokens.' }),
  base: Type.String({ description: 'The same in whole tokens.' }),
});

const CreatorFeesBody = Type.Object({
  ...FeesBody.properties,
  claimedQuote: Type.String({ description: 'Claimed so far, in whole quote tokens, to within one raw unit per trade.' }),
  claimedBase: Type.String({ description: 'The same in whole tokens.' }),
});

const CurveBody = Type.Object({
  slot: Type.Integer({ description: 'The slot at which the chain was read.' }),
  at: Time,
  ageMs: Type.Integer(),
  fillPct: Type.String({ description: 'Percent of the graduation threshold, 0 to 100.' }),
  quoteReserve: Type.String({ description: 'Collected, in whole quote tokens.' }),
  graduationThreshold: Type.String({ description: 'In whole quote tokens.' }),
  price: Type.String({ description: 'Price of one token, in whole quote tokens.' }),
  priceUsd: NullableDecimalText,
  returnPct: Type.String({
    description:
      'Return of the price in quote tokens since the start. A token quoted in its paired share is compared with that share by this.',
  }),
  returns: Type.Unsafe<LaunchReturns | null>({
    anyOf: [
      Type.Object({
        tokenPct: Type.String({ description: 'Return of the token in US dollars.' }),
        quotePct: Type.String({ description: 'Return of the quote token in US dollars: of the paired share, if there is one.' }),
        relativePct: Type.String({ description: 'Return of the token against its quote token.' }),
      }),
      { type: 'null' },
    ],
    description: 'Percent since the first look at the curve; null if nothing live priced the quote token then or now.',
  }),
  creatorFees: CreatorFeesBody,
  partnerFees: FeesBody,
  tradingFees: Type.Object({ quote: DecimalText, base: DecimalText }, { description: 'All that creator and partner were ever due.' }),
});

const MonitorBody = Type.Object(
  {
    id: IdText,
    state: choice(CURVE_LAUNCH_STATES),
    mint: Type.String(),
    pool: Type.String(),
    pairedStock: nullable('string'),
    quote: Type.Object({
      mint: Type.String(),
      symbol: Type.String(),
      usd: NullableDecimalText,
      usdAt: Type.Unsafe<string | null>({ ...Time, type: ['string', 'null'] }),
      usdAgeMs: nullable('integer'),
    }),
    curve: Type.Union([CurveBody, Type.Null()], { description: 'Null before the pool is on the chain.' }),
    graduation: Type.Object({
      progress: choice(PROGRESS),
      successorPool: nullable('string', 'Pool in which it trades after graduation. Null before.'),
    }),
  },
  { $id: 'LaunchMonitor' },
);

function curveBody(launch: Launch, curve: CurveState, dollars: TokenDollars | null, now: number): Static<typeof CurveBody> {
  const { decimals, quoteDecimals } = launch;
  const inQuote = (raw: string): string => wholeTokens(BigInt(raw), quoteDecimals);
  const inBase = (raw: string): string => wholeTokens(BigInt(raw), decimals);
  const price = new Decimal(computeCurvePrice(curve, launch));
  const start = buildCurveConfig(
    planCurve({
      preset: findPreset(launch.preset as PresetKey),
      startingFdv: launch.startingFdv,
      totalSupply: launch.totalSupply,
      decimals,
      quoteDecimals,
    }),
  ).sqrtStartPrice;
  const ratio = price.div(priceOfSqrt(start, decimals, quoteDecimals));
  const startUsd = curve.startQuoteUsd ?? null;
  const { creatorFeeSharePct } = findPreset(launch.preset as PresetKey);
  return {
    slot: curve.slot,
    at: new Date(curve.at).toISOString(),
    ageMs: Math.max(0, now - curve.at),
    fillPct: computeFillPct(curve),
    quoteReserve: inQuote(curve.quoteReserve),
    graduationThreshold: inQuote(curve.migrationQuoteThreshold),
    price: plainDecimal(price),
    priceUsd: dollars === null ? null : plainDecimal(price.times(dollars.perToken).toSignificantDigits(18)),
    returnPct: plainDecimal(ratio.minus(1).times(100).toDecimalPlaces(6)),
    returns: startUsd === null || dollars === null ? null : launchReturns(ratio, startUsd, dollars.perToken),
    creatorFees: {
      quote: inQuote(curve.creatorQuoteFee),
      base: inBase(curve.creatorBaseFee),
      claimedQuote: wholeTokens(claimedFee(curve.totalTradingQuoteFee, creatorFeeSharePct, curve.creatorQuoteFee), quoteDecimals),
      claimedBase: wholeTokens(claimedFee(curve.totalTradingBaseFee, creatorFeeSharePct, curve.creatorBaseFee), decimals),
    },
    partnerFees: { quote: inQuote(curve.partnerQuoteFee), base: inBase(curve.partnerBaseFee) },
    tradingFees: { quote: inQuote(curve.totalTradingQuoteFee), base: inBase(curve.totalTradingBaseFee) },
  };
}

export const monitorLaunch = defineRoute({
  method: 'GET',
  url: '/v1/launches/:id/monitor',
  name: 'monitorLaunch',
  tag: 'launches',
  summary: 'Reads a launch on its curve',
  description:
    'Read from the chain at this moment, with the slot and the age of the reading; where the node does not answer, the last reading. Subscribe to the feed `launches` for changes.',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: LaunchPath },
  answers: { 200: { description: 'The curve.', schema: MonitorBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => async (request, reply) => {
    const { orgId } = requireMember(request);
    const found = await curveLaunch(ports.launches.reads, orgId, idInPath(request.params));
    if (!found.ok) return sendRefusal(reply, found.refusal);
    const launch = found.value;
    const fresh = await ports.launches.monitor.curveState(orgId, launch).catch(() => null);
    const curve = fresh === null ? launch.standing : { ...fresh, startQuoteUsd: launch.standing?.startQuoteUsd ?? null };
    const dollars = await ports.launches.monitor.dollars(orgId, launch.quoteMint);
    const now = ports.clock.now();
    const body: Static<typeof MonitorBody> = {
      id: launch.id,
      state: launch.state,
      mint: launch.mint,
      pool: launch.pool,
      pairedStock: launch.pairedStock,
      quote: {
        mint: launch.quoteMint,
        symbol: launch.quoteSymbol,
        usd: dollars?.perToken ?? null,
        usdAt: dollars === null ? null : new Date(dollars.observedAt).toISOString(),
        usdAgeMs: dollars === null ? null : Math.max(0, now - dollars.observedAt),
      },
      curve: curve === null ? null : curveBody(launch, curve, dollars, now),
      graduation: {
        progress: nameProgress(curve),
        successorPool: curve?.isMigrated === true ? successorPoolAddress(launch.mint, launch.quoteMint) : null,
      },
    };
    return body;
  },
});

/** Maximum price changes in an answer. */
const MOST_POINTS = 2_000;

const PriceHistoryBody = Type.Object(
  {
    points: Type.Array(
      Type.Object({
        at: Time,
        price: Type.String({ description: 'Price of one token, in whole quote tokens.' }),
        fillPct: Type.String({ description: 'Percent of the graduation threshold, 0 to 100.' }),
        progress: choice(PROGRESS),
      }),
      { description: `Ascending: each look at the chain that found another price or progress, the newest ${MOST_POINTS} of them.` },
    ),
    fills: Type.Array(
      Type.Object({
        at: Time,
        side: choice(['buy', 'sell']),
        quantity: DecimalText,
        priceUsd: DecimalText,
        orderId: Type.String(),
      }),
      { description: 'Swaps of the token by the organization, oldest first.' },
    ),
  },
  { $id: 'LaunchPriceHistory' },
);

export const getLaunchPriceHistory = defineRoute({
  method: 'GET',
  url: '/v1/launches/:id/price-history',
  name: 'getLaunchPriceHistory',
  tag: 'launches',
  summary: 'Price history of a launched token',
  description: 'Prices read from the curve until graduation. Later prices are in the candles of its instrument.',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: LaunchPath },
  answers: { 200: { description: "Prices and the organization's swaps.", schema: PriceHistoryBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => async (request, reply) => {
    const { orgId } = requireMember(request);
    const found = await curveLaunch(ports.launches.reads, orgId, idInPath(request.params));
    if (!found.ok) return sendRefusal(reply, found.refusal);
    const launch = found.value;
    const [curveStates, fills] = await Promise.all([
      ports.launches.reads.curveStates(orgId, launch.id, MOST_POINTS),
      ports.launches.reads.fills(orgId, launch.mint),
    ]);
    return {
      points: curveStates.map((curve) => ({
        at: isoTime(curve.at),
        price: computeCurvePrice(curve, launch),
        fillPct: computeFillPct(curve),
        progress: nameProgress(curve),
      })),
      fills: fills.map(({ at, side, quantity, fillPrice, orderId }) => ({ at: isoTime(at), side, quantity, priceUsd: fillPrice, orderId })),
    };
  },
});
