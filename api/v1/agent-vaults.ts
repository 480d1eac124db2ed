/** Vaults of agents: deposits, withdrawals, the share price over time, the ranking and the reserves. */
import { Type } from 'typebox';
import type { VaultChange, VaultView, Withdrawal } from '../../actors/agent/vault-commands.ts';
import type { VaultCommands } from '../../actors/agent/vault-handler.ts';
import type { ReserveReads } from '../../src/adapters/store/vaults/reserve-store.ts';
import type { VaultCourse } from '../../src/adapters/store/vaults/vault-course.ts';
import type { RankedVault, VaultStore } from '../../src/adapters/store/vaults/vault-store.ts';
import { NO_AGENT } from '../../src/domain/agents/agent.ts';
import type { ReserveCheck } from '../../src/domain/books/reserves.ts';
import { isoTime } from '../../src/domain/values/time.ts';
import { requireMember } from '../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../cursor.ts';
import { onceOnly } from '../idempotency.ts';
import { idInPath } from '../identifier.ts';
import { InputError, sendProblem } from '../problem.ts';
import { defineRoute, type RouteGroup, renamed } from '../route.ts';
import {
  AgentPath,
  choice,
  DecimalText,
  IdText,
  NullableDecimalText,
  NullableTime,
  nullable,
  objectSchema,
  pageFields,
  pageSchema,
  StageWord,
  Time,
} from '../shapes.ts';

declare module '../route.ts' {
  interface ApiPorts {
    readonly vaults: {
      readonly course: VaultCourse['course'];
      readonly commands: VaultCommands;
      readonly ranking: Pick<VaultStore, 'rank'>;
      readonly reserves: ReserveReads;
    };
  }
}

const VaultBody = Type.Object(
  {
    agentId: IdText,
    stage: StageWord,
    ceilingUsd: {
      ...DecimalText,
      description:
        'The most that may be allocated at this stage: nothing before `limited_live`, a tenth of the mandate there, all of it at `live`.',
    },
    allocatedUsd: { ...DecimalText, description: 'Deposits less the cost of redeemed shares.' },
    cashUsd: DecimalText,
    exposureUsd: NullableDecimalText,
    equityUsd: { ...NullableDecimalText, description: 'Cash plus exposure; null while a position has no live quote.' },
    realizedPnlUsd: DecimalText,
    unrealizedPnlUsd: NullableDecimalText,
    feesUsd: DecimalText,
    totalShares: DecimalText,
    sharePriceUsd: NullableDecimalText,
    highWaterMarkUsd: { ...DecimalText, description: 'The highest price of a share so far.' },
    highWaterAt: { ...NullableTime, description: 'ISO 8601.' },
    drawdownPct: nullable('number', 'Drawdown of the share price from its high-water mark.'),
    roundingUsd: { ...DecimalText, description: 'Rounding remainder that belongs to no share.' },
    unpriced: Type.Array(Type.String(), { description: 'Positions without a live quote; while there are any, values are null.' }),
    leftOut: Type.Array(Type.String(), { description: 'Dust of less than one lot without a live quote: it is in no value.' }),
    pricedAt: Time,
    depositors: Type.Array(
      Type.Object({
        depositor: Type.String(),
        shares: DecimalText,
        paidInUsd: DecimalText,
        paidOutUsd: DecimalText,
        valueUsd: NullableDecimalText,
      }),
    ),
  },
  { $id: 'Vault', description: "Live capital only, apart from the operator's manual book and from every paper book." },
);

function vaultBody(view: VaultView) {
  return {
    agentId: view.agentId,
    stage: view.stage,
    ceilingUsd: view.ceilingUsd,
    allocatedUsd: view.allocatedUsd,
    cashUsd: view.cashUsd,
    exposureUsd: view.exposureUsd,
    equityUsd: view.equityUsd,
    realizedPnlUsd: view.realizedPnlUsd,
    unrealizedPnlUsd: view.unrealizedPnlUsd,
    feesUsd: view.feesUsd,
    totalShares: view.totalShares,
    sharePriceUsd: view.sharePriceUsd,
    highWaterMarkUsd: view.highWaterMarkUsd,
    highWaterAt: view.highWaterAt === null ? null : isoTime(view.highWaterAt),
    drawdownPct: view.drawdownPct,
    roundingUsd: view.roundingUsd,
    unpriced: view.unpriced,
    leftOut: view.leftOut,
    pricedAt: isoTime(view.pricedAt),
    depositors: view.depositors,
  };
}

const VaultChangeBody = Type.Object(
  {
    change: Type.Integer({ description: "Counts the vault's deposits and withdrawals from 1." }),
    kind: choice(['deposit', 'withdrawal']),
    depositor: Type.String(),
    amountUsd: DecimalText,
    shares: DecimalText,
    sharePriceUsd: { ...DecimalText, description: 'The price of a share at the change, which the change does not move.' },
    stage: StageWord,
    at: Time,
  },
  { $id: 'VaultChange' },
);

function vaultChangeBody(change: VaultChange) {
  return {
    change: change.change,
    kind: change.kind,
    depositor: change.depositor,
    amountUsd: change.amountUsd,
    shares: change.shares,
    sharePriceUsd: change.sharePriceUsd,
    stage: change.stage,
    at: isoTime(change.at),
  };
}

const getVault = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/vault',
  name: 'getVault',
  tag: 'vaults',
  summary: "The agent's vault",
  permission: 'agent:read',
  cost: 'read',
  schema: { params: AgentPath },
  answers: { 200: { description: 'The vault; one that was never paid into is empty.', schema: VaultBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const vault = id === null ? null : await ports.vaults.commands.read(requireMember(request).orgId, id);
    return vault === null ? sendProblem(reply, 'not_found', NO_AGENT) : vaultBody(vault);
  },
});

const MOST_POINTS = 300;

const PriceHistoryBody = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        at: Time,
        equityUsd: DecimalText,
        sharePriceUsd: DecimalText,
        drawdownPct: Type.Number({ description: 'Drawdown of the share price from its highest value so far.' }),
      }),
      { description: 'Ascending.' },
    ),
  },
  { $id: 'VaultPriceHistory' },
);

const getVaultPriceHistory = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/vault/price-history',
  name: 'getVaultPriceHistory',
  tag: 'vaults',
  summary: 'Price history of a vault share, with its drawdown',
  description: `The vault is valued once a minute while it holds assets. Returns at most ${MOST_POINTS} valuations, evenly spread and including the newest. Unsigned valuations are left out.`,
  permission: 'agent:read',
  cost: 'costly',
  schema: {
    params: AgentPath,
    querystring: objectSchema({ points: Type.Optional(Type.Integer({ minimum: 2, maximum: MOST_POINTS, default: MOST_POINTS })) }),
  },
  answers: { 200: { description: 'Share prices, oldest first; empty if the vault was never valued.', schema: PriceHistoryBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const points = request.query.points ?? MOST_POINTS;
    const items = id === null ? null : await ports.vaults.course(requireMember(request).orgId, id, points);
    if (items === null) return sendProblem(reply, 'not_found', NO_AGENT);
    return { items: items.map(({ at, ...point }) => ({ at: isoTime(at), ...point })) };
  },
});

const depositIntoVault = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/vault/deposit',
  name: 'depositIntoVault',
  tag: 'vaults',
  summary: "Deposits into the agent's vault",
  description:
    'The caller gets shares at the present price, which the deposit does not move. Within the ceiling of the stage: nothing before `limited_live`, a tenth of `max_capital_usd` there, all of it at `live`.',
  permission: 'trade:execute',
  cost: 'write',
  schema: {
    params: AgentPath,
    body: objectSchema({ amountUsd: { ...DecimalText, maxLength: 40, description: 'Above zero, at most 6 decimals.' } }),
  },
  idempotent: true,
  answers: { 201: { description: 'The deposit.', schema: VaultChangeBody } },
  refusals: ['not_found', 'blocked_by_risk', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      return carryOut(request, reply, {
        status: 201,
        answer: vaultChangeBody,
        run: (context) => ports.vaults.commands.deposit(context, id, request.body.amountUsd),
      });
    };
  },
});

const WithdrawBody = objectSchema({
  amountUsd: Type.Optional({ ...DecimalText, maxLength: 40, description: 'Pays out at least this many US dollars.' }),
  shares: Type.Optional({ ...DecimalText, maxLength: 40, description: 'Takes back so many shares; at most 9 decimals.' }),
  all: Type.Optional(Type.Literal(true, { description: 'Takes back everything that the caller owns.' })),
});

const withdrawFromVault = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/vault/withdraw',
  name: 'withdrawFromVault',
  tag: 'vaults',
  summary: "Withdraws from the agent's vault",
  description:
    'Exactly one of `amountUsd`, `shares` and `all`. Pays from cash; no position is sold. Works at every stage and while the agent is paused.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { params: AgentPath, body: WithdrawBody },
  idempotent: true,
  answers: { 201: { description: 'The withdrawal.', schema: VaultChangeBody } },
  refusals: ['not_found', 'blocked_by_risk', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      const wanted = readWithdrawal(request.body);
      return carryOut(request, reply, {
        status: 201,
        answer: vaultChangeBody,
        run: (context) => ports.vaults.commands.withdraw(context, id, wanted),
      });
    };
  },
});

/** Reads the requested amount. @throws InputError unless exactly one way is given. */
function readWithdrawal(body: { readonly amountUsd?: string; readonly shares?: string; readonly all?: true }): Withdrawal {
  const given = Object.keys(body);
  if (given.length !== 1) {
    throw new InputError('malformed', 'body: give exactly one of amountUsd, shares and all', [
      {
        path: 'body',
        problem: given.length === 0 ? 'has no amount' : `says ${given.join(' and ')}`,
        allowed: 'one of amountUsd, shares, all',
      },
    ]);
  }
  if (body.amountUsd !== undefined) return { amountUsd: body.amountUsd };
  return body.shares === undefined ? { all: true } : { shares: body.shares };
}

/** Periods over which the return is measured. */
const VAULT_WINDOWS = ['24h', '7d', '30d', 'all'] as const;

const RankedVaultBody = Type.Object(
  {
    rank: nullable('integer', 'Null if the vault has no valuation within the window.'),
    agentId: IdText,
    name: Type.String(),
    stage: StageWord,
    returnPct: nullable('number', 'Change of the share price over the window, or since the first mark where that is later.'),
    sinceAt: { ...NullableTime, description: 'The mark that the return is measured from, ISO 8601.' },
    sharePriceUsd: NullableDecimalText,
    highWaterMarkUsd: DecimalText,
    drawdownPct: nullable('number'),
    equityUsd: NullableDecimalText,
    allocatedUsd: DecimalText,
    realizedPnlUsd: DecimalText,
    depositors: Type.Integer(),
    markedAt: Type.Unsafe<string | null>({
      ...Time,
      type: ['string', 'null'],
      description: 'Time at which the vault was last priced on live quotes.',
    }),
  },
  { $id: 'RankedVault' },
);

function rankedBody(ranked: RankedVault) {
  return {
    rank: ranked.rank,
    agentId: ranked.agentId,
    name: ranked.name,
    stage: ranked.stage,
    returnPct: ranked.returnPct,
    sinceAt: ranked.sinceAt === null ? null : isoTime(ranked.sinceAt),
    sharePriceUsd: ranked.sharePriceUsd,
    highWaterMarkUsd: ranked.highWaterMarkUsd,
    drawdownPct: ranked.drawdownPct,
    equityUsd: ranked.equityUsd,
    allocatedUsd: ranked.allocatedUsd,
    realizedPnlUsd: ranked.realizedPnlUsd,
    depositors: ranked.depositors,
    markedAt: ranked.markedAt === null ? null : isoTime(ranked.markedAt),
  };
}

const rankVaults = defineRoute({
  method: 'GET',
  url: '/v1/agent-vaults/leaderboard',
  name: 'rankVaults',
  tag: 'vaults',
  summary: 'Vaults by the return of a share',
  description:
    'Live capital only; paper trades never count. The share price is free of deposits and withdrawals, so the ranking is too. Ties are ordered by the smaller drawdown.',
  permission: 'agent:read',
  cost: 'read',
  schema: {
    querystring: objectSchema({
      window: Type.Optional(choice(VAULT_WINDOWS, 'Period of the return. Default: 30d.')),
      ...pageFields,
    }),
  },
  answers: { 200: { description: 'A page of the ranking.', schema: pageSchema(RankedVaultBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const window = request.query.window ?? '30d';
    const list = `vaults-${window}`;
    const page = pageOfQuery(request.query, list, POSITIONS.number);
    return pageBody(await ports.vaults.ranking.rank(requireMember(request).orgId, window, page, ports.clock.now()), list, rankedBody);
  },
});

const ReserveCheckBody = Type.Object(
  {
    at: Time,
    verdict: choice(
      ['backed', 'short', 'unknown'],
      '`short`: holdings of an asset are more than 10 bps below the claims. `unknown`: a place could not be read.',
    ),
    lines: Type.Array(
      Type.Object({
        asset: Type.String({
          description:
            '`USD` for the cash of all vaults, `USD:<venue>` for the part of it whose vaults trade at that venue only, else the key of an instrument. What is held of it beyond `claimed` lies outside the books: it backs no dollars, and no closing sells it.',
        }),
        claimed: DecimalText,
        held: NullableDecimalText,
      }),
    ),
    unknown: Type.Array(Type.String(), { description: 'Reasons for places that could not be read.' }),
  },
  {
    $id: 'ReserveCheck',
    examples: [
      {
        at: '2026-11-20T12:00:00.000Z',
        verdict: 'backed',
        lines: [
          { asset: 'USD', claimed: '1009.4', held: '996990.1' },
          { asset: 'spotexchange:BTCUSDT', claimed: '0.03148', held: '0.0314812' },
        ],
        unknown: [],
      },
    ],
  },
);

function reserveBody({ at, verdict, lines, unknown }: ReserveCheck) {
  return { at: isoTime(at), verdict, lines: lines.map(({ asset, claimed, held }) => ({ asset, claimed, held })), unknown: [...unknown] };
}

const listReserves = defineRoute({
  method: 'GET',
  url: '/v1/reserves',
  name: 'listReserves',
  tag: 'vaults',
  summary: 'Claims of vaults and books, compared with the holdings',
  description:
    'Every two minutes the cash of all vaults and the positions of all live books are compared with the organization’s account at the spot exchange, with its linked and delegated wallets, and with its positions at the on-chain venue of prediction markets. Newest first. In a sandbox the one comparison is of this moment: the simulated dollars of the organization, and those that were paid into its vaults. A deposit that the newest comparison does not back is refused.',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectSchema(pageFields) },
  answers: { 200: { description: 'A page of comparisons.', schema: pageSchema(ReserveCheckBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'reserves', POSITIONS.number);
    return pageBody(await ports.vaults.reserves.list(requireMember(request).orgId, page), 'reserves', reserveBody);
  },
});

export const vaultRoutes: RouteGroup = {
  tag: {
    name: 'vaults',
    position: 130,
    description:
      'Deposits and withdrawals of an agent’s live capital, as shares. A vault accepts deposits from stage `limited_live`, up to its limit. Withdrawals are paid from cash. Deposits are refused while holdings do not cover the claims (`GET /v1/reserves`).',
  },
  routes: [
    getVault,
    ...renamed(getVaultPriceHistory, {
      url: '/v1/agents/:id/vault/course',
      name: 'getVaultCourse',
      since: '2026-11-27',
    }),
    depositIntoVault,
    withdrawFromVault,
    rankVaults,
    listReserves,
  ],
};
