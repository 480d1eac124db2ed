/** Missing history of a backtest, on the wire. */
import { Type } from 'typebox';
import { type MissingHistory, missingHistoryText } from '../../../../src/domain/backtest/missing-history.ts';
import { isoTime } from '../../../../src/domain/values/time.ts';
import { choice, Time } from '../../../shapes.ts';

export const MissingHistoryBody = Type.Object(
  {
    instrument: Type.String(),
    conditions: Type.Array(Type.String(), { description: 'Types of the conditions that look at it.' }),
    source: choice(['news:wire', 'news:filings', 'issuer_mark', 'pool_liquidity'], 'Missing source.'),
    from: Type.Unsafe<string>({ ...Time, description: 'The longest stretch that is missing: the conditions fail at every slot within.' }),
    to: Time,
    missingPct: Type.Number({ description: "Percent of the backtest's stretch that is missing in all." }),
    command: Type.String({ description: 'Imports the longest stretch; what stands in angle brackets is a file of yours.' }),
    text: Type.String({ description: 'All of it in one sentence.' }),
  },
  { $id: 'MissingHistory' },
);

export function missingHistoryBody(missing: MissingHistory) {
  const { instrument, conditions, source, longest, missingPct, command } = missing;
  return {
    instrument,
    conditions: [...conditions],
    source,
    from: isoTime(longest.from),
    to: isoTime(longest.to),
    missingPct,
    command,
    text: missingHistoryText(missing),
  };
}
