/** Reads numbers, money, percentages, durations and dates from English text, for theses and the copilot. */
import { Decimal, type DecimalString, plainDecimal } from './decimal.ts';
import { DAY_MS, type EpochMs } from './time.ts';

/** Units of `value`: `number` without a unit, `thousands` with only a factor ("1.5k"), percent, US dollars, or hours. */
export type Unit = 'number' | 'thousands' | 'percent' | 'usd' | 'hours';

export interface Quantity {
  readonly length: number;
  readonly value: DecimalString;
  readonly unit: Unit;
  /** True if a plus or minus precedes it. */
  readonly signed: boolean;
}

/** A number with two readings, or none. */
export interface UnclearNumber {
  readonly length: number;
  readonly question: string;
}

const FACTORS: Readonly<Record<string, number>> = {
  hundred: 100,
  k: 1_000,
  thousand: 1_000,
  grand: 1_000,
  m: 1_000_000,
  mm: 1_000_000,
  mn: 1_000_000,
  million: 1_000_000,
};

const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

/** Units by their written forms. Basis points are converted to percent. */
const UNITS: readonly (readonly [source: string, unit: Unit, factor: string])[] = [
  ['%|percent|per cent|pct|pc', 'percent', '1'],
  ['basis points?|bps|bp|bips', 'percent', '0.01'],
  ["\\$|(?:us ?)?dollars?(?:' worth)?|usdc?|bucks?|bux", 'usd', '1'],
  ['minutes?|mins?|m', 'hours', '1/60'],
  ['hours?|hrs?|h', 'hours', '1'],
  ['days?|d', 'hours', '24'],
  ['weeks?|wks?|w', 'hours', '168'],
  ['fortnights?', 'hours', '336'],
  ['months?|mo', 'hours', '720'],
  ['years?|yrs?|y', 'hours', '8760'],
];

/** Words of quantities. No token may have such a name. */
export const QUANTITY_WORDS: readonly string[] = [
  ...SMALL,
  ...TENS,
  ...Object.keys(FACTORS),
  ...`half minus plus percent cent pct pc basis points point bps bp bips us dollars dollar usd usdc bucks buck bux
    worth minute minutes min mins hour hours hr hrs h day days d week weeks wk wks w fortnight fortnights month months mo year years yr
    yrs y a an`.split(/\s+/),
];

const SIGN = /([-+]|(?:minus|plus) )?/y;
const CURRENCY = /(?:(?:us)?\$|usdc? ?)/iy;
const DIGITS = /(?:\d+(?:[.,]\d+)*|\.\d+)/y;
const FACTOR = /(?: ?(thousand|million|grand|hundred)| ?(mm|mn|k|m))(?![a-z])/iy;
const UNIT_PATTERNS = UNITS.map(([source, unit, factor]) => [new RegExp(`[ -]?(?:${source})(?![a-z0-9])`, 'iy'), unit, factor] as const);
const HALF = /half(?: an?)?(?= ?(?:percent|per cent|pct|%))/iy;
const QUARTER = /a quarter(?: of a)?(?= percent| per cent| %)/iy;
const NUMBER_WORD = new RegExp(
  `(?:${[...SMALL, ...TENS, 'hundred', 'thousand', 'million', 'grand', 'half', 'quarter', 'an?', 'and'].join('|')})(?![a-z'])`,
  'iy',
);

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Reads a number in words, such as "one hundred and ninety-five", "two and a half", "half a grand", "a thousand". */
function wordsAt(text: string, at: number): { readonly value: Decimal; readonly length: number } | null {
  const quarter = matchAt(QUARTER, text, at);
  if (quarter !== null) return { value: new Decimal('0.25'), length: quarter[0].length };
  const half = matchAt(HALF, text, at);
  if (half !== null) return { value: new Decimal('0.5'), length: half[0].length };
  const words: string[] = [];
  let end = at;
  for (let next = at; ; ) {
    const word = matchAt(NUMBER_WORD, text, next)?.[0];
    if (word === undefined) break;
    words.push(word.toLowerCase());
    end = next + word.length;
    next = /[ -]/.test(text[end] ?? '') ? end + 1 : end;
    if (next === end) break;
  }
  while (words.length > 0) {
    const value = valueOfWords(words);
    if (value !== null) return { value, length: end - at };
    const last = words.pop() as string;
    end -= last.length;
    while (end > at && /[ -]/.test(text[end - 1] ?? '')) end -= 1;
  }
  return null;
}

function valueOfWords(words: readonly string[]): Decimal | null {
  const text = words.join(' ');
  if (/^half an? (?:grand|thousand|million)$/.test(text)) return new Decimal(FACTORS[words[2] as string] as number).div(2);
  const part = text.endsWith(' and a half') ? 0.5 : text.endsWith(' and a quarter') ? 0.25 : 0;
  const plain = part > 0 ? words.slice(0, -3) : words;
  if (plain.length === 0 || plain.at(-1) === 'and' || (plain.length === 1 && /^an?$/.test(plain[0] as string))) return null;
  let total = new Decimal(0);
  let group: number | null = null;
  for (const [i, word] of plain.entries()) {
    const small = SMALL.indexOf(word);
    const tens = TENS.indexOf(word);
    const factor = FACTORS[word];
    if (word === 'and') {
      if (i === 0 || plain[i - 1] !== 'hundred') return null;
    } else if (/^an?$/.test(word)) {
      if (i !== 0) return null;
      group = 1;
    } else if (small >= 0) {
      if (group !== null && (group % (small < 10 ? 10 : 100) !== 0 || small === 0)) return null;
      group = (group ?? 0) + small;
    } else if (tens >= 0) {
      if (group !== null && group % 100 !== 0) return null;
      group = (group ?? 0) + (tens + 2) * 10;
    } else if (factor === 100 && group !== null) group *= 100;
    else if (factor !== undefined && factor > 100 && group !== null) {
      total = total.plus(group * factor);
      group = 0;
    } else return null;
  }
  return total.plus(group ?? 0).plus(part);
}

/** Returns digits as a decimal, or a question if their separators are ambiguous. */
function readDigits(text: string, shown: string, hasFactor: boolean): DecimalString | { readonly question: string } {
  const grouped = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text);
  if (!grouped && !/^\d*(?:\.\d+)?$/.test(text)) return { question: `How is "${shown}" meant? Write numbers such as 1,000 or 1000.50.` };
  if (/^[1-9]\d{0,2}\.\d{3}$/.test(text) && !hasFactor)
    return {
      question: `Does "${shown}" mean ${text.replace('.', ',')} or ${plainDecimal(text)}? Write it without a point that may part thousands.`,
    };
  return text.replaceAll(',', '').replace(/^\./, '0.');
}

function unitAt(text: string, at: number): { readonly unit: Unit; readonly factor: Decimal; readonly length: number } | null {
  for (const [pattern, unit, factor] of UNIT_PATTERNS) {
    const found = matchAt(pattern, text, at);
    if (found === null) continue;
    return { unit, factor: factor === '1/60' ? new Decimal(1).div(60) : new Decimal(factor), length: found[0].length };
  }
  return null;
}

/** Returns the quantity that begins at a place of the text, or null. */
export function quantityAt(text: string, at: number): Quantity | UnclearNumber | null {
  const free = !/[\w%)]/.test(text[at - 1] ?? '');
  const sign = free ? (matchAt(SIGN, text, at)?.[1] ?? '') : '';
  let next = at + sign.length;
  const currency = matchAt(CURRENCY, text, next)?.[0] ?? '';
  next += currency.length;
  const digits = matchAt(DIGITS, text, next)?.[0];
  const words = digits === undefined ? wordsAt(text, next) : null;
  const duration =
    digits === undefined && words === null ? matchAt(/an? (?=(?:hour|day|week|fortnight|month|year)(?![a-z]))/iy, text, next) : null;
  if (digits === undefined && words === null && duration === null) return null;
  next += digits?.length ?? words?.length ?? (duration?.[0].length ?? 0) - 1;
  // "1k5" is 1.5k.
  const tail = digits !== undefined && /^\d+$/.test(digits) ? matchAt(/k(\d{1,2})(?![\w])/iy, text, next) : null;
  const factorMatch = tail ?? (words?.value.gte(1_000) === true ? null : matchAt(FACTOR, text, next));
  const factorWord = tail === null ? (factorMatch?.[1] ?? factorMatch?.[2] ?? '').toLowerCase() : 'k';
  // "30m" without a currency may be minutes: only money abbreviates millions to one letter.
  const bareMillion = factorWord === 'm' && currency === '' && unitAt(text, next + (factorMatch?.[0].length ?? 0))?.unit !== 'usd';
  const factor = factorMatch === null || bareMillion ? null : (FACTORS[factorWord] as number);
  if (factor !== null) next += factorMatch?.[0].length ?? 0;
  const found = unitAt(text, next);
  // "$550 w" is not a number of weeks.
  const unit = found !== null && currency !== '' && found.unit !== 'usd' && !/^[%\w]/.test(text.slice(next)) ? null : found;
  next += unit?.length ?? 0;
  const shown = text.slice(at, next);
  if (/^[a-z\d]/i.test(text.slice(next)) && !/^(?:rsi|ema)/i.test(text.slice(next)) && unit === null && digits !== undefined) return null;
  const read =
    digits === undefined
      ? plainDecimal(words?.value ?? 1)
      : readDigits(tail === null ? digits : `${digits}.${tail[1]}`, shown, factor !== null);
  if (typeof read !== 'string') return { length: next - at, question: read.question };
  if (currency !== '' && unit !== null && unit.unit !== 'usd') return { length: next - at, question: `Is "${shown}" an amount of money?` };
  const minus = /^(?:-|minus)/i.test(sign);
  const value = new Decimal(read)
    .times(factor ?? 1)
    .times(unit?.factor ?? 1)
    .times(minus ? -1 : 1);
  const named: Unit =
    currency !== '' || (words !== null && unit === null && /grand/i.test(shown))
      ? 'usd'
      : (unit?.unit ?? (factor !== null && factor >= 1_000 ? 'thousands' : 'number'));
  if (named === 'usd' && sign !== '') return { length: next - at, question: `An amount has no sign: what does "${shown}" mean?` };
  return { length: next - at, value: plainDecimal(value), unit: named, signed: sign !== '' };
}

/** Reads a text that is exactly one quantity in one of these units. Otherwise returns what is wrong with it. */
export function wholeQuantity(text: string, units: readonly Unit[]): Quantity | { readonly question: string } {
  const given = text.trim();
  const found = quantityAt(given, 0);
  if (found !== null && 'question' in found) return found;
  return found?.length === given.length && units.includes(found.unit) ? found : { question: `${JSON.stringify(text)} is not understood.` };
}

/** Returns the first amount of money in a text in US dollars, null if there is none, or a question if it is unclear. */
export function amountIn(text: string): DecimalString | UnclearNumber | null {
  for (let at = 0; at < text.length; at++) {
    if (/\w/.test(text[at - 1] ?? '')) continue;
    const found = quantityAt(text, at);
    if (found === null) continue;
    if ('question' in found) return found;
    if (found.unit === 'usd' || found.unit === 'thousands') return found.value;
    at += found.length - 1;
  }
  return null;
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const MONTH =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
const WEEKDAYS = 'sun mon tue wed thu fri sat'.split(' ');
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?';
const DATES = {
  iso: /(\d{4})-(\d{2})-(\d{2})(?:t(\d{2}:\d{2}(?::\d{2})?)z)?(?![\w-])/iy,
  dayFirst: new RegExp(`${DAY}(?: of)? (${MONTH})(?:,? (\\d{4}))?(?![\\w])`, 'iy'),
  monthFirst: new RegExp(`(${MONTH}) ${DAY}(?:,? (\\d{4}))?(?![\\w])`, 'iy'),
  weekday: /(?:this |on )?(sun|mon|tues?|wed(?:nes)?|thur?s?|fri|sat(?:ur)?)(?:day)?(?![a-z])/iy,
  endOf: new RegExp(
    `(?:the )?(?:end of|end) (?:the |this )?((?:next )?(?:month|year|week)|${MONTH})(?![a-z])|(year|month)[- ]?end(?![a-z])`,
    'iy',
  ),
};

interface WrittenDate {
  readonly length: number;
  /** Instant of a date in UTC. An ISO date means its first instant, like in a field, a date in words its end. */
  readonly at: EpochMs;
}

/** Returns the end of a calendar day, or null if the month has no such day. */
function endOfDay(year: number, month: number, day: number): EpochMs | null {
  const at = Date.UTC(year, month, day);
  return new Date(at).getUTCMonth() === month ? at + DAY_MS : null;
}

function readDay(month: string, day: string, year: string | undefined, now: EpochMs): EpochMs | null {
  const place = MONTHS.indexOf(month.slice(0, 3).toLowerCase());
  const thisYear = new Date(now).getUTCFullYear();
  if (year !== undefined) return endOfDay(Number(year), place, Number(day));
  const at = endOfDay(thisYear, place, Number(day));
  return at !== null && at > now ? at : endOfDay(thisYear + 1, place, Number(day));
}

function endOfPeriod(word: string, now: EpochMs): EpochMs | null {
  const today = new Date(now);
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth()];
  if (word === 'next year') return Date.UTC(year + 2, 0, 1);
  if (word === 'next month') return Date.UTC(year, month + 2, 1);
  if (word === 'next week') return Date.UTC(year, month, today.getUTCDate() + ((7 - today.getUTCDay()) % 7) + 8);
  if (word === 'year') return Date.UTC(year + 1, 0, 1);
  if (word === 'month') return Date.UTC(year, month + 1, 1);
  if (word === 'week') return Date.UTC(year, month, today.getUTCDate() + ((7 - today.getUTCDay()) % 7) + 1);
  const place = MONTHS.indexOf(word.slice(0, 3));
  return Date.UTC(place < month ? year + 1 : year, place + 1, 1);
}

/** Returns the date that begins at a place of the text, or null. A date without a year is the next one from `now`. */
export function dateAt(text: string, at: number, now: EpochMs): WrittenDate | UnclearNumber | null {
  const answered = (length: number, end: EpochMs | null): WrittenDate | UnclearNumber =>
    end === null || Number.isNaN(end)
      ? { length, question: `"${text.slice(at, at + length)}" is no day of the calendar. Until when is the Take to run?` }
      : { length, at: end };
  const iso = matchAt(DATES.iso, text, at);
  if (iso !== null) {
    const [all, year = '', month = '', day = '', time] = iso;
    const date = endOfDay(Number(year), Number(month) - 1, Number(day));
    return answered(all.length, date === null ? null : Date.parse(`${year}-${month}-${day}T${time ?? '00:00'}Z`));
  }
  const first = matchAt(DATES.dayFirst, text, at);
  if (first !== null) return answered(first[0].length, readDay(first[2] as string, first[1] as string, first[3], now));
  const second = matchAt(DATES.monthFirst, text, at);
  if (second !== null) return answered(second[0].length, readDay(second[1] as string, second[2] as string, second[3], now));
  const end = matchAt(DATES.endOf, text, at);
  if (end !== null) return answered(end[0].length, endOfPeriod((end[1] ?? (end[2] as string)).toLowerCase(), now));
  const weekday = matchAt(DATES.weekday, text, at);
  if (weekday === null) return null;
  const today = new Date(now);
  const ahead = (WEEKDAYS.indexOf((weekday[1] as string).slice(0, 3).toLowerCase()) - today.getUTCDay() + 7) % 7;
  return answered(weekday[0].length, Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + ahead + 1));
}
