/** Lines to a file descriptor that never hold a process up: one that cannot be written is lost, and counted. */
import { writeSync } from 'node:fs';

/** Maximum attempts to write a line to a slow reader, and the wait of each. */
const TRIES = 20;
const TRY_MS = 5;

const pause = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes lines to a file descriptor and never throws: on a full disk, or where nobody reads any more, a line is dropped. The
 * first line that gets through after that is preceded by one that says how many were lost.
 * @param now the time in ISO 8601, for the line that says how many were lost.
 * @param write replaces writing to the descriptor; answers how many bytes were taken.
 */
export function lossyLines(
  descriptor: number,
  now: () => string,
  write: (bytes: Buffer) => number = (bytes) => writeSync(descriptor, bytes),
): { write(line: string): void } {
  let lost = 0;
  /** A part of a line stands at the end of what was written. */
  let torn = false;
  /** @throws what the system says, once the line cannot be written. A reader that was too slow before is not waited for again. */
  const whole = (line: string): void => {
    let rest = Buffer.from(torn ? `\n${line}` : line);
    for (let tried = lost > 0 ? TRIES : 0; rest.length > 0; ) {
      try {
        rest = rest.subarray(write(rest));
        torn = rest.length > 0;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || ++tried > TRIES) throw error;
        Atomics.wait(pause, 0, 0, TRY_MS);
      }
    }
  };
  return {
    write(line) {
      try {
        if (lost > 0) whole(`${JSON.stringify({ level: 40, time: now(), lost, msg: 'lines of the log were lost' })}\n`);
        lost = 0;
        whole(line);
      } catch {
        lost++;
      }
    },
  };
}
