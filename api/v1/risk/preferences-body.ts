/** Risk preferences on the wire. */
import { Type } from 'typebox';
import type { PreferencesView } from '../../../actors/risk-preferences/commands.ts';
import { DEFAULT_PREFERENCES } from '../../../src/domain/risk/index.ts';
import { nullable, Time } from '../../shapes.ts';

/** Returns the schema of money with up to 13 whole digits and micro-dollars. */
const Money = (description: string, value: string) => Type.String({ pattern: '^\\d{1,13}(\\.\\d{1,6})?$', description, examples: [value] });
const Percent = (description: string, value: number, maximum = 100) => Type.Number({ minimum: 0, maximum, description, examples: [value] });

/** All preferences. None has a default in a request, because an omitted limit must not become looser. */
export const preferenceFields = {
  maxCapitalUsd: Money('Max capital of one book in positions, in US dollars.', DEFAULT_PREFERENCES.maxCapitalUsd),
  maxTradeNotionalUsd: Money('Max order size, in US dollars.', DEFAULT_PREFERENCES.maxTradeNotionalUsd),
  maxLeverage: Type.String({
    pattern: '^(100(\\.0{1,4})?|\\d{1,2}(\\.\\d{1,4})?)$',
    description: "Highest ratio of a book's exposure to its equity, at most 100.",
    examples: [DEFAULT_PREFERENCES.maxLeverage],
  }),
  maxDailyDrawdownPct: Percent(
    'Max daily loss, in percent of the equity at the start of the UTC day. A book that lost more can only sell.',
    DEFAULT_PREFERENCES.maxDailyDrawdownPct,
  ),
  maxOpenPositions: Type.Integer({
    minimum: 0,
    maximum: 1_000,
    description: 'Max open positions of one book.',
    examples: [DEFAULT_PREFERENCES.maxOpenPositions],
  }),
  maxSlippageBps: Type.Number({
    minimum: 0,
    maximum: 10_000,
    description: 'Max distance of a limit price from the executable price, in basis points.',
    examples: [DEFAULT_PREFERENCES.maxSlippageBps],
  }),
  maxPositionWeightPct: Percent(
    'Max weight of one instrument over all books of a mode, in percent of their equity.',
    DEFAULT_PREFERENCES.maxPositionWeightPct,
    10_000,
  ),
  maxUnderlyingWeightPct: Percent(
    'Max weight of one underlying that several instruments give exposure to, in percent of the equity of the books of a mode.',
    DEFAULT_PREFERENCES.maxUnderlyingWeightPct,
    10_000,
  ),
  maxPoolSharePct: Percent("Max share of a position in its pool's liquidity, in percent.", DEFAULT_PREFERENCES.maxPoolSharePct),
  requireLiveReference: Type.Boolean({
    description: 'If true, an instrument with a reference price is bought only while that reference is live.',
    examples: [DEFAULT_PREFERENCES.requireLiveReference],
  }),
  reduceOnly: Type.Boolean({ description: 'If true, no buys are allowed.', examples: [DEFAULT_PREFERENCES.reduceOnly] }),
};

export const RiskPreferencesBody = Type.Object(
  {
    version: Type.Integer({ minimum: 0, description: 'Counts the changes; 0 while the defaults hold.' }),
    ...preferenceFields,
    setBy: nullable('string', 'Member who set them, or null for the defaults.'),
    setAt: Type.Unsafe<string | null>({ ...Time, type: ['string', 'null'] }),
  },
  { $id: 'RiskPreferences', description: 'Every order must meet these limits and those of its manifest.' },
);

export function preferencesBody({ version, preferences, setBy, setAt }: PreferencesView) {
  return { version, ...preferences, setBy, setAt };
}
