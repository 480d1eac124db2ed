/** Request and response of a curve launch. */
import { type Static, Type } from 'typebox';
import { type CurveWish, wishProblem } from '../../../src/domain/launch/curve/config.ts';
import { PRESET_KEYS, presetOf } from '../../../src/domain/launch/presets.ts';
import { listedObjection } from '../../../src/domain/launch/quote-mint.ts';
import type { QuoteToken } from '../../../src/domain/launch/quote-tokens.ts';
import { type Outcome, refuse } from '../../../src/domain/values/refusal.ts';
import { TOKEN_2022 } from '../../../src/domain/solana/programs.ts';
import type { LaunchQuotes } from '../../../src/trading/launch-quotes.ts';
import { choice, DecimalText, nullable, objectOf } from '../../shapes.ts';
import { malformed } from '../../http/strict-json.ts';

export const PresetWord = choice(PRESET_KEYS);

const DEFAULT_SUPPLY = '1000000000';
const DEFAULT_DECIMALS = 6;

/** Fields of every request that describes a curve. */
export const CURVE_FIELDS = {
  preset: PresetWord,
  quoteMint: Type.String({
    pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
    description: 'The mint that the token is bought with: the native coin (wrapped), the stablecoin, a tokenized share or a pre-IPO token.',
  }),
  startingFdv: Type.String({
    pattern: '^\\d{1,15}(\\.\\d{1,9})?$',
    description:
      'Fully diluted value at the start, in whole quote tokens (raw units over 10^decimals, before any multiplier of the issuer).',
  }),
  totalSupply: Type.Optional(
    Type.String({ pattern: '^[1-9]\\d{0,18}$', description: `Whole tokens; ${DEFAULT_SUPPLY} where it is left out.` }),
  ),
  decimals: Type.Optional(
    Type.Integer({ minimum: 6, maximum: 9, description: `Decimals of the new token. Default: ${DEFAULT_DECIMALS}.` }),
  ),
};
const CurveFields = objectOf(CURVE_FIELDS);

/** A request, and the token it is quoted in. */
interface QuotedWish {
  readonly wish: CurveWish;
  readonly token: QuoteToken;
}

/** Reads the request. @throws InputError if a number is out of range. */
export function quotedWish(quotes: LaunchQuotes, body: Static<typeof CurveFields>): Outcome<QuotedWish> {
  const { preset, startingFdv, totalSupply = DEFAULT_SUPPLY, decimals = DEFAULT_DECIMALS } = body;
  const problem = wishProblem({ startingFdv, totalSupply, decimals });
  if (problem !== null) {
    const [path = '$', said = problem] = problem.split(/: (.*)/s);
    throw malformed(path, said, 'values that a curve can hold');
  }
  const token = quotes.token(body.quoteMint);
  if (token === null)
    return refuse(
      'launch_refused',
      `${body.quoteMint} cannot be a quote token: use the native coin, the stablecoin, a tokenized stock or a pre-IPO token`,
    );
  return {
    ok: true,
    value: { wish: { preset: presetOf(preset), startingFdv, totalSupply, decimals, quoteDecimals: token.decimals }, token },
  };
}

export const QuoteTokenBody = Type.Object(
  {
    mint: Type.String(),
    symbol: Type.String(),
    kind: choice(['native', 'stable', 'tokenized_equity', 'pre_ipo']),
    decimals: Type.Integer(),
    multiplier: Type.Number({ description: 'UI units of one whole token.' }),
    needsBadge: Type.Boolean({
      description: 'The program takes the mint with a token badge only; the chain is asked when the launch is prepared.',
    }),
    refusedBecause: nullable('string', 'Reason the program would refuse this quote token; null if none is known.'),
    programError: nullable('integer', "The program's own number for that."),
  },
  { $id: 'LaunchQuoteToken' },
);

export function quoteTokenBody(token: QuoteToken): Static<typeof QuoteTokenBody> {
  const objection = listedObjection(token);
  const { mint, symbol, kind, decimals, multiplier } = token;
  return {
    mint,
    symbol,
    kind,
    decimals,
    multiplier,
    needsBadge: token.program === TOKEN_2022,
    refusedBecause: objection?.detail ?? null,
    programError: objection?.code ?? null,
  };
}

export const LadderBody = Type.Array(Type.Object({ fillPct: Type.Number(), price: DecimalText, sold: DecimalText }), {
  description: 'Ten steps: the price of one token in whole quote tokens, and how many tokens are sold until there.',
});
