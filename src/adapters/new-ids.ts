/** Creates UUIDv7 ids from the clock's time and batches of random bytes. */
import { randomFillSync } from 'node:crypto';
import type { Clock } from '../../streams/clock/clock.ts';
import { uuidV7 } from '../domain/values/ids.ts';

const BYTES_PER_ID = 10;
const DRAWN_AT_ONCE = 512;

/** Creates a source of ids. Random bytes are drawn in batches, because drawing ten per id costs several times the rest. */
export function createNewIds(clock: Pick<Clock, 'now'>): () => string {
  const drawn = new Uint8Array(BYTES_PER_ID * DRAWN_AT_ONCE);
  let used = drawn.length;
  return () => {
    if (used === drawn.length) {
      randomFillSync(drawn);
      used = 0;
    }
    const id = uuidV7(clock.now(), drawn.subarray(used, used + BYTES_PER_ID));
    used += BYTES_PER_ID;
    return id;
  };
}
