/** Tokens launched for agents: their analysis, ranking, and performance relative to a paired share. */
import { type Static, Type } from 'typebox';
import type { AgentMarket } from '../../src/adapters/solana/agent-market.ts';
import {
  AGENT_RANK_FORMULAS,
  AGENT_RANK_MODES,
  analyzeToken,
  BARS_BACK_MS,
  type DepthLook,
  type DuplicatedExposure,
  duplicatedExposure,
  type PriceLook,
  rankTokens,
  type TokenAnalysis,
  UNRANKED,
  WINDOW_NAMES,
  type WindowPerformance,
} from '../../src/domain/agent-market/analysis.ts';
import { HOLDER_KINDS, type HolderConcentration } from '../../src/domain/agent-market/holders.ts';
import { RISK_FORMULAS, RISK_TERMS, type RiskScore } from '../../src/domain/agent-market/risk-score.ts';
import type { Candle } from '../../src/domain/candles/candle.ts';
import type { CatalogEntry } from '../../src/domain/catalog/catalog.ts';
import { wholeTokens } from '../../src/domain/launch/launch-preview.ts';
import { type InstrumentKey, splitInstrumentKey } from '../../src/domain/market/venue.ts';
import { type EpochMs, HOUR_MS, isoTime } from '../../src/domain/values/time.ts';
import { encodeCursor, POSITIONS, pageBody, pageOfKeyed, pageOfQuery } from '../cursor.ts';
import { sendProblem } from '../problem.ts';
import { type ApiPorts, defineRoute, type RouteGroup } from '../route.ts';
import { choice, DecimalText, nullable, objectSchema, pageFields, pageSchema, Time } from '../shapes.ts';
import { namedWallets, readWallets } from './books/portfolio-wallets.ts';

declare module '../route.ts' {
  interface ApiPorts {
    readonly agentMarket: AgentMarket;
  }
}

/** Maximum wallets named in an answer. */
const WALLETS_NAMED = 10;

const orNull = <Body>(schema: object, description: string) => Type.Unsafe<Body | null>({ anyOf: [schema, { type: 'null' }], description });

const HoldersBody = Type.Object({
  slot: Type.Integer({ description: 'The slot at which the chain was read.' }),
  supply: DecimalText,
  circulating: { ...DecimalText, description: 'The supply without curves, pools, lockers and burn addresses.' },
  top1Pct: nullable('number', 'Percent of the circulating supply.'),
  top10Pct: nullable('number', 'Percent of the circulating supply.'),
  isComplete: Type.Boolean({ description: 'False if a node does not tell every account: then smaller ones are in no sum.' }),
  excluded: Type.Array(
    Type.Object({
      kind: choice(HOLDER_KINDS.filter((kind) => kind !== 'wallet')),
      amount: DecimalText,
      pctOfSupply: Type.Number(),
    }),
  ),
  wallets: Type.Array(Type.Object({ owner: Type.String(), amount: DecimalText, pct: Type.Number(), isCreator: Type.Boolean() }), {
    description: 'The largest wallets, each owner once.',
  }),
});

const CreatorBody = Type.Object({
  address: Type.String(),
  held: DecimalText,
  freePct: Type.Number({ description: 'Percent of the supply that the creator may sell now.' }),
  lockedPct: Type.Number({ description: 'Percent of the supply that vesting still locks.' }),
  vesting: orNull<{ state: string; total: string; unlocked: string; endsAt: string | null }>(
    Type.Object({
      state: choice(['none', 'waiting', 'unlocking', 'unlocked'], '`waiting`: the curve is not complete, all of it is locked.'),
      total: DecimalText,
      unlocked: DecimalText,
      endsAt: Type.Unsafe<string | null>({ ...Time, type: ['string', 'null'] }),
    }),
    'Null if it was launched without a curve of its own.',
  ),
});

const DepthBody = Type.Object({
  depthUsd: { ...DecimalText, description: 'Dollars on the side that sellers are paid from.' },
  source: choice(['curve', 'successor_pool', 'aggregator']),
  at: Time,
  ageMs: Type.Integer(),
});

const PriceBody = Type.Object({ priceUsd: DecimalText, source: choice(['curve', 'aggregator']), at: Time, ageMs: Type.Integer() });

const VolumeBody = Type.Object({
  days: Type.Integer(),
  reportedUsd: DecimalText,
  countedUsd: { ...DecimalText, description: 'Volume that moves of the price explain. Wash trades count for little.' },
  washedPct: Type.Number(),
  variation: Type.Number({ description: 'Standard deviation of the counted volume of a day over its mean.' }),
});

const RiskBody = Type.Object(
  {
    score: Type.Number({ description: 'Points x weight, added up: 0 is the least risk, 100 the most.' }),
    terms: Type.Array(
      Type.Object({
        name: choice(RISK_TERMS),
        input: Type.Record(Type.String(), Type.Unsafe<number | null>({ type: ['number', 'null'] })),
        points: Type.Number({ description: '0 to 100; what is unknown counts as 100.' }),
        weight: Type.Number(),
        formula: Type.String(),
      }),
    ),
    unknown: Type.Array(choice(RISK_TERMS)),
  },
  { $id: 'AgentTokenRisk' },
);

const PerformanceBody = Type.Object(
  {
    window: choice(WINDOW_NAMES),
    tokenPct: nullable('number'),
    stockPct: nullable('number'),
    relativePct: nullable('number', 'Return measured in the share: (1 + token) / (1 + share) - 1.'),
  },
  { $id: 'PairedPerformance' },
);

const DuplicateBody = Type.Object(
  {
    flagged: Type.Boolean({ description: 'True if both the token and the share that it is paired with are held.' }),
    holdsToken: Type.Boolean(),
    holdsStock: Type.Boolean(),
  },
  { $id: 'DuplicatedExposure' },
);

const TokenBody = Type.Object(
  {
    mint: Type.String(),
    instrument: Type.String(),
    symbol: Type.String(),
    name: Type.String(),
    pairedStock: nullable('string'),
    listedAt: Time,
    ageDays: Type.Number(),
    at: Time,
    price: orNull<Static<typeof PriceBody>>(PriceBody, 'Null if nothing live prices it.'),
    holders: orNull<Static<typeof HoldersBody>>(HoldersBody, 'Null if no node answers.'),
    creator: orNull<Static<typeof CreatorBody>>(CreatorBody, 'Null if it is not known who launched it.'),
    depth: orNull<Static<typeof DepthBody>>(DepthBody, 'Null if nobody tells how deep it trades.'),
    volume: orNull<Static<typeof VolumeBody>>(VolumeBody, 'Null if too few days are known.'),
    risk: RiskBody,
    performance: orNull<Static<typeof PerformanceBody>[]>(Type.Array(PerformanceBody), 'Null if it is paired with no share.'),
  },
  { $id: 'AgentToken' },
);

/** Query fields that select the holdings for duplicate exposure. */
const HOLDER_FIELDS = {
  wallets: Type.Optional(Type.String({ maxLength: 600, description: 'At most 5 addresses that count as holdings besides the books.' })),
};

/** Returns the listed tokens of the catalog that were launched by or for agents. */
function agentTokens(ports: ApiPorts): readonly CatalogEntry[] {
  const now = ports.clock.now();
  return ports.catalog.entries.entries.filter(
    ({ kind, token }) => kind === 'agent_token' && token !== null && (token.validTo === null || now < token.validTo),
  );
}

/** Analyzes a token with its bars and those of its paired share. */
async function analysisFor(ports: ApiPorts, entry: CatalogEntry): Promise<TokenAnalysis> {
  const [look, bars, stockBars] = await Promise.all([
    ports.agentMarket.look(entry),
    readBars(ports, entry.key),
    entry.pairedStock === null ? [] : readBars(ports, entry.pairedStock),
  ]);
  return analyzeToken(entry, { ...look, bars, stockBars }, ports.agentMarket.makers);
}

async function readBars(ports: ApiPorts, key: InstrumentKey): Promise<readonly Candle[]> {
  const { venue, instrument } = splitInstrumentKey(key);
  const to = Math.floor(ports.clock.now() / HOUR_MS) * HOUR_MS;
  return ports.candles.range({ venue, instrument, timeframe: '1h', from: to - BARS_BACK_MS, to, limit: 1_000, askAgainMs: 600_000 });
}

/**
 * Returns the instruments held in the organization's books of both modes and in the named wallets, or null for an identity without an
 * organization.
 */
async function heldBy(ports: ApiPorts, orgId: string | null, addresses = ''): Promise<ReadonlySet<InstrumentKey> | null> {
  const wallets = await readWallets(ports, namedWallets(addresses.split(','), 'query.wallets'));
  if (orgId === null && addresses === '') return null;
  const read = wallets.ok ? wallets.value.read : [];
  const inWallets = read.flatMap(({ place }) => place.positions.flatMap(({ instrument }) => (instrument === null ? [] : [instrument])));
  const none = { read: [], unread: [] };
  const books =
    orgId === null
      ? []
      : (await Promise.all((['paper', 'live'] as const).map((mode) => ports.portfolio.read(orgId, mode, none)))).flatMap(
          (one) => one.books,
        );
  return new Set([...inWallets, ...books.flatMap(({ state }) => state.holdings.map(({ instrument }) => instrument))]);
}

function exposureBody(entry: CatalogEntry, held: ReadonlySet<InstrumentKey> | null): DuplicatedExposure | null {
  return held === null ? null : duplicatedExposure(entry, held);
}

function riskBody({ score, terms, unknown }: RiskScore): Static<typeof RiskBody> {
  return { score, terms: terms.map((one) => ({ ...one, formula: RISK_FORMULAS[one.name] })), unknown: [...unknown] };
}

const performanceBody = (windows: readonly WindowPerformance[] | null): Static<typeof PerformanceBody>[] | null =>
  windows === null ? null : [...windows];

const agedBody = <Look extends { readonly at: EpochMs }>(look: Look, now: EpochMs) => ({
  ...look,
  at: isoTime(look.at),
  ageMs: Math.max(0, now - look.at),
});

const priceBody = (price: PriceLook | null, now: EpochMs) => (price === null ? null : agedBody(price, now));
const depthBody = (depth: DepthLook | null, now: EpochMs) => (depth === null ? null : agedBody(depth, now));

function holdersBody(holders: HolderConcentration, decimals: number, creator: string | null): Static<typeof HoldersBody> {
  const whole = (raw: bigint): string => wholeTokens(raw, decimals);
  return {
    ...holders,
    supply: whole(holders.supply),
    circulating: whole(holders.circulating),
    excluded: holders.excluded.map((one) => ({ ...one, amount: whole(one.amount) })),
    wallets: holders.wallets
      .slice(0, WALLETS_NAMED)
      .map((one) => ({ ...one, amount: whole(one.amount), isCreator: one.owner === creator })),
  };
}

function tokenBody(analysis: TokenAnalysis): Static<typeof TokenBody> {
  const { entry, at, holders, creator, depth, price, volume, risk, performance, ageDays } = analysis;
  const decimals = entry.token?.decimals ?? 0;
  const whole = (raw: bigint): string => wholeTokens(raw, decimals);
  return {
    mint: entry.token?.mint ?? '',
    instrument: entry.key,
    symbol: entry.instrument,
    name: entry.name,
    pairedStock: entry.pairedStock,
    listedAt: isoTime(entry.token?.validFrom ?? at),
    ageDays,
    at: isoTime(at),
    price: priceBody(price, at),
    holders: holders === null ? null : holdersBody(holders, decimals, creator?.address ?? null),
    creator:
      creator === null
        ? null
        : {
            address: creator.address,
            held: whole(creator.held),
            freePct: creator.freePct,
            lockedPct: creator.lockedPct,
            vesting:
              creator.vesting === null
                ? null
                : {
                    state: creator.vesting.state,
                    total: whole(creator.vesting.total),
                    unlocked: whole(creator.vesting.unlocked),
                    endsAt: creator.vesting.endsAt === null ? null : isoTime(Number(creator.vesting.endsAt) * 1_000),
                  },
          },
    depth: depthBody(depth, at),
    volume,
    risk: riskBody(risk),
    performance: performanceBody(performance),
  };
}

const getAgentToken = defineRoute({
  method: 'GET',
  url: '/v1/agent-market/tokens/:mint',
  name: 'getAgentToken',
  tag: 'agent-market',
  summary: 'Analytics of one agent token',
  description:
    'Holders (curves, pools, lockers and burn addresses apart from wallets), the creator’s free and locked part, market depth, a risk score with each of its terms, and the return against the paired share. An unknown input is null and counts as the most risk.',
  permission: 'market:read',
  cost: 'costly',
  schema: {
    params: objectSchema({ mint: Type.String({ minLength: 32, maxLength: 44, pattern: '^[1-9A-HJ-NP-Za-km-z]+$' }) }),
    querystring: objectSchema(HOLDER_FIELDS),
  },
  answers: {
    200: {
      description: 'The token.',
      schema: Type.Object(
        {
          ...TokenBody.properties,
          duplicatedExposure: Type.Unsafe<ReturnType<typeof exposureBody>>({
            anyOf: [DuplicateBody, { type: 'null' }],
            description: 'By the books of the organization and the wallets that are named; null if nobody is named.',
          }),
        },
        { $id: 'AgentTokenAnalytics' },
      ),
    },
  },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const entry = agentTokens(ports).find(({ token }) => token?.mint === request.params.mint);
    if (entry === undefined) return sendProblem(reply, 'not_found', 'there is no agent token with this mint');
    const [analysis, held] = await Promise.all([
      analysisFor(ports, entry),
      heldBy(ports, request.caller?.orgId ?? null, request.query.wallets),
    ]);
    return { ...tokenBody(analysis), duplicatedExposure: exposureBody(entry, held) };
  },
});

const RANKING_LIST = 'agent-market-rank';
const PLACE = /^\d{1,6}$/;
/** Maximum tokens ranked. The newest are used. */
const MOST_RANKED = 200;

const rankAgentTokens = defineRoute({
  method: 'GET',
  url: '/v1/agent-market/rank',
  name: 'rankAgentTokens',
  tag: 'agent-market',
  summary: 'Ranked agent tokens',
  description: `The ${MOST_RANKED} newest tokens, ranked. A token that cannot be ranked stays in the list, without a rank and with the reason.`,
  permission: 'market:read',
  cost: 'costly',
  schema: { querystring: objectSchema({ mode: Type.Optional(choice(AGENT_RANK_MODES, 'Default: `lowest_risk`.')), ...pageFields }) },
  answers: {
    200: {
      description: 'A page of the ranking.',
      schema: Type.Object({
        items: Type.Array(
          Type.Object(
            {
              rank: nullable('integer', 'From 1; null if it cannot be ranked, and `reasons` say why.'),
              score: nullable('number', 'Value that the ranking uses.'),
              reasons: Type.Array(choice(Object.values(UNRANKED))),
              ...TokenBody.properties,
            },
            { $id: 'RankedAgentToken' },
          ),
        ),
        nextCursor: nullable('string'),
        mode: Type.String(),
        formula: Type.String(),
      }),
    },
  },
  refusals: [],
  handle: (ports) => async (request) => {
    const { mode = 'lowest_risk' } = request.query;
    const { limit, after } = pageOfQuery(request.query, RANKING_LIST, PLACE);
    const newest = agentTokens(ports)
      .toSorted((a, b) => (b.token?.validFrom ?? 0) - (a.token?.validFrom ?? 0))
      .slice(0, MOST_RANKED);
    const rows = rankTokens(await Promise.all(newest.map((entry) => analysisFor(ports, entry))), mode);
    const begin = after === null ? 0 : Number(after);
    const end = begin + limit;
    return {
      items: rows
        .slice(begin, end)
        .map(({ rank, score, reasons, analysis }) => ({ rank, score, reasons: [...reasons], ...tokenBody(analysis) })),
      nextCursor: end < rows.length ? encodeCursor(RANKING_LIST, String(end)) : null,
      mode,
      formula: AGENT_RANK_FORMULAS[mode],
    };
  },
});

const PAIRED_LIST = 'agent-market-stock-paired';

const listStockPaired = defineRoute({
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
    querystring: objectSchema({
      stock: Type.Optional(Type.String({ minLength: 1, maxLength: 16, description: 'Paired stock, e.g. `AAPLx`.' })),
      ...HOLDER_FIELDS,
      ...pageFields,
    }),
  },
  answers: {
    200: {
      description: 'A page of them, by instrument.',
      schema: pageSchema(
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
    const page = pageOfQuery(request.query, PAIRED_LIST, POSITIONS.instrument);
    const paired = agentTokens(ports).filter(
      ({ pairedStock }) => pairedStock !== null && (stock === undefined || pairedStock === `spotchain:${stock}`),
    );
    const found = pageOfKeyed(paired, ({ key }) => key, page);
    const held = await heldBy(ports, request.caller?.orgId ?? null, wallets);
    const items = await Promise.all(found.items.map((entry) => analysisFor(ports, entry)));
    return pageBody({ items, next: found.next }, PAIRED_LIST, ({ entry, price, performance, risk }) => ({
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

export const agentMarketRoutes: RouteGroup = {
  tag: {
    name: 'agent-market',
    position: 230,
    description:
      'Holders, liquidity, risk score and returns of tokens launched for agents. An unknown input is null and counts as the highest risk.',
  },
  routes: [getAgentToken, rankAgentTokens, listStockPaired],
};
