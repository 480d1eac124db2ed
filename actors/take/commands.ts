/** Commands of a Take, as the API calls them. */
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import type { ExecutionMode } from '../../src/domain/orders/order.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { Understood } from '../../src/domain/take/compile-thesis.ts';
import type { ForkChanges } from '../../src/domain/take/fork-take.ts';
import type { Take, TakeState } from '../../src/domain/take/take.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { CommandContext } from '../agent/commands.ts';

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

/** Commands of Takes. Each answers after its transaction has committed. Takes of another organization are `not_found`. */
export interface TakeCommands {
  /** Stores a compiled Take as a draft. */
  create(context: CommandContext, take: Take, reading: TakeReading): Promise<Outcome<TakeView>>;
  /** Creates a draft from the organization's own Take or any published one. */
  fork(context: CommandContext, takeId: string, changes: ForkChanges): Promise<Outcome<TakeView>>;
  /**
   * Arms a Take. Refuses if it exceeds the organization's risk mandate. A live arming also needs a venue that accepts live orders of Takes,
   * a delegated wallet for the primary chain, and capital that the organization's live Takes do not use yet. @param confirmed Texts of
   * `open` that the author accepts.
   */
  arm(context: CommandContext, takeId: string, mode: ExecutionMode, confirmed?: readonly string[]): Promise<Outcome<TakeView>>;
  disarm(context: CommandContext, takeId: string): Promise<Outcome<TakeView>>;
  /** Sells the position at the market within the Take's slippage budget. Works on a disarmed Take and after a halt. */
  close(context: CommandContext, takeId: string): Promise<Outcome<TakeView>>;
  publish(context: CommandContext, takeId: string): Promise<Outcome<TakeView>>;
  /** Creates a Take and arms it in one command, for a basis policy. */
  createArmed(context: CommandContext, take: Take, reading: TakeReading, mode: ExecutionMode): Promise<Outcome<TakeView>>;
  /**
   * Returns the manifest of an agent that decides like the Take. Refuses while readings of its words are open. @param confirmed Texts of
   * `open` that the author accepts, besides those confirmed at the arming.
   */
  manifestFor(
    orgId: string,
    takeId: string,
    confirmed?: readonly string[],
  ): Promise<Outcome<{ readonly view: TakeView; readonly manifest: Manifest }>>;
}
