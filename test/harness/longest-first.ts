/** The order of the files: the journeys first, so that what waits for full minutes does so beside everything else. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Rooms by how long their files run, longest first; what is not named comes after these. */
const SLOW_ROOMS = ['/test/journeys/', '/test/web/', '/test/sandbox/', '/test/boot/'];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const found = SLOW_ROOMS.findIndex((room) => moduleId.includes(room));
      return found < 0 ? SLOW_ROOMS.length : found;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
