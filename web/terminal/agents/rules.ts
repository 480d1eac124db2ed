/** Rules of a manifest as sentences for traders. */
import { forPeople, plain, priceText, readSymbol } from '../../words.js';

export interface Condition {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Canonical manifest, as the service stores it. */
export interface Rules {
  readonly universe: readonly { readonly key: string; readonly kind: string }[];
  readonly timeframe: string;
  readonly entry: readonly Condition[];
  readonly exit: readonly Condition[];
  readonly maxCapitalUsd: string;
  readonly maxTradeNotionalUsd: string;
  readonly maxLeverage: string;
  readonly stopLossPct: number;
  readonly takeProfitPct: number;
  readonly maxDailyDrawdownPct: number;
  readonly maxOpenPositions: number;
  readonly maxSlippageBps: number;
  readonly strategy?: { readonly kind: 'external'; readonly release: string };
}

/** A part in brackets is shown only if its field exists. */
const SENTENCES: Readonly<Record<string, string>> = {
  premium_below: 'the premium to the share is below {pct} %',
  premium_above: 'the premium to the share is above {pct} %',
  gap_to_mark_below: 'the gap to the issuer’s mark is below {pct} %',
  gap_to_mark_above: 'the gap to the issuer’s mark is above {pct} %',
  basis_below: 'the basis of the perpetual is below {pct} %',
  basis_above: 'the basis of the perpetual is above {pct} %',
  rsi_below: 'RSI {period} is below {value}[ on {timeframe} bars]',
  rsi_above: 'RSI {period} is above {value}[ on {timeframe} bars]',
  ema_cross_up: 'EMA {fast} crosses above EMA {slow}[ on {timeframe} bars]',
  ema_cross_down: 'EMA {fast} crosses below EMA {slow}[ on {timeframe} bars]',
  ema_above: 'EMA {fast} is above EMA {slow}[ on {timeframe} bars]',
  ema_below: 'EMA {fast} is below EMA {slow}[ on {timeframe} bars]',
  volatility_below: 'volatility over {period} bars is below {pct} %[ on {timeframe} bars]',
  funding_percentile_below: 'funding is below percentile {percentile} of {windowDays} days',
  funding_percentile_above: 'funding is above percentile {percentile} of {windowDays} days',
  no_negative_event: 'no bad news of severity {minSeverity} or worse came in {lookbackHours} hours[ (rumors count: {includeRumors})]',
  negative_event: 'bad news of severity {minSeverity} or worse came in {lookbackHours} hours[ (rumors count: {includeRumors})]',
  session_in: 'the US session is {sessions}[ (carried reference: {carriedReference})]',
  liquidity_above: 'the pool holds more than ${usd}',
  price_above: 'the price is above ${price}',
  price_below: 'the price is below ${price}',
  net_edge_above: 'the net edge at ${notionalUsd} is above {bps} bps[ after a transfer fee of {transferFeeBps} bps]',
  reference_lost: 'the reference price is lost',
  take_profit: 'the gain reaches {pct} %',
  stop_loss: 'the loss reaches {pct} %',
  held_longer_than: 'it has been held longer than {hours} hours',
};

/** Describes one condition: `RSI 14 is below 30 on 5m bars`. An unknown type is shown by its name and fields. */
export function conditionSentence({ type, ...fields }: Condition): string {
  const sentence = SENTENCES[type];
  if (sentence === undefined)
    return [plain(type), ...Object.entries(fields).map(([name, value]) => `${name} ${formatValue(value)}`)].join(' ');
  const filled = (text: string): string => text.replace(/\{(\w+)\}/g, (_, name: string) => formatValue(fields[name]));
  return filled(sentence.replace(/\[([^\]]*)\]/g, (_, part: string) => (isSaid(part, fields) ? part : '')));
}

const isSaid = (part: string, fields: Readonly<Record<string, unknown>>): boolean => {
  const value = fields[/\{(\w+)\}/.exec(part)?.[1] ?? ''];
  return value !== undefined && value !== '';
};

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => plain(String(one)).toLowerCase()).join(' or ');
  if (value === true || value === 'true') return 'yes';
  if (value === false || value === 'false') return 'no';
  return value === undefined || value === '' ? '…' : plain(String(value));
}

/** Replaces each condition in a text of the service, such as `price_below price=20000`, with its sentence. */
export function readingText(text: string): string {
  const sentences = text.replace(/\b([a-z]+(?:_[a-z]+)+)((?: \w+=[^\s,;:?]+)+)/g, (_, type: string, fields: string) => {
    const pairs = fields
      .trim()
      .split(' ')
      .map((field) => field.split('=') as [string, string]);
    return conditionSentence({ type, ...Object.fromEntries(pairs.map(([name, value]) => [name, value.split('|')])) });
  });
  return forPeople(sentences);
}

/** Describes what the agent trades, when it buys and sells, and its limits. */
export function rulesSentences(rules: Rules): readonly string[] {
  const { universe, timeframe, maxTradeNotionalUsd, maxCapitalUsd, maxLeverage, maxOpenPositions, maxDailyDrawdownPct, maxSlippageBps } =
    rules;
  const leverage = maxLeverage === '1' ? '' : ` Leverage is at most ${maxLeverage}.`;
  return [
    `It watches ${universe.map(({ key }) => readSymbol(key)).join(', ') || 'nothing yet'} on ${timeframe} bars.`,
    `One order is at most $${priceText(maxTradeNotionalUsd)} of $${priceText(maxCapitalUsd)} capital, ${maxOpenPositions === 1 ? 'one position' : `${maxOpenPositions} positions`} at once.${leverage}`,
    `Slippage is at most ${maxSlippageBps} bps. A day that loses ${maxDailyDrawdownPct} % pauses it.`,
  ];
}
