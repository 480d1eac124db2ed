/** History that a manifest's rules need, and that is missing from part of the period a gate requires. */

import type { Stretch } from '../values/stretches.ts';
import { isoTime } from '../values/time.ts';
import type { InstrumentKey } from '../market/venue.ts';
import { figureInWords } from '../values/words.ts';

/** Kinds of history besides bars. Venues serve only their present values. The first two are sources of events. */
export type HistorySource = 'news:wire' | 'news:filings' | 'issuer_mark' | 'pool_liquidity';

export interface MissingHistory {
  readonly instrument: InstrumentKey;
  /** Types of the conditions that read it. */
  readonly conditions: readonly string[];
  readonly source: HistorySource;
  /** Longest missing period. A rule on it fails at every slot within. */
  readonly longest: Stretch;
  /** Missing part of the gate's period, in percent. */
  readonly missingPct: number;
  /** Command that imports the longest missing period. */
  readonly command: string;
}

const SOURCE_WORDS: Readonly<Record<HistorySource, string>> = {
  'news:wire': 'items of the wire',
  'news:filings': 'filings with the regulator',
  issuer_mark: 'marks of the issuer',
  pool_liquidity: 'liquidity of the pools',
};

/** Describes what is missing, what fails without it, and which command imports it, in one sentence each. */
export function missingHistoryText({ instrument, conditions, source, longest, missingPct, command }: MissingHistory): string {
  return (
    `${conditions.join(', ')} on ${instrument} ${conditions.length === 1 ? 'looks' : 'look'} at ${SOURCE_WORDS[source]}, of which ` +
    `${figureInWords(missingPct)} % of the backtest's stretch are missing, the longest from ${isoTime(longest.from)} to ${isoTime(longest.to)}: ` +
    `there the rule fails. Import: ${command}`
  );
}
