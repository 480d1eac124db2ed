/** The settings of a command, or its end in one sentence each. */
import { type Config, isConfig, readConfig } from '../config.ts';

/** @throws Error that names every wrong setting, why it is wrong and what would be right. */
export function settings(): Config {
  const result = readConfig(process.env);
  if (isConfig(result)) return result;
  throw new Error(result.map(({ sentence }) => sentence).join('\nsevengate: '));
}
