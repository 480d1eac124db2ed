/** Definition of a factor of the declarative form: its parameters, and the conditions that it expands to. */
import type { Fields, FieldValue } from '../values/field.ts';

/** A condition as an author would write it; the manifest reader makes it canonical. */
export interface AuthoredCondition {
  readonly type: string;
  readonly [field: string]: FieldValue;
}

/** The two sides that a factor adds to: entry conditions must all hold, any exit condition suffices. */
export interface Expansion {
  readonly entry: readonly AuthoredCondition[];
  readonly exit: readonly AuthoredCondition[];
}

/** The parameters of a factor as they were read: complete, with defaults. A missing optional one is undefined. */
export type FactorParameters = Readonly<Record<string, FieldValue>>;

/** One factor name of the registry. Parameters are spelled in snake_case, as the declarative form is. */
export interface FactorDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters: Fields;
  /** True if it computes on bars, so that it holds on every timeframe of the strategy or on its own parameter `timeframe`. */
  readonly usesTimeframe: boolean;
  /**
   * @param timeframes the strategy's list, first the one that trades; or the factor's own alone. A factor on bars
   * enters only where every timeframe agrees, and exits on the first.
   */
  readonly expand: (parameters: FactorParameters, timeframes: readonly string[]) => Expansion;
}

/** `{ [field]: value }`, or nothing if the optional parameter is missing. */
export function whenGiven(value: FieldValue | undefined, make: (value: FieldValue) => AuthoredCondition): readonly AuthoredCondition[] {
  return value === undefined ? [] : [make(value)];
}
