/** Opens CCTP, the bridge of the stablecoin's issuer: it burns on one chain and mints on the other. */
import { EVM_DOMAINS } from '../../../domain/bridge/cctp-domains.ts';
import type { MakeBudget } from '../../queue/request-budgets.ts';
import type { Reach } from '../../reach.ts';
import type { BridgeContext } from '../bridge-context.ts';
import { createProviderHttp } from '../provider-http.ts';
import { createCctpProvider } from './provider.ts';

/** Requests per second. Circle allows 35 and blocks a client that exceeds them for five minutes. */
const PER_SECOND = 20;
const PER_MINUTE = 600;

const budgets = (make: MakeBudget) => ({ cctp: make('cctp', PER_SECOND, 1_000) });

export interface CctpAddresses {
  /** Null on real chains without a configured address. */
  readonly cctpUrl: string | null;
}

export const cctpAccess = {
  budgets,

  isNamed: (addresses: CctpAddresses) => addresses.cctpUrl !== null,

  /** Returns the provider, or null if it is not configured or does not serve the EVM chain. */
  open(
    { clock, random, note, chainId, mint, token, evm, hasTokenAccount, coinUsd }: BridgeContext,
    { addresses, budgets: paid }: Pick<Reach<CctpAddresses, ReturnType<typeof budgets>>, 'addresses' | 'budgets'>,
  ) {
    const { cctpUrl: url } = addresses;
    if (url === null || !Object.hasOwn(EVM_DOMAINS, chainId)) return null;
    const http = createProviderHttp({ url, key: null, clock, random, note, perMinute: PER_MINUTE, budget: paid.cctp });
    const { allowance, gasPrice } = evm;
    return createCctpProvider({ http, chainId, mint, token, allowance, gasPrice, hasTokenAccount, coinUsd, clock });
  },
};
