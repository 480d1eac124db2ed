/** CCTP in this service: the stablecoin's issuer, who burns on one chain and mints on the other, and its simulator. */
import { EVM_DOMAINS } from '../../adapters/bridge/cctp/burn.ts';
import { createCctpProvider } from '../../adapters/bridge/cctp/provider.ts';
import { createProviderHttp } from '../../adapters/bridge/provider-http.ts';
import type { MakeBudget } from '../budgets.ts';
import type { Config } from '../config.ts';
import { type BridgeGround, type BridgeProviderEntry, isBridgeSimulated } from './bridge-provider.ts';
import type { Reach, SimulatorAt } from './entry.ts';

/** Circle allows 35 in a second, and locks whoever exceeds it out for five minutes. */
const PER_SECOND = 20;
const PER_MINUTE = 600;
/** The domain of the sandbox's EVM chain where Circle has none for its number. */
const SANDBOX_DOMAIN = 3;

const budgets = (make: MakeBudget) => ({ cctp: make('cctp', PER_SECOND, 1_000) });

interface Addresses {
  /** Null where the chains are real and it is not named. */
  readonly cctpUrl: string | null;
}

export const cctp = {
  venue: 'evmvenue',
  budgets,
  addresses: (config: Config, simulator: SimulatorAt): Addresses => ({
    cctpUrl: isBridgeSimulated(config) ? simulator('cctp') : config.CCTP_URL,
  }),
  // Its simulator stands beside those of the chains, which say whether there is a sandbox.
  isSimulated: () => false,
  simulators: {
    cctp: {
      place: 18,
      async start({ chains, evmChainId, scripts }, at) {
        const { createCctpSimulator } = await import('../../sandbox/bridge/cctp-simulator.ts');
        return createCctpSimulator({ ...chains, evmDomain: EVM_DOMAINS[evmChainId] ?? SANDBOX_DOMAIN, script: scripts.cctp, ...at });
      },
    },
  },

  isNamed: (addresses: Addresses) => addresses.cctpUrl !== null,

  open(
    { clock, random, note, chainId, mint, token, evm, hasTokenAccount, coinUsd }: BridgeGround,
    { addresses, budgets: paid }: Pick<Reach<Addresses, ReturnType<typeof budgets>>, 'addresses' | 'budgets'>,
  ) {
    const { cctpUrl: url } = addresses;
    if (url === null || !Object.hasOwn(EVM_DOMAINS, chainId)) return null;
    const http = createProviderHttp({ url, key: null, clock, random, note, perMinute: PER_MINUTE, budget: paid.cctp });
    const { allowance, gasPrice } = evm;
    return createCctpProvider({ http, chainId, mint, token, allowance, gasPrice, hasTokenAccount, coinUsd, clock });
  },
} satisfies BridgeProviderEntry;
