/** Importer of GeckoTerminal's pool trades as one-minute bars. A trade is a paid price and not an offer, so it never becomes a quote. */
import { CATALOG } from '../../../domain/catalog/catalog.ts';
import { Decimal, isDecimalString, isPositive, plainDecimal } from '../../../domain/values/decimal.ts';
import { type EpochMs, MINUTE_MS, startOfSlot } from '../../../domain/values/time.ts';
import { parseTime } from './quote-csv.ts';
import type { Importer } from '../importer.ts';
import { TapeError } from '../tape-error.ts';

const BAR_MS = MINUTE_MS;

interface Trade {
  readonly at: EpochMs;
  readonly block: number;
  /** Position within its block. */
  readonly order: number;
  readonly price: string;
  readonly amount: string;
}

/** Returns the block number, or 0 if the recording has none, when the answer's order applies. Null if it is invalid. */
function readBlock({ block_number: block }: Readonly<Record<string, unknown>>): number {
  return Number.isSafeInteger(block) ? (block as number) : 0;
}

/** Returns the catalog's name of a symbol. `TSLAX` is the source's spelling of `TSLAx`. */
function catalogName(symbol: string): string {
  const same = CATALOG.entries.find((entry) => entry.venue === 'spotchain' && entry.instrument.toUpperCase() === symbol.toUpperCase());
  return same?.instrument ?? symbol;
}

export const POOL_TRADES: Importer = {
  name: 'pool-trades',
  accepts:
    'trades of one pool as GeckoTerminal answers them ({"pool", "meta": {"sym", "mint"}, "trades": [...]}); they become one-minute bars, never quotes',
  venues: ['spotchain'],
  recognises: (sample) => /^\s*\{\s*"pool"\s*:/.test(sample) && sample.includes('"trades"'),

  async *read(source, target, counts) {
    let recording: { meta?: { sym?: unknown; mint?: unknown }; trades?: unknown };
    try {
      recording = JSON.parse(await source.text()) as typeof recording;
    } catch (error) {
      throw new TapeError(source.file, '', `is not JSON: ${(error as Error).message}`);
    }
    const { sym, mint } = recording.meta ?? {};
    if (typeof mint !== 'string' || !Array.isArray(recording.trades)) throw new TapeError(source.file, '', 'lacks meta.mint or trades');
    const instrument = target.instrument ?? (typeof sym === 'string' ? catalogName(sym) : null);
    if (instrument === null) throw new TapeError(source.file, '', 'lacks meta.sym: say with --instrument which token the trades are of');
    const trades: Trade[] = [];
    for (const [index, value] of (recording.trades as unknown[]).entries()) {
      counts.read++;
      const place = `trade ${index + 1}`;
      const trade = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
      const bought = trade['to_token_address'] === mint;
      if (!bought && trade['from_token_address'] !== mint) {
        counts.reject('unknown_instrument', place, 'neither side is the token of meta.mint');
        continue;
      }
      const price = trade[bought ? 'price_to_in_usd' : 'price_from_in_usd'];
      const amount = trade[bought ? 'to_token_amount' : 'from_token_amount'];
      const at = typeof trade['block_timestamp'] === 'string' ? parseTime(trade['block_timestamp']) : null;
      if (at === null) counts.reject('bad_time', place, `block_timestamp is ${JSON.stringify(trade['block_timestamp'])}`);
      else if (typeof price !== 'string' || typeof amount !== 'string' || !isDecimalString(price) || !isDecimalString(amount)) {
        counts.reject('bad_number', place, `price ${JSON.stringify(price)}, amount ${JSON.stringify(amount)}`);
      } else if (!isPositive(price)) counts.reject('non_positive_price', place, `the price is ${price}`);
      // A second contains several blocks, which the answer mixes. Within a block it reverses the chain's order.
      else trades.push({ at, block: readBlock(trade), order: -index, price, amount });
    }
    trades.sort((a, b) => a.at - b.at || a.block - b.block || a.order - b.order);
    for (let from = 0; from < trades.length; ) {
      const openTime = startOfSlot((trades[from] as Trade).at, BAR_MS);
      let to = from;
      while (to < trades.length && (trades[to] as Trade).at < openTime + BAR_MS) to++;
      const bar = trades.slice(from, to);
      from = to;
      const prices = bar.map(({ price }) => price);
      const compare = (a: string, b: string): number => new Decimal(a).comparedTo(b);
      yield {
        kind: 'candles',
        venue: 'spotchain',
        instrument,
        timeframe: '1m',
        source: 'geckoterminal:trades',
        receivedAt: openTime + BAR_MS,
        candles: [
          {
            openTime,
            open: prices[0] as string,
            high: prices.reduce((a, b) => (compare(a, b) >= 0 ? a : b)),
            low: prices.reduce((a, b) => (compare(a, b) <= 0 ? a : b)),
            close: prices.at(-1) as string,
            volume: plainDecimal(bar.reduce((sum, { amount }) => sum.plus(amount), new Decimal(0))),
          },
        ],
      };
    }
  },
};
