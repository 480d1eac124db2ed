/** Orders the test files: those that wait for full minutes and for pages first, so that all others run beside them. */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { seedOfRun } from './seed.ts';

/** Folders with the longest files, longest first. All others come after them. */
const SLOW_ROOMS = [['/test/journeys/', '/test/web/', '/test/cli/'], ['/test/sandbox/'], ['/test/boot/']] as const;

/** Orders by folder and size alone, not by earlier durations: the same files have the same order on every machine. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rest = largestFirst(files);
    const taken = SLOW_ROOMS.flatMap((rooms) => interleaved(rooms.map((room) => rest.filter(({ moduleId }) => moduleId.includes(room)))));
    const order = [...taken, ...rest.filter((file) => !taken.includes(file))];
    const names = order.map(({ moduleId }) => relative(this.ctx.config.root, moduleId));
    const digest = createHash('sha256').update(names.join('\n')).digest('hex').slice(0, 12);
    this.ctx.logger.log(`seed ${seedOfRun()}, ${names.length} files in the order ${digest}:\n${names.join(' ')}\n`);
    return order;
  }
}

function largestFirst(files: readonly TestSpecification[]): TestSpecification[] {
  const sizes = new Map(files.map(({ moduleId }) => [moduleId, statSync(moduleId).size]));
  const sizeOf = ({ moduleId }: TestSpecification): number => sizes.get(moduleId) ?? 0;
  return [...files].sort((a, b) => sizeOf(b) - sizeOf(a) || (a.moduleId < b.moduleId ? -1 : 1));
}

/** Spreads each list evenly over the result: journeys mostly wait, and page tests keep the processor busy meanwhile. */
function interleaved<Item>(lists: readonly (readonly Item[])[]): Item[] {
  return lists
    .flatMap((list) => list.map((item, at) => ({ item, place: (at + 0.5) / list.length })))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
