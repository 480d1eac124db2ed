/**
 * Takes secrets that are for one process alone out of the environment, before this process starts any other: what it
 * starts inherits its environment. Imported first of all.
 */

const NAMES = ['IDP_AUTHORIZATION_PRIVATE_KEY', 'IDP_APP_SECRET'];

/** @type {Record<string, string>} */
let kept = {};
for (const name of NAMES) {
  const value = process.env[name];
  if (value !== undefined) kept[name] = value;
  delete process.env[name];
}

/** Returns the secrets once. After that the caller keeps them. */
export function takeSecrets() {
  const taken = kept;
  kept = {};
  return taken;
}
