/** The layouts of state machines, each read once: machines do not change while the service runs. */
import { Refused, read } from './http.js';

const AGAIN_AFTER_MS = 5_000;

/** @typedef {import('./wire.ts').Layout} Layout */

/** @type {Map<string, Promise<Layout>>} */
const layouts = new Map();

/**
 * Reads on while the service is away or crowded: who opened a chart waits for nothing else.
 * @param {string} machine The machine and its version, for example `agent@1`.
 * @returns {Promise<Layout>} Rejects with a `Refused` if this version of the service has no such machine.
 */
export function layoutOf(machine) {
  let layout = layouts.get(machine);
  if (layout === undefined) {
    layout = readPatiently(`/v1/machines/${encodeURIComponent(machine)}/layout`);
    layouts.set(machine, layout);
    layout.catch(() => layouts.delete(machine));
  }
  return layout;
}

/** @param {string} path @returns {Promise<Layout>} */
async function readPatiently(path) {
  for (;;) {
    try {
      return await read(path);
    } catch (error) {
      if (!(error instanceof Refused) || !error.passing) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
  }
}
