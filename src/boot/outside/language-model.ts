/** Language model in this service, used only if the environment names one. */
import { SANDBOX_KEY } from '../../sandbox/simulator-entry.ts';
import type { Config } from '../config.ts';
import type { OutsideEntry, SimulatorAt } from './entry.ts';

interface Addresses {
  /** Model, or null if none is configured. The setting `sandbox` selects the sandbox's model. */
  readonly model: { readonly url: string; readonly name: string; readonly key: string | null } | null;
}

function readAddress({ MODEL_URL: url, MODEL_NAME: name, MODEL_KEY: key }: Config, simulator: SimulatorAt): Addresses['model'] {
  if (url === null || name === null) return null;
  if (url === 'sandbox') return { url: `${simulator('model')}/v1`, name, key: SANDBOX_KEY };
  return { url: url.replace(/\/$/, ''), name, key: key?.reveal() ?? null };
}

export const languageModel = {
  venue: 'reference',
  budgets: () => ({}),
  addresses: (config: Config, simulator: SimulatorAt): Addresses => ({ model: readAddress(config, simulator) }),
  isSimulated: (config) => config.MODEL_URL === 'sandbox',
  simulators: {
    model: {
      place: 19,
      async start({ scripts }, at) {
        const { createModelSimulator } = await import('../../sandbox/language-model/simulator.ts');
        return createModelSimulator({ key: SANDBOX_KEY, script: scripts.model, ...at });
      },
    },
  },
} satisfies OutsideEntry;
