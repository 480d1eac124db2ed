/** Base of the factors premium, gap_to_mark and basis: enter below one percentage, exit above another. */
import { type FactorDefinition, whenGiven } from './factor.ts';

export function percentageFactor(name: 'premium' | 'gap_to_mark' | 'basis', description: string): FactorDefinition {
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
