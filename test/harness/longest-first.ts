/** The order of the files: what waits for full minutes and for pages first, so that everything else runs beside it. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Rooms by how long their files run, longest first; what is not named comes after these. */
const SLOW_ROOMS = [['/test/journeys/', '/test/web/'], ['/test/sandbox/'], ['/test/boot/', '/test/cli/']] as const;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rest = await super.sort(files);
    const taken = SLOW_ROOMS.flatMap((rooms) => interleaved(rooms.map((room) => rest.filter(({ moduleId }) => moduleId.includes(room)))));
    return [...taken, ...rest.filter((file) => !taken.includes(file))];
  }
}

/** Each list spread evenly over all of them: journeys mostly wait, and pages keep the processor busy meanwhile. */
function interleaved<Item>(lists: readonly (readonly Item[])[]): Item[] {
  return lists
    .flatMap((list) => list.map((item, at) => ({ item, place: (at + 0.5) / list.length })))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
