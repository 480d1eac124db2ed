/** Simulator of Relay, which transfers between the sandbox's chains. */
import type { Simulators } from '../simulator-entry.ts';

export const RELAY_SIMULATORS = {
  relay: {
    place: 17,
    async start({ chains, evmChainId: chainId, scripts }, at) {
      const { createRelaySimulator } = await import('./relay-simulator.ts');
      return createRelaySimulator({ ...chains, chainId, script: scripts.relay, ...at });
    },
  },
} satisfies Simulators;
