/** External launcher of agent tokens in this service. */
import { createLauncher } from '../../adapters/launcher/launcher-http.ts';
import type { Reach } from '../../adapters/reach.ts';
import { SANDBOX_KEY } from '../../sandbox/simulator-entry.ts';
import type { Config } from '../config.ts';
import type { OutsideEntry, SimulatorAt } from './entry.ts';

interface Addresses {
  /** Launcher, or null if the chain is real and no launcher is configured. */
  readonly agentlaunch: { readonly url: string; readonly key: string | null } | null;
}

export const agentlaunch = {
  venue: 'spotchain',
  // No budget: its requests are few, and each is one that a user waits for or has paid for.
  budgets: () => ({}),
  // The sandbox's launcher launches on the sandbox's chain, a real one on the real chain.
  addresses: (config: Config, simulator: SimulatorAt): Addresses => {
    if (config.SPOTCHAIN_URL === null) return { agentlaunch: { url: simulator('agentlaunch'), key: SANDBOX_KEY } };
    const { AGENTLAUNCH_URL: url, AGENTLAUNCH_KEY: key } = config;
    return { agentlaunch: url === null ? null : { url, key: key?.reveal() ?? null } };
  },
  isSimulated: () => false,
  simulators: {
    agentlaunch: {
      place: 21,
      async start({ chain, mints, scripts }, at) {
        const { createLauncherSimulator } = await import('../../sandbox/launcher/launcher-simulator.ts');
        return createLauncherSimulator({ chain, pairs: mints, key: SANDBOX_KEY, script: scripts.launcher, ...at });
      },
    },
  },

  /** Opens the launcher, or returns null if none is configured. */
  open({ addresses, clock }: Pick<Reach<Addresses, object>, 'addresses' | 'clock'>, onFailure: (code: string) => void) {
    return addresses.agentlaunch === null ? null : createLauncher({ ...addresses.agentlaunch, clock, onFailure });
  },
} satisfies OutsideEntry & { readonly open: (reach: never, onFailure: (code: string) => void) => unknown };
