/**
 * Removes secrets of this process from the environment, before it starts child processes, which inherit the environment. Must be imported
 * first.
 */

const NAMES = ['IDP_AUTHORIZATION_PRIVATE_KEY', 'IDP_APP_SECRET'];

/** @type {Record<string, string>} */
let kept = {};
for (const name of NAMES) {
  const value = process.env[name];
  if (value !== undefined) kept[name] = value;
  delete process.env[name];
}

/** Returns the secrets once; the caller keeps them. */
export function takeSecrets() {
  const taken = kept;
  kept = {};
  return taken;
}
