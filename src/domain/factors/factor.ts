/** Defines a factor of the declarative form: its parameters, and the conditions it expands to. */
import type { Fields, FieldValue } from '../values/field.ts';

/** A condition as an author writes it. The manifest reader makes it canonical. */
interface AuthoredCondition {
  readonly type: string;
  readonly [field: string]: FieldValue;
}

/** Conditions that a factor adds to both sides: all entry conditions must hold, any exit condition suffices. */
export interface Expansion {
  readonly entry: readonly AuthoredCondition[];
  readonly exit: readonly AuthoredCondition[];
}

/** Parameters of a factor as read: complete, with defaults. A missing optional one is undefined. */
export type FactorParameters = Readonly<Record<string, FieldValue>>;

/** A factor of the registry. Parameters are in snake_case, like the declarative form. */
export interface FactorDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters: Fields;
  /** True if it computes on bars, so that it applies to every timeframe of the strategy or to its own parameter `timeframe`. */
  readonly usesTimeframe: boolean;
  /**
   * Expands the factor. @param timeframes The strategy's list, the traded one first, or only the factor's own. A factor on bars enters only
   * if every timeframe agrees, and exits on the first.
   */
  readonly expand: (parameters: FactorParameters, timeframes: readonly string[]) => Expansion;
}

/** Returns `{ [field]: value }`, or nothing if the optional parameter is missing. */
export function whenGiven(value: FieldValue | undefined, make: (value: FieldValue) => AuthoredCondition): readonly AuthoredCondition[] {
  return value === undefined ? [] : [make(value)];
}
