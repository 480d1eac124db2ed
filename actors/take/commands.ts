/** Commands of a Take: the protocol between the API and the Take's actor. */
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import type { ExecutionMode } from '../../src/domain/orders/order.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { Understood } from '../../src/domain/take/compile-thesis.ts';
import type { ForkChanges } from '../../src/domain/take/fork-take.ts';
import type { Take, TakeState } from '../../src/domain/take/take.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { CommandContext } from '../agent/commands.ts';

/** Compiler's reading of a Take. */
export interface TakeReading {
  /** Null if it was given as fields. */
  readonly thesis: string | null;
  readonly understood: readonly Understood[];
  readonly assumed: readonly string[];
  readonly notUnderstood: readonly string[];
  /** Readings of the author's words that must be confirmed when the Take is armed. */
  readonly open: readonly string[];
}

/** A Take as the outside sees it. */
export interface TakeView extends TakeReading {
  readonly id: string;
  readonly state: TakeState;
  /** True while it is evaluated every half minute. */
  readonly onDuty: boolean;
  readonly hash: string;
  readonly take: Take;
  /** Hash of version 1 of its manifest, by which it decides. */
  readonly manifestHash: string;
  readonly symbol: string;
  /** The texts of `open` that its author confirmed when it was armed. */
  readonly confirmed: readonly string[];
  readonly mode: ExecutionMode | null;
  readonly reason: string | null;
  /** The Takes that it was forked from, the first one first. */
  readonly lineage: readonly string[];
  readonly publishedAt: EpochMs | null;
  readonly createdBy: string;
  readonly createdAt: EpochMs;
  readonly armedAt: EpochMs | null;
  readonly changedAt: EpochMs;
}

/** A published Take as every organization may read it: without whose it is, or what it trades. */
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

/** Every command answers after its transaction is committed. A foreign Take answers exactly as a missing one: `not_found`. */
export interface TakeCommands {
  /** Keeps a compiled Take as a draft. */
  create(context: CommandContext, take: Take, reading: TakeReading): Promise<Outcome<TakeView>>;
  /** Creates a draft from the organization's own Take or from anybody's published one. */
  fork(context: CommandContext, takeId: string, changes: ForkChanges): Promise<Outcome<TakeView>>;
  /**
   * Refused if the Take asks for more than the risk mandate of the organization allows; live also if its venue takes no
   * live orders of a Take, if the primary chain needs a wallet and none is delegated to it, and where the organization's
   * live Takes together would be allocated more than its capital.
   */
  /** @param confirmed the texts of `open` that the author accepts. */
  arm(context: CommandContext, takeId: string, mode: ExecutionMode, confirmed?: readonly string[]): Promise<Outcome<TakeView>>;
  disarm(context: CommandContext, takeId: string): Promise<Outcome<TakeView>>;
  /** Has the position sold at the market within the Take's slippage budget; works when it is disarmed and after a halt. */
  close(context: CommandContext, takeId: string): Promise<Outcome<TakeView>>;
  publish(context: CommandContext, takeId: string): Promise<Outcome<TakeView>>;
  /** Creates a Take and arms it in one command: a basis policy. */
  createArmed(context: CommandContext, take: Take, reading: TakeReading, mode: ExecutionMode): Promise<Outcome<TakeView>>;
  /**
   * The manifest of an agent that decides as the Take does. Refused while readings of its words are open.
   * @param confirmed the texts of `open` that the author accepts, besides those that were confirmed when it was armed.
   */
  manifestFor(
    orgId: string,
    takeId: string,
    confirmed?: readonly string[],
  ): Promise<Outcome<{ readonly view: TakeView; readonly manifest: Manifest }>>;
}
