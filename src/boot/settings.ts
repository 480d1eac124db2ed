/** Settings of this process, read once, because secrets are removed from the environment. */
import type { SettingProblem } from '../domain/settings/settings-table.ts';
import { type Config, isConfig, readConfig } from './config.ts';

// The same module instance that the command imported first. It runs before TypeScript loads and so has no types.
const { takeSecrets } = (await import(new URL('./early-secrets.mjs', import.meta.url).href)) as {
  takeSecrets(): Readonly<Record<string, string>>;
};
let read: Config | readonly SettingProblem[] | null = null;

/** Returns every setting, or every problem. */
export function readOnce(): Config | readonly SettingProblem[] {
  read ??= readConfig({ ...process.env, ...takeSecrets() });
  return read;
}

/** Returns the settings. @throws Error naming each invalid setting, why it is invalid and what is allowed */
export function settings(): Config {
  const result = readOnce();
  if (isConfig(result)) return result;
  throw new Error(result.map(({ sentence }) => sentence).join('\nsevengate: '));
}
