/** Wallets ranked by realized profit, as JSON and as CSV. */
import { type Static, Type } from 'typebox';
import type { LeaderboardWalletCommands } from '../../actors/leaderboard-wallet/commands.ts';
import type { LeaderboardReads } from '../../src/adapters/store/leaderboard/leaderboard-store.ts';
import { LONGEST_LABEL } from '../../src/domain/identity/linked-wallet.ts';
import {
  BASIS_LABELS,
  computeCoverage,
  LEADERBOARD_WINDOWS,
  type LeaderboardEntry,
  type LeaderboardWindow,
  RANK_REASONS,
  listRankReasons,
  type WalletSale,
} from '../../src/domain/leaderboard/leaderboard-entry.ts';
import { type EpochMs, isoTime } from '../../src/domain/values/time.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../cursor.ts';
import { onceOnly } from '../idempotency.ts';
import { sendProblem } from '../problem.ts';
import { defineRoute, type RouteGroup } from '../route.ts';
import { choice, NullableDecimalText, nullable, objectSchema, pageFields, shownText, Time } from '../shapes.ts';
import { AddressText } from './wallets.ts';

declare module '../route.ts' {
  interface ApiPorts {
    readonly leaderboard: LeaderboardReads;
    readonly leaderboardWallets: { readonly commands: LeaderboardWalletCommands };
  }
}

const WindowField = choice(LEADERBOARD_WINDOWS, 'Up to now; sales inside it count, purchases before it set their basis.');
const WindowQuery = objectSchema({ window: WindowField });
const WalletPath = objectSchema({ address: Type.String({ minLength: 32, maxLength: 44 }) });

const LeaderboardEntryBody = Type.Object(
  {
    rank: nullable('integer', 'Null if nothing was realized with a known basis, or the newest answer is older than a day.'),
    address: Type.String(),
    chain: choice(['spotchain', 'evmvenue']),
    label: nullable('string'),
    realizedPnlUsd: NullableDecimalText,
    coveragePct: nullable(
      'number',
      'Percent of the observed sells whose whole basis is known; null on the EVM venue and where none was observed.',
    ),
    basis: choice(['partial', 'reported/partial'], '`partial`: what was observed. `reported/partial`: as the venue reports it.'),
    sales: Type.Integer({ description: 'Sells, or closing fills, in the window.' }),
    matchedSales: Type.Integer(),
    readAt: Type.Unsafe<string | null>({ ...Time, type: ['string', 'null'] }),
    historySince: Type.Unsafe<string | null>({
      ...Time,
      type: ['string', 'null'],
      description: 'Older transactions are not known; null if the whole history was read.',
    }),
    reasons: Type.Array(choice(RANK_REASONS), { description: 'Reasons for no rank, or gaps in the figure.' }),
  },
  { $id: 'LeaderboardEntry' },
);

function entryBody(entry: LeaderboardEntry, window: LeaderboardWindow, now: EpochMs): Static<typeof LeaderboardEntryBody> {
  const { rank, address, chain, label, realizedPnlUsd, sales, matchedSales, readAt, truncatedAt } = entry;
  return {
    rank,
    address,
    chain,
    label,
    realizedPnlUsd,
    coveragePct: computeCoverage(entry),
    basis: BASIS_LABELS[chain],
    sales,
    matchedSales,
    readAt: readAt === null ? null : isoTime(readAt),
    historySince: truncatedAt === null ? null : isoTime(truncatedAt),
    reasons: [...listRankReasons(entry, window, now)],
  };
}

const WalletSaleBody = Type.Object(
  {
    at: Time,
    asset: Type.String({ description: 'The mint, or the coin.' }),
    direction: Type.String({ description: "`sell`, or the venue's own word." }),
    quantity: nullable('string', 'Raw units of the mint; null on the EVM venue.'),
    proceedsUsd: NullableDecimalText,
    costUsd: NullableDecimalText,
    profitUsd: NullableDecimalText,
    reference: Type.String({ description: 'The name of the transaction on its chain.' }),
  },
  { $id: 'WalletSale', description: 'Cost and profit are null if the basis is not known: such a sale is in no figure.' },
);

function saleBody({ key: _, at, ...sale }: WalletSale): Static<typeof WalletSaleBody> {
  return { ...sale, at: isoTime(at) };
}

/** Returns one CSV field, quoted if necessary, and never starting a spreadsheet formula. */
function csvField(value: string | number | null | readonly string[]): string {
  if (value === null) return '';
  const text = Array.isArray(value) ? value.join(' ') : String(value);
  const plain = typeof value === 'string' && /^[=+@\t\r]|^-(?!\d+(\.\d+)?$)/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** Returns RFC 4180 text: a header and one line per row. */
function toCsv<Row extends object>(columns: readonly (keyof Row & string)[], rows: readonly Row[]): string {
  const lines = rows.map((row) => columns.map((name) => csvField(row[name] as Parameters<typeof csvField>[0])).join(','));
  return `${[columns.join(','), ...lines].join('\r\n')}\r\n`;
}

/** Filters of every leaderboard list. */
const LEADERBOARD_FILTER = {
  chain: Type.Optional(choice(['spotchain', 'evmvenue'])),
  search: Type.Optional(Type.String({ minLength: 1, maxLength: 60, description: 'The beginning of an address, or a part of a label.' })),
  ranked: Type.Optional(Type.Boolean({ description: 'True: wallets with a rank. False: wallets without one.' })),
  minCoveragePct: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
};

const LeaderboardBody = Type.Object(
  {
    window: WindowField,
    items: Type.Array(LeaderboardEntryBody),
    nextCursor: nullable('string', 'Ask again with this as `cursor`; null on the last page.'),
    refresh: Type.Object({
      at: Type.Unsafe<string | null>({ ...Time, type: ['string', 'null'], description: 'Time of the last refresh of wallets.' }),
      waiting: Type.Integer({ description: 'Wallets that wait for their refresh.' }),
      behindSeconds: Type.Number({ description: 'For how long the one that waits longest has waited since it was asked for last.' }),
    }),
  },
  { $id: 'Leaderboard' },
);

const getLeaderboard = defineRoute({
  method: 'GET',
  url: '/v1/leaderboard',
  name: 'getLeaderboard',
  tag: 'leaderboard',
  summary: 'Wallets by realized profit of live trading',
  description:
    'On the primary chain first-in-first-out on swaps against stablecoins; sales without a known basis, network fees and unrealized gains are in no figure. On the EVM venue the closed profit that the venue reports, without fees. Wallets without data are at the end, without a rank, and say why.',
  permission: 'market:read',
  cost: 'read',
  schema: { querystring: objectSchema({ window: WindowField, ...LEADERBOARD_FILTER, ...pageFields }) },
  answers: { 200: { description: 'A page of the ranking.', schema: LeaderboardBody } },
  refusals: [],
  handle: (ports) => async (request) => {
    const { window, chain = null, search = null, ranked = null, minCoveragePct = null } = request.query;
    const page = pageOfQuery(request.query, 'leaderboard', POSITIONS.number);
    const now = ports.clock.now();
    const [found, progress] = await Promise.all([
      ports.leaderboard.rank(window, { chain, search, ranked, minimumCoveragePct: minCoveragePct }, page),
      ports.leaderboard.progress(),
    ]);
    return {
      window,
      ...pageBody(found, 'leaderboard', (entry) => entryBody(entry, window, now)),
      refresh: { at: progress.at === 0 ? null : isoTime(progress.at), waiting: progress.waiting, behindSeconds: progress.behindMs / 1_000 },
    };
  },
});

const MOST_RANKED = 20_000;
const RANKING_COLUMNS = [
  'rank',
  'address',
  'chain',
  'label',
  'realizedPnlUsd',
  'coveragePct',
  'basis',
  'sales',
  'matchedSales',
  'readAt',
  'historySince',
  'reasons',
] as const;

const getLeaderboardCsv = defineRoute({
  method: 'GET',
  url: '/v1/leaderboard/csv',
  name: 'getLeaderboardCsv',
  tag: 'leaderboard',
  summary: 'The leaderboard of a window as CSV',
  permission: 'market:read',
  cost: 'costly',
  schema: { querystring: objectSchema({ window: WindowField, ...LEADERBOARD_FILTER }) },
  answers: { 200: { description: 'One line per wallet.', contentType: 'text/csv' } },
  refusals: [],
  handle: (ports) => async (request, reply) => {
    const { window, chain = null, search = null, ranked = null, minCoveragePct = null } = request.query;
    const filter = { chain, search, ranked, minimumCoveragePct: minCoveragePct };
    const { items } = await ports.leaderboard.rank(window, filter, { limit: MOST_RANKED, after: null });
    const now = ports.clock.now();
    reply.header('content-disposition', `attachment; filename="leaderboard-${window}.csv"`);
    return reply.type('text/csv; charset=utf-8').send(
      toCsv(
        RANKING_COLUMNS,
        items.map((entry) => entryBody(entry, window, now)),
      ),
    );
  },
});

const NO_WALLET = 'this address is not on the leaderboard';

const LeaderboardWalletBody = Type.Object(
  {
    window: WindowField,
    wallet: LeaderboardEntryBody,
    items: Type.Array(WalletSaleBody),
    nextCursor: nullable('string', 'Ask again with this as `cursor`; null on the last page.'),
  },
  { $id: 'LeaderboardWallet' },
);

const getLeaderboardWallet = defineRoute({
  method: 'GET',
  url: '/v1/leaderboard/wallets/:address',
  name: 'getLeaderboardWallet',
  tag: 'leaderboard',
  summary: 'One wallet of the leaderboard with the sales behind its figure, newest first',
  permission: 'market:read',
  cost: 'read',
  schema: { params: WalletPath, querystring: objectSchema({ window: WindowField, ...pageFields }) },
  answers: { 200: { description: 'The wallet and a page of its sales.', schema: LeaderboardWalletBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const { window } = request.query;
    const now = ports.clock.now();
    const entry = await ports.leaderboard.find(request.params.address, window);
    if (entry === null) return sendProblem(reply, 'not_found', NO_WALLET);
    const page = pageOfQuery(request.query, 'leaderboard-sales', POSITIONS.number);
    const sales = await ports.leaderboard.sales(entry.address, window, now, page);
    return { window, wallet: entryBody(entry, window, now), ...pageBody(sales, 'leaderboard-sales', saleBody) };
  },
});

const MOST_SALES = 20_000;
const SALE_COLUMNS = ['at', 'asset', 'direction', 'quantity', 'proceedsUsd', 'costUsd', 'profitUsd', 'reference'] as const;

const getLeaderboardWalletCsv = defineRoute({
  method: 'GET',
  url: '/v1/leaderboard/wallets/:address/csv',
  name: 'getLeaderboardWalletCsv',
  tag: 'leaderboard',
  summary: "The sales behind a wallet's figure as CSV",
  permission: 'market:read',
  cost: 'costly',
  schema: { params: WalletPath, querystring: WindowQuery },
  answers: { 200: { description: 'One line per sale, newest first.', contentType: 'text/csv' } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const { window } = request.query;
    const entry = await ports.leaderboard.find(request.params.address, window);
    if (entry === null) return sendProblem(reply, 'not_found', NO_WALLET);
    const { items } = await ports.leaderboard.sales(entry.address, window, ports.clock.now(), { limit: MOST_SALES, after: null });
    reply.header('content-disposition', `attachment; filename="${entry.address}-${window}.csv"`);
    return reply.type('text/csv; charset=utf-8').send(toCsv(SALE_COLUMNS, items.map(saleBody)));
  },
});

const RegisteredWalletBody = Type.Object(
  {
    address: Type.String({ description: 'With its EIP-55 checksum on the EVM chain.' }),
    chain: choice(['spotchain', 'evmvenue']),
    label: nullable('string'),
  },
  { $id: 'RegisteredWallet' },
);

const registerLeaderboardWallet = defineRoute({
  method: 'POST',
  url: '/v1/leaderboard/wallets',
  name: 'registerLeaderboardWallet',
  tag: 'leaderboard',
  summary: 'Puts a wallet of either chain on the leaderboard',
  description:
    'The wallet is listed at once without a rank, and gets a rank after its history was read. The first label of an address stays.',
  permission: 'agent:read',
  cost: 'write',
  schema: {
    body: objectSchema({ address: AddressText, label: Type.Optional(shownText(LONGEST_LABEL)) }),
  },
  idempotent: true,
  answers: { 201: { description: 'The wallet is on the leaderboard.', schema: RegisteredWalletBody } },
  refusals: ['state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { address, label = null } = request.body;
      return carryOut(request, reply, {
        status: 201,
        answer: ({ address: kept, chain, label: named }) => ({ address: kept, chain, label: named }),
        run: (context) => ports.leaderboardWallets.commands.register(context, { address, label }),
      });
    };
  },
});

export const leaderboardRoutes: RouteGroup = {
  tag: {
    name: 'leaderboard',
    position: 250,
    description:
      'Wallets by realized P&L of live trading. Register an address; it is listed at once and ranked after its history was read. Sales without a known cost basis are in no figure.',
  },
  routes: [getLeaderboard, getLeaderboardCsv, getLeaderboardWallet, getLeaderboardWalletCsv, registerLeaderboardWallet],
};
