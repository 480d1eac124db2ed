/** Supported formats of candle files: the meaning of their columns and the format of their times. */

/** Columns of a bar in the order of storage. */
const BAR_COLUMNS = ['openTime', 'open', 'high', 'low', 'close', 'volume'] as const;
export type BarColumn = (typeof BAR_COLUMNS)[number];

/** Unit of times: always milliseconds, or detected from the number of digits. */
type TimeStyle = 'milliseconds' | 'by_length';

export interface CandleForm {
  readonly name: 'uniform' | 'binance-kline' | 'headed';
  readonly time: TimeStyle;
  /** Number of fields in every row. */
  readonly width: number;
  /** Index of each column of a bar, from 0. */
  readonly places: Readonly<Record<BarColumn, number>>;
  /** Column titles of the file; the numbers if it has no header. */
  readonly titles: readonly string[];
  /** True if the first line is a header. */
  readonly headed: boolean;
}

/** Lines of `--help`, one per format. */
export const FORM_HELP: readonly string[] = [
  'openTime,open,high,low,close,volume                       times in milliseconds UTC (the form that this service writes)',
  'Binance kline rows, with or without their header          12 columns from the open time on; milliseconds, or microseconds since 2025',
  'time,open,high,low,close,Volume                           TradingView: Unix seconds or ISO 8601',
  'Date,Open,High,Low,Close,Adj Close,Volume                 Yahoo: days or ISO 8601; the adjusted close is left out',
  'any other order of these columns                           the time may be called openTime, unix, timestamp, datetime, time or date,',
  '                                                           the volume "Volume BTC": the first column that begins so',
];

const UNIFORM = BAR_COLUMNS.join(',');
const KLINE_WIDTH = 12;
const KLINE_TITLES = ['open time', 'open', 'high', 'low', 'close', 'volume'];

/** Names of the time column, preferred ones first. A file may hold the time twice. */
const TIME_NAMES = ['opentime', 'unix', 'unixtimestamp', 'timestamp', 'datetime', 'time', 'date'];

function plain(title: string): string {
  return title
    .trim()
    .replace(/^"|"$/g, '')
    .toLowerCase()
    .replace(/[\s_-]/g, '');
}

/** Detects the format from the first line, or returns a sentence with the problem. */
export function detectForm(firstLine: string): CandleForm | string {
  const line = firstLine.replace(/^\uFEFF/, '').trim();
  const titles = line.split(',').map((title) => title.trim());
  if (line === UNIFORM) return { name: 'uniform', time: 'milliseconds', width: 6, places: inOrder(), titles, headed: true };
  if (titles.length === KLINE_WIDTH && /^\d+$/.test(titles[0] as string)) return kline(KLINE_TITLES, false);
  const names = titles.map(plain);
  if (titles.length === KLINE_WIDTH && names[0] === 'opentime' && names[6] === 'closetime') return kline(titles, true);
  return headedForm(titles, names);
}

function inOrder(): Readonly<Record<BarColumn, number>> {
  return { openTime: 0, open: 1, high: 2, low: 3, close: 4, volume: 5 };
}

function kline(titles: readonly string[], headed: boolean): CandleForm {
  return { name: 'binance-kline', time: 'by_length', width: KLINE_WIDTH, places: inOrder(), titles, headed };
}

/** Returns the indexes of a column. Some exports append the unit of the volume, base unit first: `Volume BTC,Volume USDT`. */
function findPlaces(names: readonly string[], column: string): number[] {
  const exact = names.flatMap((name, place) => (name === column ? [place] : []));
  if (exact.length > 0 || column !== 'volume') return exact;
  return names.flatMap((name, place) => (name.startsWith('volume') ? [place] : [])).slice(0, 1);
}

function headedForm(titles: readonly string[], names: readonly string[]): CandleForm | string {
  const places: Partial<Record<BarColumn, number>> = {};
  const time = TIME_NAMES.find((name) => names.includes(name));
  if (time === undefined) return `has no column of open times in its header ${JSON.stringify(titles.join(',').slice(0, 120))}`;
  places.openTime = names.indexOf(time);
  for (const column of ['open', 'high', 'low', 'close', 'volume'] as const) {
    const found = findPlaces(names, column);
    if (found.length === 0) return `has no column "${column}" in its header ${JSON.stringify(titles.join(',').slice(0, 120))}`;
    if (found.length > 1) return `has the column "${column}" ${found.length} times`;
    places[column] = found[0] as number;
  }
  return {
    name: 'headed',
    time: 'by_length',
    width: titles.length,
    places: places as Record<BarColumn, number>,
    titles,
    headed: true,
  };
}
