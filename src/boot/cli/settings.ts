/** The settings of a command, or its end in one sentence each. */
import { type Config, isConfig, readConfig } from '../config.ts';

// The very module that the command imported first of all; it comes before TypeScript does, and so without types.
const { takeSecrets } = (await import(new URL('../early-secrets.mjs', import.meta.url).href)) as {
  takeSecrets(): Readonly<Record<string, string>>;
};

/** @throws Error that names every wrong setting, why it is wrong and what would be right. */
export function settings(): Config {
  const result = readConfig({ ...process.env, ...takeSecrets() });
  if (isConfig(result)) return result;
  throw new Error(result.map(({ sentence }) => sentence).join('\nsevengate: '));
}
