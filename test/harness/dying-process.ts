/** A process that dies between two of its steps: before what the step does is committed, or after that and before it is told of it. */
import type { Runtime } from '../../actors/runtime/runtime.ts';
import { rounds } from './rounds.ts';

export type Moment = 'before' | 'after';

class Killed extends Error {}

export interface DyingProcess {
  /** Does the work as one step; rejects where the process dies at it, or has died. */
  step<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Runtime whose starts and deliveries are steps. */
  readonly runtime: Runtime;
  isDead(): boolean;
  /** Number of steps begun. */
  steps(): number;
}

/** A process on this runtime that dies at its `at`th step, counted from 0. */
export function dyingProcess(runtime: Runtime, at: number, when: Moment): DyingProcess {
  let steps = 0;
  let isDead = false;
  async function step<Value>(work: () => Promise<Value>): Promise<Value> {
    if (isDead) throw new Killed('the process is dead');
    const isLast = steps++ === at;
    if (isLast && when === 'before') {
      isDead = true;
      throw new Killed('killed before the commit');
    }
    const value = await work();
    if (isLast) {
      isDead = true;
      throw new Killed('killed after the commit');
    }
    return value;
  }
  return {
    step,
    runtime: {
      ...runtime,
      start: (...given) => step(() => runtime.start(...given)),
      deliver: (...given) => step(() => runtime.deliver(...given)),
    },
    isDead: () => isDead,
    steps: () => steps,
  };
}

/** Returns the work's result, or null if its process died in it. */
export async function unlessKilled<Value>(work: Promise<Value>): Promise<Value | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Killed) return null;
    throw error;
  }
}

/**
 * Returns the points of death: in the proof each of the first `count` steps before and after its commit, in the suite every second step
 * once.
 */
export function crashPoints(count: number): (readonly [point: number, when: Moment])[] {
  const moments: readonly Moment[] = ['before', 'after'];
  const isProof = rounds({ suite: 0, proof: 1 }) === 1;
  const points = Array.from({ length: count }, (_, point) => point);
  if (isProof) return points.flatMap((point) => moments.map((when) => [point, when] as const));
  return points.filter((point) => point % 2 === 1).map((point) => [point, moments[((point - 1) / 2) % 2] as Moment] as const);
}
