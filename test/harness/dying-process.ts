/** Simulated process that dies at a step, before the step's commit or after it and before the caller learns of it. */
import type { Runtime } from '../../actors/runtime/runtime.ts';
import { rounds } from './rounds.ts';

export type Moment = 'before' | 'after';

class Killed extends Error {}

export interface DyingProcess {
  /** Runs the work as one step. Rejects if the process dies at it, or is dead. */
  step<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Runtime whose starts and deliveries are steps. */
  readonly runtime: Runtime;
  isDead(): boolean;
  /** Number of steps begun. */
  steps(): number;
}

/** Creates a process on this runtime that dies at its `at`th step, counted from 0. */
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

/** Returns the result of the work, or null if the process died. */
export async function unlessKilled<Value>(work: Promise<Value>): Promise<Value | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Killed) return null;
    throw error;
  }
}

/**
 * Returns the points of death: each of the first `count` steps before and after its commit in the proof, every second step once in the
 * suite.
 */
export function crashPoints(count: number): (readonly [point: number, when: Moment])[] {
  const moments: readonly Moment[] = ['before', 'after'];
  const isProof = rounds({ suite: 0, proof: 1 }) === 1;
  const points = Array.from({ length: count }, (_, point) => point);
  if (isProof) return points.flatMap((point) => moments.map((when) => [point, when] as const));
  return points.filter((point) => point % 2 === 1).map((point) => [point, moments[((point - 1) / 2) % 2] as Moment] as const);
}
