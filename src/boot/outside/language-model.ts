/** The language model in this service: none unless the environment names one. */
import { MODEL_SIMULATORS } from '../../sandbox/language-model/simulators.ts';
import { SANDBOX_KEY } from '../../sandbox/sandbox-key.ts';
import type { Config } from '../config.ts';
import type { OutsideEntry, SimulatorAt } from './entry.ts';

interface Addresses {
  /** Null if none is configured. The sandbox's model is used only on request, by the word `sandbox`. */
  readonly model: { readonly url: string; readonly name: string; readonly key: string | null } | null;
}

function addressOf({ MODEL_URL: url, MODEL_NAME: name, MODEL_KEY: key }: Config, simulator: SimulatorAt): Addresses['model'] {
  if (url === null || name === null) return null;
  if (url === 'sandbox') return { url: `${simulator('model')}/v1`, name, key: SANDBOX_KEY };
  return { url: url.replace(/\/$/, ''), name, key: key?.reveal() ?? null };
}

export const languageModel = {
  venue: 'reference',
  budgets: () => ({}),
  addresses: (config: Config, simulator: SimulatorAt): Addresses => ({ model: addressOf(config, simulator) }),
  isSimulated: (config) => config.MODEL_URL === 'sandbox',
  simulators: MODEL_SIMULATORS,
} satisfies OutsideEntry;
