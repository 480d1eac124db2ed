/** Risk preferences on the wire. */
import { Type } from 'typebox';
import type { PreferencesView } from '../../../actors/risk-preferences/commands.ts';
import { DEFAULT_PREFERENCES } from '../../../src/domain/risk/index.ts';
import { nullable, Time } from '../../shapes.ts';

/** Money of at most 13 whole digits and micro-dollars. */
const Money = (description: string, value: string) => Type.String({ pattern: '^\\d{1,13}(\\.\\d{1,6})?$', description, examples: [value] });
const Percent = (description: string, value: number, maximum = 100) => Type.Number({ minimum: 0, maximum, description, examples: [value] });

/** Every preference. None has a default in a request: a limit that was left out must not become looser than it was. */
export const preferenceFields = {
  maxCapitalUsd: Money('Most capital that one book may have in positions, in US dollars.', DEFAULT_PREFERENCES.maxCapitalUsd),
  maxTradeNotionalUsd: Money('Largest notional of one order, in US dollars.', DEFAULT_PREFERENCES.maxTradeNotionalUsd),
  maxLeverage: Type.String({
    pattern: '^(100(\\.0{1,4})?|\\d{1,2}(\\.\\d{1,4})?)$',
    description: "Highest ratio of a book's exposure to its equity, at most 100.",
    examples: [DEFAULT_PREFERENCES.maxLeverage],
  }),
  maxDailyDrawdownPct: Percent(
    "Loss of a UTC day, in percent of the day's first equity, above which a book buys nothing more.",
    DEFAULT_PREFERENCES.maxDailyDrawdownPct,
  ),
  maxOpenPositions: Type.Integer({
    minimum: 0,
    maximum: 1_000,
    description: 'Most positions that one book may have open.',
    examples: [DEFAULT_PREFERENCES.maxOpenPositions],
  }),
  maxSlippageBps: Type.Number({
    minimum: 0,
    maximum: 10_000,
    description: 'How far a limit price may lie beyond the executable price, in basis points.',
    examples: [DEFAULT_PREFERENCES.maxSlippageBps],
  }),
  maxPositionWeightPct: Percent(
    'Most that one instrument may be over all books of a mode, in percent of their equity.',
    DEFAULT_PREFERENCES.maxPositionWeightPct,
    10_000,
  ),
  maxUnderlyingWeightPct: Percent(
    'Most that one underlying may be where several instruments give exposure to it, in percent of the equity of the books of a mode.',
    DEFAULT_PREFERENCES.maxUnderlyingWeightPct,
    10_000,
  ),
  maxPoolSharePct: Percent("Most that a position may be of its pool's liquidity, in percent.", DEFAULT_PREFERENCES.maxPoolSharePct),
  requireLiveReference: Type.Boolean({
    description: 'True: nothing with a reference price is bought without a live one, whatever its rules look at.',
    examples: [DEFAULT_PREFERENCES.requireLiveReference],
  }),
  reduceOnly: Type.Boolean({ description: 'True: nothing is bought at all.', examples: [DEFAULT_PREFERENCES.reduceOnly] }),
};

export const RiskPreferencesBody = Type.Object(
  {
    version: Type.Integer({ minimum: 0, description: 'Counts the changes; 0 while the defaults hold.' }),
    ...preferenceFields,
    setBy: nullable('string', 'Member who set them, or null for the defaults.'),
    setAt: Type.Unsafe<string | null>({ ...Time, type: ['string', 'null'] }),
  },
  { $id: 'RiskPreferences', description: 'The stricter of these and of the manifest holds for every order.' },
);

export function preferencesBody({ version, preferences, setBy, setAt }: PreferencesView) {
  return { version, ...preferences, setBy, setAt };
}
