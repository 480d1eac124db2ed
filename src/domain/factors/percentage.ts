/** The factors premium, gap_to_mark and basis: enter below one percentage, exit above another. */
import { type FactorDefinition, whenGiven } from './factor.ts';

function percentageFactor(name: 'premium' | 'gap_to_mark' | 'basis', description: string): FactorDefinition {
  return {
    name,
    description,
    parameters: {
      max_pct: {
        type: 'number',
        min: -1_000,
        max: 1_000,
        description: 'Percent below which the factor lets a trade enter; negative is a discount.',
      },
      exit_pct: { type: 'number', min: -1_000, max: 1_000, optional: true, description: 'Percent above which the factor exits.' },
    },
    usesTimeframe: false,
    expand: ({ max_pct, exit_pct }) => ({
      entry: [{ type: `${name}_below`, pct: max_pct as number }],
      exit: whenGiven(exit_pct, (pct) => ({ type: `${name}_above`, pct })),
    }),
  };
}

export const PREMIUM_FACTOR = percentageFactor(
  'premium',
  'Enters while the fair-value gap of a tokenized equity lies below max_pct, exits above exit_pct where it is given.',
);

export const GAP_TO_MARK_FACTOR = percentageFactor(
  'gap_to_mark',
  'Enters while the gap of a pre-IPO token to its issuer mark lies below max_pct, exits above exit_pct where it is given.',
);

export const BASIS_FACTOR = percentageFactor(
  'basis',
  "Enters while the perpetual's basis to spot lies below max_pct, exits above exit_pct where it is given.",
);
