/** Cause of an unknown input, derived from a record. No hashed byte depends on it. */
import { type IndicatorNeed, indicatorKey, type Observation } from '../market/cut.ts';
import { findIndicator } from '../indicators/index.ts';
import { isSessionKnown, nextRegularOpen } from '../market/session.ts';
import { isoTime, timeframeMs } from '../values/time.ts';
import { type CarriedIn, NOWHERE, OF_THE_SESSION } from './carried-reference.ts';
import { isFreshBar, isQuoteLive, isReferenceReadable, type RuleInput } from './condition.ts';

/** Published causes. Never rename one. */
export const UNKNOWN_CAUSES = [
  'not_observed',
  'no_position',
  'market_closed',
  'feed_down',
  'halted',
  'stale',
  'not_live',
  'missing',
  'one_sided',
  'warming_up',
  'history_missing',
  'source_down',
  'not_computable',
] as const;
type UnknownCause = (typeof UNKNOWN_CAUSES)[number];

export interface UnknownInput {
  /** Unknown input: an input of the rule, an indicator by name (`rsi:14@1h`), or the whole `observation`. */
  readonly input: string;
  readonly cause: UnknownCause;
  /** Time at which the regular session opens. Only with `market_closed`. */
  readonly until?: string;
  /** Closed bars (or hours, for funding) that the indicator needs. Only with `warming_up`. */
  readonly barsNeeded?: number;
  /** Available bars. Absent in records from before bars were counted. */
  readonly bars?: number;
}

/** Inputs of a compiled rule. */
export interface RuleReads {
  readonly inputs: readonly RuleInput[];
  readonly needs: readonly IndicatorNeed[];
  /** Sessions in which the manifest allows a carried reference. */
  readonly carriedIn: CarriedIn;
}

/** Returns the first unknown input of a rule, and its cause. Only for a rule that observed null. */
export function unknownInput(reads: RuleReads, seen: Observation | undefined, isHeld: boolean): UnknownInput {
  if (seen === undefined) return { input: 'observation', cause: 'not_observed' };
  for (const input of reads.inputs) {
    const found = inputCause(input, seen, isHeld, reads.carriedIn);
    if (found !== null) return { input, ...found };
  }
  for (const need of reads.needs) {
    const found = indicatorCause(need, seen);
    if (found !== null) return { input: indicatorKey(need), ...found };
  }
  return { input: reads.inputs[0] ?? 'observation', cause: 'not_computable' };
}

/** Returns the unknown inputs of an observation, each with its cause. A carried reference counts as unknown. */
export function unknownInputs(inputs: readonly Exclude<RuleInput, 'position'>[], seen: Observation): readonly UnknownInput[] {
  return inputs.flatMap((input) => {
    const found = inputCause(input, seen, false, NOWHERE);
    return found === null ? [] : [{ input, ...found }];
  });
}

type Found = Omit<UnknownInput, 'input'> | null;

function inputCause(input: RuleInput, seen: Observation, isHeld: boolean, carriedIn: CarriedIn): Found {
  switch (input) {
    case 'position':
      return isHeld ? null : { cause: 'no_position' };
    case 'calendar':
      return isSessionKnown(seen.slot) ? null : { cause: 'missing' };
    case 'events':
      return seen.events === null ? { cause: 'source_down' } : null;
    case 'pool':
      return seen.liquidityUsd === null ? { cause: 'missing' } : null;
    case 'perpetual':
      return seen.markPrice === null ? { cause: 'missing' } : null;
    case 'spot':
      return seen.basisPct === null ? { cause: 'missing' } : null;
    case 'quote':
      return quoteCause(seen);
    case 'reference':
      if (seen.reference === null) return { cause: 'missing' };
      return isReferenceReadable(seen, carriedIn) ? null : priceCause(seen.reference, seen);
  }
}

function quoteCause(seen: Observation): Found {
  const { quote } = seen;
  if (quote === null) return { cause: 'missing' };
  if (!isQuoteLive(seen)) return priceCause(quote, seen);
  return quote.mid === null ? { cause: 'one_sided' } : null;
}

/** Returns why a price is not live. A fault outranks the closed session, because it would remain if the market were open. */
function priceCause({ quality, flags }: NonNullable<Observation['quote' | 'reference']>, { slot, session }: Observation): Found {
  if (flags.includes('feed_down')) return { cause: 'feed_down' };
  if (quality === 'halted') return { cause: 'halted' };
  const isOfSession = flags.length > 0 && flags.every((flag) => OF_THE_SESSION.has(flag));
  if (isOfSession && session !== 'REGULAR') {
    const opens = isSessionKnown(slot) ? nextRegularOpen(slot) : null;
    return { cause: 'market_closed', ...(opens === null ? {} : { until: isoTime(opens) }) };
  }
  return { cause: quality === 'stale' || quality === 'live' ? 'stale' : 'not_live' };
}

function indicatorCause(need: IndicatorNeed, { slot, indicators }: Observation): Found {
  const found = indicators[indicatorKey(need)];
  if (found === undefined || found.barOpenTime === null) return { cause: 'history_missing' };
  if (!isFreshBar(found.barOpenTime, slot, timeframeMs(need.timeframe) ?? 0)) return { cause: 'stale' };
  const warmUp = findIndicator(need.name).warmUp(need.period);
  // Rules compare an average with that of the previous bar.
  const barsNeeded = need.name === 'ema' ? warmUp + 1 : warmUp;
  if (found.value === null) return { cause: 'warming_up', barsNeeded, ...(found.bars === undefined ? {} : { bars: found.bars }) };
  return need.name === 'ema' && found.previous === null ? { cause: 'warming_up', barsNeeded, bars: warmUp } : null;
}

const NAMES: Readonly<Record<RuleInput, string>> = {
  position: 'position',
  calendar: 'trading calendar',
  events: 'news',
  pool: 'pool',
  perpetual: 'price of the perpetual',
  spot: 'spot price',
  quote: 'quote',
  reference: 'reference price',
};

/** Returns the cause as a clause, such as "the market is closed until 2026-07-20T13:30:00.000Z". */
export function unknownInWords({ input, cause, until, barsNeeded, bars }: UnknownInput): string {
  const name = NAMES[input as RuleInput] ?? input;
  switch (cause) {
    case 'not_observed':
      return 'no market data was received for the instrument';
    case 'no_position':
      return 'there was no position';
    case 'market_closed':
      return until === undefined ? 'the market is closed' : `the market is closed until ${until}`;
    case 'feed_down':
      return `the feed of its ${name} is down`;
    case 'halted':
      return `its ${name} is halted`;
    case 'stale':
      return `its ${name} is stale`;
    case 'not_live':
      return `its ${name} is not live`;
    case 'missing':
      return `there is no ${name}`;
    case 'one_sided':
      return `its ${name} has only one side`;
    case 'warming_up':
      return bars === undefined
        ? `${name} is warming up and needs ${barsNeeded} closed bars`
        : `${name} is warming up: ${bars} of ${barsNeeded} closed bars`;
    case 'history_missing':
      return `the history of ${name} is missing`;
    case 'source_down':
      return `a source of ${name} is down`;
    case 'not_computable':
      return `no value can be computed from its ${name}`;
  }
}
