/** The settings of this process, read once: what was taken out of the environment is not there a second time. */
import type { SettingProblem } from '../domain/settings/settings-table.ts';
import { type Config, isConfig, readConfig } from './config.ts';

// The very module that the command imported first of all; it comes before TypeScript does, and so without types.
const { takeSecrets } = (await import(new URL('./early-secrets.mjs', import.meta.url).href)) as {
  takeSecrets(): Readonly<Record<string, string>>;
};
let read: Config | readonly SettingProblem[] | null = null;

/** Every setting, or every problem. */
export function readOnce(): Config | readonly SettingProblem[] {
  read ??= readConfig({ ...process.env, ...takeSecrets() });
  return read;
}

/** @throws Error that names every wrong setting, why it is wrong and what would be right. */
export function settings(): Config {
  const result = readOnce();
  if (isConfig(result)) return result;
  throw new Error(result.map(({ sentence }) => sentence).join('\nsevengate: '));
}
