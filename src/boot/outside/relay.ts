/** Relay in this service: a bridge provider that pays out of its own money, and its simulator. */
import { createProviderHttp } from '../../adapters/bridge/provider-http.ts';
import { createRelayProvider } from '../../adapters/bridge/relay/provider.ts';
import { createRelayPushes } from '../../adapters/bridge/relay/pushes.ts';
import type { MakeBudget } from '../budgets.ts';
import type { Config } from '../config.ts';
import { type BridgeGround, type BridgeProviderEntry, isBridgeSimulated } from './bridge-provider.ts';
import { type Reach, type SimulatorAt, streamAt } from './entry.ts';

const PER_MINUTE = 200;

const budgets = (make: MakeBudget) => ({ relay: make('relay', PER_MINUTE) });

interface Addresses {
  /** Null where the chains are real and it is not named. `streamUrl` is where it pushes; null where it is only asked. */
  readonly relay: { readonly url: string; readonly streamUrl: string | null; readonly key: string | null } | null;
}

export const relay = {
  venue: 'evmvenue',
  budgets,
  addresses: (config: Config, simulator: SimulatorAt): Addresses => {
    if (isBridgeSimulated(config)) return { relay: { url: simulator('relay'), streamUrl: streamAt(simulator('relay')), key: null } };
    const { RELAY_URL: url, RELAY_STREAM_URL: streamUrl, RELAY_KEY: key } = config;
    return { relay: url === null ? null : { url, streamUrl, key: key?.reveal() ?? null } };
  },
  // Its simulator stands beside those of the chains, which say whether there is a sandbox.
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

  isNamed: (addresses: Addresses) => addresses.relay !== null,

  open(
    { clock, random, note, onFailure, chainId, mint, token, evm }: BridgeGround,
    { addresses, budgets: paid }: Pick<Reach<Addresses, ReturnType<typeof budgets>>, 'addresses' | 'budgets'>,
  ) {
    if (addresses.relay === null) return null;
    const { url, streamUrl, key } = addresses.relay;
    const http = createProviderHttp({ url, key, clock, random, note, perMinute: PER_MINUTE, budget: paid.relay });
    const provider = createRelayProvider({ http, chainId, mint, token, allowance: evm.allowance, clock });
    if (streamUrl === null) return provider;
    const unheard = (reason: string) => onFailure('bridge', `push_${reason}`);
    return { ...provider, pushes: createRelayPushes({ url: streamUrl, key, clock, random, onFailure: unheard }) };
  },
} satisfies BridgeProviderEntry;
