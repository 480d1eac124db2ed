/** Log of the service: one JSON line per entry on stderr. A line that cannot be written is dropped. */
import pino, { type Logger } from 'pino';
import type { LogLevel } from './log-levels.ts';
import { lossyLines } from './lossy-lines.ts';

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
