/** premium, gap_to_mark and basis, each _above and _below: a gap between two prices is above or below a percentage. */
import type { InstrumentKind } from '../catalog/catalog.ts';
import type { Observation } from '../market/cut.ts';
import {
  type ConditionDefinition,
  compileNumber,
  type Direction,
  type LiveInputs,
  NO_NEEDS,
  numberField,
  type RuleInput,
} from './condition.ts';

/** Defines a condition that compares a percentage of the observation with its field `pct`. */
function percentCondition(spec: {
  readonly type: string;
  readonly description: string;
  readonly direction: Direction;
  readonly kinds: readonly InstrumentKind[] | null;
  readonly live: LiveInputs;
  readonly inputs: readonly RuleInput[];
  readonly read: (observation: Observation) => number | null;
}): ConditionDefinition {
  return {
    type: spec.type,
    description: spec.description,
    sides: ['entry', 'exit'],
    kinds: spec.kinds,
    inputs: spec.inputs,
    fields: {
      pct: {
        type: 'number',
        min: -1_000,
        max: 1_000,
        description: `Percent; passes strictly ${spec.direction} it. Negative is a discount.`,
      },
    },
    needs: NO_NEEDS,
    compile: (condition, carriedIn) => compileNumber(spec.read, spec.direction, numberField(condition, 'pct'), spec.live, carriedIn),
    threshold: (condition) => numberField(condition, 'pct'),
  };
}

/** Defines a condition on the fair-value gap of a tokenized equity. */
function premium(direction: Direction): ConditionDefinition {
  return percentCondition({
    type: `premium_${direction}`,
    description: `The token price stands ${direction} this premium over the reference price. Needs a live quote and a live reference.`,
    direction,
    kinds: ['tokenized_equity'],
    live: 'quote_and_reference',
    inputs: ['quote', 'reference'],
    read: (observation) => observation.premiumPct,
  });
}

/** Defines a condition on the gap of a pre-IPO token to its issuer mark. */
function gapToMark(direction: Direction): ConditionDefinition {
  return percentCondition({
    type: `gap_to_mark_${direction}`,
    description: `The implied valuation stands ${direction} this gap to the issuer mark. Needs a live quote and a mark that is not over age.`,
    direction,
    kinds: ['pre_ipo'],
    live: 'quote_and_reference',
    inputs: ['quote', 'reference'],
    read: (observation) => observation.gapToMarkPct,
  });
}

/** Defines a condition on the gap of a perpetual's mark to the spot price. */
function basis(direction: Direction): ConditionDefinition {
  return percentCondition({
    type: `basis_${direction}`,
    description: `The asset's perpetual trades ${direction} this basis to spot. Needs a live quote.`,
    direction,
    kinds: ['spot', 'perp'],
    live: 'quote',
    inputs: ['quote', 'perpetual', 'spot'],
    read: (observation) => observation.basisPct,
  });
}

export const PREMIUM_BELOW = premium('below');
export const PREMIUM_ABOVE = premium('above');
export const GAP_TO_MARK_BELOW = gapToMark('below');
export const GAP_TO_MARK_ABOVE = gapToMark('above');
export const BASIS_BELOW = basis('below');
export const BASIS_ABOVE = basis('above');
