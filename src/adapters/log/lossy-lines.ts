/** Writes lines to a file descriptor without blocking the process; lines that cannot be written are counted and dropped. */
import { writeSync } from 'node:fs';

/** Maximum attempts per line for a slow reader; the wait between them follows. */
const TRIES = 20;
const TRY_MS = 5;

const pause = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes lines to a file descriptor and never throws: a line is dropped on a full disk or a closed pipe. The next written line is preceded
 * by one with the number of dropped lines. @param now time in ISO 8601 for that line @param write replaces writing to the descriptor;
 * returns the number of written bytes
 */
export function lossyLines(
  descriptor: number,
  now: () => string,
  write: (bytes: Buffer) => number = (bytes) => writeSync(descriptor, bytes),
): { write(line: string): void } {
  let lost = 0;
  /** True if the last line was written only partly. */
  let torn = false;
  /** @throws the system's error if the line cannot be written. Does not wait for a reader that was too slow before. */
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
