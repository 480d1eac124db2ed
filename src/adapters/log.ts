/** Log of the service: one JSON line per entry, on stderr. A line that cannot be written is lost, and nothing else. */
import pino, { type Logger } from 'pino';
import type { LogLevel } from './log-levels.ts';
import { lossyLines } from './lossy-lines.ts';

export type { Logger } from 'pino';

/** Secrets that pass through by accident are blanked by their names. */
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
/** @param descriptor what is written to: stderr unless told. */
export function createLog(level: LogLevel, descriptor = 2): Logger {
  return pino(
    { level, base: null, redact: SECRET_PATHS, timestamp: pino.stdTimeFunctions.isoTime },
    lossyLines(descriptor, () => new Date().toISOString()),
  );
}
