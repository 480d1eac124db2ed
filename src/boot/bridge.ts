/** Bridging as this process reaches it: the providers that are named, and both chains. */
import type { BridgeOutside } from '../../actors/bridge-transfer/ports.ts';
import type { Clock } from '../../streams/clock.ts';
import type { NoteUnknownField } from '../../streams/feed-counters.ts';
import { EVM_DOMAINS } from '../adapters/bridge/cctp/burn.ts';
import { createCctpProvider } from '../adapters/bridge/cctp/provider.ts';
import { createEvmBridgeChain, EvmSilence, readSignedEvm } from '../adapters/bridge/evm-chain.ts';
import { createProviderHttp, SenselessAnswer } from '../adapters/bridge/provider-http.ts';
import { createRelayProvider } from '../adapters/bridge/relay/provider.ts';
import { createSolanaBridgeChain } from '../adapters/bridge/solana-chain.ts';
import { NodeError } from '../adapters/solana/json-rpc.ts';
import { createSolanaRpc } from '../adapters/solana/rpc.ts';
import { VenueError } from '../adapters/venues/venue-feed.ts';
import type { BridgeChain } from '../domain/bridge/quote.ts';
import { USDC_MINT } from '../domain/catalog.ts';
import { Decimal, type DecimalString, plainDecimal } from '../domain/decimal.ts';
import type { Quote } from '../domain/quote.ts';
import { refuse } from '../domain/refusal.ts';
import type { InstrumentKey } from '../domain/venue.ts';
import type { Addresses } from './addresses.ts';
import type { Bridge } from './capabilities/capability.ts';
import type { AskedPlace } from './metrics.ts';
import type { RequestBudgets } from './venues.ts';

/** Where the coin of each chain is priced, and how many of its smallest units make one. */
const COINS: Readonly<Record<BridgeChain, { readonly instrument: InstrumentKey; readonly units: number }>> = {
  spotchain: { instrument: 'spotexchange:SOLUSDT', units: 9 },
  evmvenue: { instrument: 'spotexchange:ETHUSDT', units: 18 },
};

export interface BridgeDeps {
  readonly addresses: Pick<Addresses, 'bridge' | 'evmchain' | 'spotchain'>;
  readonly budgets: Pick<RequestBudgets, 'relay' | 'cctp'>;
  /** The live quote of an instrument; null where none is live. */
  readonly quote: (instrument: InstrumentKey) => Quote | null;
  readonly clock: Clock;
  readonly random: () => number;
  readonly onFailure: (place: AskedPlace, code: string) => void;
  readonly note: NoteUnknownField;
}

/** Null where no provider is named for chains that are real, or the EVM chain has no stablecoin among its tokens. */
export function openBridge(deps: BridgeDeps): (Bridge & { close(): void }) | null {
  const { addresses, clock, onFailure } = deps;
  const { bridge, evmchain, spotchain } = addresses;
  const token = evmchain.tokens.find(({ symbol }) => symbol === 'USDC')?.contract;
  if (bridge === null || spotchain.rpcUrl === null || token === undefined) return null;
  const node = createSolanaRpc({ url: spotchain.rpcUrl, clock, onFailure: (code) => onFailure('primarychain', code) });
  const evm = createEvmBridgeChain({
    url: evmchain.url,
    chainId: evmchain.chainId,
    token,
    onFailure: (reason) => onFailure('evmchain', reason),
  });
  const providers = providersOf(deps, bridge, token, node, evm);
  const chains = { spotchain: createSolanaBridgeChain(node, USDC_MINT), evmvenue: evm };
  return {
    quoting: {
      providers: Object.values(providers).filter((provider) => provider !== undefined),
      mint: USDC_MINT,
      solana: node,
      evm,
      readSignedEvm,
      async unlessSilent(work) {
        try {
          return await work;
        } catch (error) {
          if (!(error instanceof NodeError) && !(error instanceof EvmSilence)) throw error;
          return refuse('unavailable', error.message);
        }
      },
    },
    outside: {
      providers,
      chains,
      onSilence: (error) => {
        if (error instanceof VenueError) return onFailure('bridge', error.code);
        if (error instanceof SenselessAnswer) return onFailure('bridge', 'senseless');
        // What the chains' clients throw, they have told themselves.
        if (!(error instanceof NodeError) && !(error instanceof EvmSilence)) throw error;
      },
    },
    close: () => node.close(),
  };
}

function providersOf(
  { addresses, budgets, quote, clock, random, note }: BridgeDeps,
  { relay, cctpUrl }: NonNullable<Addresses['bridge']>,
  token: string,
  node: ReturnType<typeof createSolanaRpc>,
  evm: ReturnType<typeof createEvmBridgeChain>,
): BridgeOutside['providers'] {
  const { chainId } = addresses.evmchain;
  const asking = { clock, random, note };
  const shared = { chainId, mint: USDC_MINT, token, allowance: evm.allowance, clock };
  const coinUsd = (chain: BridgeChain, units: bigint): DecimalString | null => {
    const heard = quote(COINS[chain].instrument);
    if (heard === null || heard.ask === null) return null;
    return plainDecimal(
      new Decimal(String(units)).div(new Decimal(10).pow(COINS[chain].units)).times(heard.ask).toDecimalPlaces(6, Decimal.ROUND_UP),
    );
  };
  const relayHttp =
    relay === null ? null : createProviderHttp({ ...asking, url: relay.url, key: relay.key, perMinute: 200, budget: budgets.relay });
  const cctpHttp =
    cctpUrl === null || !Object.hasOwn(EVM_DOMAINS, chainId)
      ? null
      : createProviderHttp({ ...asking, url: cctpUrl, key: null, perMinute: 600, budget: budgets.cctp });
  return {
    ...(relayHttp === null ? {} : { relay: createRelayProvider({ ...shared, http: relayHttp }) }),
    ...(cctpHttp === null
      ? {}
      : {
          cctp: createCctpProvider({
            ...shared,
            http: cctpHttp,
            hasTokenAccount: async (owner) => {
              const held = await node.balancesOf(owner);
              return held.ok && held.value.tokens.some(({ mint }) => mint === USDC_MINT);
            },
            gasPrice: evm.gasPrice,
            coinUsd,
          }),
        }),
  };
}
