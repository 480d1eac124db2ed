/** Forks a Take: same asset and condition types, with another allocation, slippage budget or thresholds. */
import type { Problem } from '../values/field.ts';
import { isObject } from '../values/field.ts';
import type { ManifestCondition } from '../manifest/manifest.ts';
import type { EpochMs } from '../values/time.ts';
import { buildTake, type ReadTake, type TakeWorld } from './read-take.ts';
import type { Take } from './take.ts';

/** Changes of a fork. A threshold is named `<side>[<index>].<field>`, such as `entry[0].pct`. */
export interface ForkChanges {
  readonly allocationUsd?: string;
  readonly maxSlippageBps?: number;
  readonly thresholds?: Readonly<Record<string, unknown>>;
}

const NAME = /^(entry|exit)\[(\d{1,2})\]\.([A-Za-z]{1,40})$/;

function changed(take: Take, thresholds: Readonly<Record<string, unknown>>, problems: Problem[]): Pick<Take, 'entry' | 'exit'> {
  const sides = { entry: take.entry.map((one) => ({ ...one })), exit: take.exit.map((one) => ({ ...one })) };
  for (const [name, value] of Object.entries(thresholds)) {
    const match = NAME.exec(name);
    const condition =
      match === null ? undefined : (sides[match[1] as 'entry' | 'exit'][Number(match[2])] as Record<string, unknown> | undefined);
    const field = match?.[3] ?? '';
    if (condition === undefined || field === 'type' || !Object.hasOwn(condition, field)) {
      problems.push({
        path: `$.thresholds.${name.slice(0, 60)}`,
        problem: 'names no threshold of the Take',
        allowed: thresholdNames(take).join(', '),
      });
      continue;
    }
    condition[field] = value;
  }
  return sides as { entry: readonly ManifestCondition[]; exit: readonly ManifestCondition[] };
}

/** Returns the names of all thresholds of a Take, in order. */
export function thresholdNames(take: Pick<Take, 'entry' | 'exit'>): string[] {
  return (['entry', 'exit'] as const).flatMap((side) =>
    take[side].flatMap((condition, index) =>
      Object.keys(condition)
        .filter((field) => field !== 'type')
        .map((field) => `${side}[${index}].${field}`),
    ),
  );
}

/**
 * Returns the forked Take, which lives as long from now on as the original from its creation. @param lifeMs Life of the original in
 * milliseconds.
 */
export function forkTake(take: Take, changes: ForkChanges, lifeMs: number, world: TakeWorld): ReadTake {
  const problems: Problem[] = [];
  if (changes.thresholds !== undefined && !isObject(changes.thresholds)) {
    return { ok: false, problems: [{ path: '$.thresholds', problem: 'must be an object', allowed: '{ "entry[0].pct": -3 }' }] };
  }
  const { entry, exit } = changed(take, changes.thresholds ?? {}, problems);
  if (problems.length > 0) return { ok: false, problems };
  const expiresAt: EpochMs = world.now + lifeMs;
  return buildTake(
    {
      symbol: `${take.asset.key}:${take.asset.kind}`,
      entry,
      exit,
      allocationUsd: changes.allocationUsd ?? take.allocationUsd,
      maxSlippageBps: changes.maxSlippageBps ?? take.maxSlippageBps,
      timeframe: take.timeframe,
      expiresAt,
    },
    { ...world, origin: take.origin },
  );
}
