/** Log of the service: one JSON line per entry on stderr. A line that cannot be written is dropped. */
import pino, { type Logger } from 'pino';
import type { LogLevel } from './log-levels.ts';
import { writeSync } from 'node:fs';

export type { Logger } from 'pino';

/** Names of fields that are redacted. */
const SECRET_PATHS = [
  'token',
  'password',
  'authorization',
  '*.token',
  '*.password',
  '*.authorization',
  'headers.cookie',
  '*.headers.cookie',
];
/** @param descriptor file descriptor to write to; default stderr */
export function createLog(level: LogLevel, descriptor = 2): Logger {
  return pino(
    { level, base: null, redact: SECRET_PATHS, timestamp: pino.stdTimeFunctions.isoTime },
    lossyLines(descriptor, () => new Date().toISOString()),
  );
}

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
