/** Where the service writes what happens to it: one JSON line each, on stderr. */
import pino, { type Logger } from 'pino';
import type { LogLevel } from './config.ts';

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

export function createLog(level: LogLevel): Logger {
  return pino({ level, base: null, redact: SECRET_PATHS, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
}
