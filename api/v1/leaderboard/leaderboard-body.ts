/** The leaderboard on the wire, as JSON and as CSV. */
import { type Static, Type } from 'typebox';
import {
  BASIS_LABELS,
  coverageOf,
  LEADERBOARD_WINDOWS,
  type LeaderboardEntry,
  type LeaderboardWindow,
  reasonsOf,
  RANK_REASONS,
  type WalletSale,
} from '../../../src/domain/leaderboard/entry.ts';
import { type EpochMs, isoTime } from '../../../src/domain/values/time.ts';
import { choice, NullableDecimalText, nullable, objectOf, Time } from '../../shapes.ts';

export const WindowField = choice(LEADERBOARD_WINDOWS, 'Up to now; sales inside it count, purchases before it set their basis.');
export const WindowQuery = objectOf({ window: WindowField });
export const WalletPath = objectOf({ address: Type.String({ minLength: 32, maxLength: 44 }) });

export const LeaderboardEntryBody = Type.Object(
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

export function entryBody(entry: LeaderboardEntry, window: LeaderboardWindow, now: EpochMs): Static<typeof LeaderboardEntryBody> {
  const { rank, address, chain, label, realizedPnlUsd, sales, matchedSales, readAt, truncatedAt } = entry;
  return {
    rank,
    address,
    chain,
    label,
    realizedPnlUsd,
    coveragePct: coverageOf(entry),
    basis: BASIS_LABELS[chain],
    sales,
    matchedSales,
    readAt: readAt === null ? null : isoTime(readAt),
    historySince: truncatedAt === null ? null : isoTime(truncatedAt),
    reasons: [...reasonsOf(entry, window, now)],
  };
}

export const WalletSaleBody = Type.Object(
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

export function saleBody({ key: _, at, ...sale }: WalletSale): Static<typeof WalletSaleBody> {
  return { ...sale, at: isoTime(at) };
}

/** Returns one CSV field, quoted if necessary, and never starting a spreadsheet formula. */
function csvField(value: string | number | null | readonly string[]): string {
  if (value === null) return '';
  const text = Array.isArray(value) ? value.join(' ') : String(value);
  const plain = typeof value === 'string' && /^[=+@\t\r]|^-(?!\d)/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** Returns RFC 4180 text: a header and one line per row. */
export function csvOf<Row extends object>(columns: readonly (keyof Row & string)[], rows: readonly Row[]): string {
  const lines = rows.map((row) => columns.map((name) => csvField(row[name] as Parameters<typeof csvField>[0])).join(','));
  return `${[columns.join(','), ...lines].join('\r\n')}\r\n`;
}
