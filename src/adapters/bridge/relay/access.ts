/** Opens Relay, a bridge provider that pays out of its own funds. */
import type { MakeBudget } from '../../queue/request-budgets.ts';
import type { Reach } from '../../reach.ts';
import type { BridgeContext } from '../bridge-context.ts';
import { createProviderHttp } from '../provider-http.ts';
import { createRelayProvider } from './provider.ts';
import { createRelayPushes } from './pushes.ts';

const PER_MINUTE = 200;

const budgets = (make: MakeBudget) => ({ relay: make('relay', PER_MINUTE) });

export interface RelayAddresses {
  /** Null on real chains without a configured address. `streamUrl` is the address of its pushes; null if it is only polled. */
  readonly relay: { readonly url: string; readonly streamUrl: string | null; readonly key: string | null } | null;
}

export const relayAccess = {
  budgets,

  isNamed: (addresses: RelayAddresses) => addresses.relay !== null,

  /** Returns the provider, or null if it is not configured. */
  open(
    { clock, random, note, onFailure, chainId, mint, token, evm }: BridgeContext,
    { addresses, budgets: paid }: Pick<Reach<RelayAddresses, ReturnType<typeof budgets>>, 'addresses' | 'budgets'>,
  ) {
    if (addresses.relay === null) return null;
    const { url, streamUrl, key } = addresses.relay;
    const http = createProviderHttp({ url, key, clock, random, note, perMinute: PER_MINUTE, budget: paid.relay });
    const provider = createRelayProvider({ http, chainId, mint, token, allowance: evm.allowance, clock });
    if (streamUrl === null) return provider;
    const pushFailed = (reason: string) => onFailure('bridge', `push_${reason}`);
    return { ...provider, pushes: createRelayPushes({ url: streamUrl, key, clock, random, onFailure: pushFailed }) };
  },
};
