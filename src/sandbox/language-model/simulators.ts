/** Simulator of the language model. It starts only on request. */
import { SANDBOX_KEY } from '../sandbox-key.ts';
import type { Simulators } from '../simulator-entry.ts';

export const MODEL_SIMULATORS = {
  model: {
    place: 19,
    async start({ scripts }, at) {
      const { createModelSimulator } = await import('./simulator.ts');
      return createModelSimulator({ key: SANDBOX_KEY, script: scripts.model, ...at });
    },
  },
} satisfies Simulators;
