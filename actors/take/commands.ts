/** Commands of a Take, as the API calls them. */
import type { ExecutionMode } from '../../src/domain/orders/order.ts';
import type { Understood } from '../../src/domain/take/compile-thesis.ts';
import type { Take, TakeState } from '../../src/domain/take/take.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';

/** The compiler's reading of a Take. */
export interface TakeReading {
  /** Null if it was given as fields. */
  readonly thesis: string | null;
  readonly understood: readonly Understood[];
  readonly assumed: readonly string[];
  readonly notUnderstood: readonly string[];
  /** Readings of the author's words that must be confirmed at the arming. */
  readonly open: readonly string[];
}

export interface TakeView extends TakeReading {
  readonly id: string;
  readonly state: TakeState;
  /** True while it is evaluated every half minute. */
  readonly onDuty: boolean;
  readonly hash: string;
  readonly take: Take;
  /** Hash of version 1 of its manifest, which its decisions use. */
  readonly manifestHash: string;
  readonly symbol: string;
  /** Texts of `open` that its author confirmed at the arming. */
  readonly confirmed: readonly string[];
  readonly mode: ExecutionMode | null;
  readonly reason: string | null;
  /** Ids of the Takes that it was forked from, oldest first. */
  readonly lineage: readonly string[];
  readonly publishedAt: EpochMs | null;
  readonly createdBy: string;
  readonly createdAt: EpochMs;
  readonly armedAt: EpochMs | null;
  readonly changedAt: EpochMs;
}

/** A published Take, readable by every organization. It shows neither its owner nor its trades. */
export interface PublishedTake extends TakeReading {
  readonly id: string;
  readonly hash: string;
  readonly take: Take;
  readonly manifestHash: string;
  readonly symbol: string;
  readonly lineage: readonly string[];
  readonly createdAt: EpochMs;
  readonly publishedAt: EpochMs;
}
