/** History that a manifest's rules need and that is missing from part of the stretch a gate requires. */

import type { Stretch } from '../values/stretches.ts';
import { isoTime } from '../values/time.ts';
import type { InstrumentKey } from '../market/venue.ts';
import { figureInWords } from '../values/words.ts';

/** Kinds of history besides bars, which venues tell only of the present; the first two are sources of events. */
export type HistorySource = 'news:wire' | 'news:filings' | 'issuer_mark' | 'pool_liquidity';

export interface MissingHistory {
  readonly instrument: InstrumentKey;
  /** Types of the conditions that look at it. */
  readonly conditions: readonly string[];
  readonly source: HistorySource;
  /** The longest stretch that is missing: a rule on it fails at every slot within. */
  readonly longest: Stretch;
  /** Percent of the gate's stretch that is missing in all. */
  readonly missingPct: number;
  /** Imports the longest stretch. */
  readonly command: string;
}

const SOURCE_WORDS: Readonly<Record<HistorySource, string>> = {
  'news:wire': 'items of the wire',
  'news:filings': 'filings with the regulator',
  issuer_mark: 'marks of the issuer',
  pool_liquidity: 'liquidity of the pools',
};

/** Says what is missing, what fails for it, and which command imports it, in one sentence each. */
export function missingHistoryText({ instrument, conditions, source, longest, missingPct, command }: MissingHistory): string {
  return (
    `${conditions.join(', ')} on ${instrument} ${conditions.length === 1 ? 'looks' : 'look'} at ${SOURCE_WORDS[source]}, of which ` +
    `${figureInWords(missingPct)} % of the backtest's stretch are missing, the longest from ${isoTime(longest.from)} to ${isoTime(longest.to)}: ` +
    `there the rule fails. Import: ${command}`
  );
}
