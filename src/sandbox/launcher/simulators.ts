/** Simulator of the external token launcher, which launches on the sandbox's chain. */
import { SANDBOX_KEY } from '../sandbox-key.ts';
import type { Simulators } from '../simulator-entry.ts';

export const AGENTLAUNCH_SIMULATORS = {
  agentlaunch: {
    place: 21,
    async start({ chain, mints, scripts }, at) {
      const { createLauncherSimulator } = await import('./launcher-simulator.ts');
      return createLauncherSimulator({ chain, pairs: mints, key: SANDBOX_KEY, script: scripts.launcher, ...at });
    },
  },
} satisfies Simulators;
