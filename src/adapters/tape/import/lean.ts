/**
 * Importer of LEAN bars: headerless CSV whose times count from the exchange's midnight. Quote bars become quotes at the bar's end, trade
 * bars become candles.
 */
import { Decimal, type DecimalString, isPositive, plainDecimal } from '../../../domain/values/decimal.ts';
import { NO_FLAGS } from '../../../domain/market/quote.ts';
import { newYorkOffsetMs } from '../../../domain/market/session.ts';
import type { TapeEvent } from '../../../domain/tape/tape.ts';
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from '../../../domain/values/time.ts';
import { type ExecutableVenue, VENUES } from '../../../domain/market/venue.ts';
import { scaledDecimal } from '../../venues/reference/hermes-map.ts';
import { wireCandle } from '../../venues/spotexchange/map.ts';
import { cellDecimal, firstLine, type Importer, type ImportTarget } from '../importer.ts';
import { TapeError } from '../tape-error.ts';

const PATH =
  /(?:^|[/\\])(equity|crypto|cryptofuture)[/\\][^/\\]+[/\\](minute|second)[/\\]([^/\\]+)[/\\](\d{4})(\d\d)(\d\d)_(quote|trade)\.csv(?:\.gz)?$/;
const QUOTE_BAR = /^\d{1,8}(,-?[\d.eE+-]*){10}$/;
const TRADE_BAR = /^\d{1,8}(,-?[\d.eE+-]*){5}$/;
const BAR_MS = { minute: MINUTE_MS, second: 1_000 } as const;

interface LeanFile {
  readonly equity: boolean;
  readonly resolution: 'minute' | 'second';
  readonly symbol: string;
  readonly midnight: EpochMs;
}

function describe(file: string, target: ImportTarget): LeanFile {
  const match = PATH.exec(file);
  if (match === null) {
    throw new TapeError(
      file,
      '',
      'is headerless CSV, whose meaning LEAN writes into the path; keep .../equity|crypto|cryptofuture/<market>/minute|second/<symbol>/YYYYMMDD_quote|trade.csv[.gz]',
    );
  }
  const [, kind, resolution, symbol, year, month, day] = match as unknown as [
    string,
    string,
    'minute' | 'second',
    string,
    string,
    string,
    string,
  ];
  const utc = Date.parse(`${target.date ?? `${year}-${month}-${day}`}T00:00:00Z`);
  if (!Number.isFinite(utc)) throw new TapeError(file, '', `has the date ${target.date ?? `${year}-${month}-${day}`}, which is none`);
  const equity = kind === 'equity';
  // Noon has the offset of the whole trading day, because clocks change only on Sundays.
  return { equity, resolution, symbol: symbol.toUpperCase(), midnight: equity ? utc - newYorkOffsetMs(utc + 17 * HOUR_MS) : utc };
}

export const LEAN: Importer = {
  name: 'lean',
  accepts:
    'LEAN minute or second bars, unpacked from their zip, under their own path (.../minute/spy/20230803_quote.csv); shares only as --venue reference',
  venues: VENUES,
  recognises(sample) {
    const first = firstLine(sample);
    return QUOTE_BAR.test(first) || TRADE_BAR.test(first);
  },

  async *read(source, target, counts) {
    const lean = describe(source.file, target);
    if (lean.equity && target.venue !== 'reference') {
      throw new TapeError(
        source.file,
        '',
        `holds prices of a share, which no venue of ours executes; import it with --venue reference, not ${target.venue}`,
      );
    }
    const barMs = BAR_MS[lean.resolution];
    const instrument = target.instrument ?? lean.symbol;
    for await (const { line: number, fields } of source.records()) {
      counts.read++;
      const place = `line ${number}`;
      const cells = fields.map((field) => field.trim());
      const line = cells.join(',');
      const offset = Number(cells[0]);
      if (!/^\d{1,8}$/.test(cells[0] as string) || offset >= DAY_MS) {
        counts.reject('bad_time', place, `${String(cells[0])} is not a number of milliseconds since midnight`);
        continue;
      }
      const openTime = lean.midnight + offset;
      // A bar's content is known only at its end.
      const receivedAt = openTime + barMs;
      const price = (text: string | undefined): string | null => (lean.equity ? scaledDecimal(text, -4) : cellDecimal(text));
      if (cells.length === 11) {
        const [bid, ask, bidSize, askSize] = [price(cells[4]), price(cells[9]), cellDecimal(cells[5]), cellDecimal(cells[10])];
        if (bid === null || ask === null || bidSize === null || askSize === null) {
          counts.reject('bad_number', place, `a price or size is not a plain decimal: ${line.slice(0, 120)}`);
        } else if (!isPositive(bid) || !isPositive(ask)) counts.reject('non_positive_price', place, `bid ${bid}, ask ${ask}`);
        else yield quoteEvent(target, instrument, lean.resolution, receivedAt, { bid, ask, bidSize, askSize });
      } else if (cells.length === 6) {
        if (lean.resolution === 'second') {
          // A share's trade bar has a last price but no bid or ask.
          if (!lean.equity) counts.skip('second_trade_bar');
          else {
            const close = price(cells[4]);
            if (close === null) counts.reject('bad_number', place, `the close is not a plain decimal: ${line.slice(0, 120)}`);
            else if (!isPositive(close)) counts.reject('non_positive_price', place, `close ${close}`);
            else yield referenceEvent(instrument, 'lean:trade_bar_second', receivedAt, close, '0');
          }
          continue;
        }
        const candle = wireCandle(openTime, [price(cells[1]), price(cells[2]), price(cells[3]), price(cells[4]), cells[5]]);
        if (candle === null) counts.reject('bad_number', place, `no sound bar: ${line.slice(0, 120)}`);
        else
          yield {
            kind: 'candles',
            venue: target.venue,
            instrument,
            timeframe: '1m',
            source: 'lean:trade_bar',
            receivedAt,
            candles: [candle],
          };
      } else counts.reject('unknown_shape', place, `${cells.length} columns; a quote bar has 11, a trade bar 6`);
    }
  },
};

function referenceEvent(
  instrument: string,
  source: string,
  receivedAt: EpochMs,
  referencePrice: DecimalString,
  confidence: DecimalString,
): TapeEvent {
  return {
    kind: 'reference',
    venue: 'reference',
    instrument,
    source,
    observedAt: receivedAt,
    receivedAt,
    feedUpdatedAt: receivedAt,
    referencePrice,
    confidence,
    publisherSession: null,
    quality: 'live',
    flags: NO_FLAGS,
  };
}

function quoteEvent(
  target: ImportTarget,
  instrument: string,
  resolution: string,
  receivedAt: EpochMs,
  book: { readonly bid: string; readonly ask: string; readonly bidSize: string; readonly askSize: string },
): TapeEvent {
  const source = `lean:quote_bar_${resolution}`;
  if (target.venue === 'reference') {
    const spread = new Decimal(book.ask).minus(book.bid);
    const middle = plainDecimal(new Decimal(book.bid).plus(book.ask).div(2));
    // The middle of a book is uncertain by half of its spread.
    return referenceEvent(instrument, source, receivedAt, middle, plainDecimal(spread.abs().div(2)));
  }
  return {
    kind: 'quote',
    venue: target.venue as ExecutableVenue,
    instrument,
    source,
    observedAt: receivedAt,
    receivedAt,
    sourceTime: true,
    bid: book.bid,
    ask: book.ask,
    bidSize: book.bidSize,
    askSize: book.askSize,
    sequence: null,
    quality: 'live',
    flags: NO_FLAGS,
  };
}
