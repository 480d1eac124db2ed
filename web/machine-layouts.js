/** The layouts of state machines, each read once: machines do not change while the service runs. */
import { read } from './http.js';

/** @type {Map<string, Promise<import('./wire.ts').Layout>>} */
const layouts = new Map();

/**
 * @param {string} machine The machine and its version, for example `agent@1`.
 * @returns {Promise<import('./wire.ts').Layout>} Rejects with a `Refused` where this version of the service has no such machine.
 */
export function layoutOf(machine) {
  let layout = layouts.get(machine);
  if (layout === undefined) {
    layout = read(`/v1/machines/${encodeURIComponent(machine)}/layout`);
    layouts.set(machine, layout);
    layout.catch(() => layouts.delete(machine));
  }
  return layout;
}
