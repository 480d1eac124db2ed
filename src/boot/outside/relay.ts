/** Relay in this service: a bridge provider that pays from its own funds. */
import { type RelayAddresses, relayAccess } from '../../adapters/bridge/relay/access.ts';
import type { Config } from '../config.ts';
import { type BridgeProviderEntry, isBridgeSimulated, type SimulatorAt, streamAt } from './entry.ts';

export const relay = {
  ...relayAccess,
  venue: 'evmvenue',
  addresses: (config: Config, simulator: SimulatorAt): RelayAddresses => {
    if (isBridgeSimulated(config)) return { relay: { url: simulator('relay'), streamUrl: streamAt(simulator('relay')), key: null } };
    const { RELAY_URL: url, RELAY_STREAM_URL: streamUrl, RELAY_KEY: key } = config;
    return { relay: url === null ? null : { url, streamUrl, key: key?.reveal() ?? null } };
  },
  // The chains' simulators already determine whether a sandbox is needed.
  isSimulated: () => false,
  simulators: {
    relay: {
      place: 17,
      async start({ chains, evmChainId: chainId, scripts }, at) {
        const { createRelaySimulator } = await import('../../sandbox/bridge/relay-simulator.ts');
        return createRelaySimulator({ ...chains, chainId, script: scripts.relay, ...at });
      },
    },
  },
} satisfies BridgeProviderEntry;
