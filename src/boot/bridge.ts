/** Bridging as this process reaches it: the providers that are named, and both chains. */
import type { Clock } from '../../streams/clock.ts';
import type { NoteUnknownField } from '../../streams/feed-counters.ts';
import { createEvmBridgeChain, EvmSilence, readSignedEvm } from '../adapters/bridge/evm-chain.ts';
import { SenselessAnswer } from '../adapters/bridge/provider-http.ts';
import { createSolanaBridgeChain } from '../adapters/bridge/solana-chain.ts';
import type { AskedPlace } from '../adapters/metrics.ts';
import { NodeError } from '../adapters/solana/json-rpc.ts';
import { createSolanaRpc } from '../adapters/solana/rpc.ts';
import { VenueError } from '../adapters/venues/venue-feed.ts';
import { coinDollars } from '../domain/bridge/coin-price.ts';
import { USDC_MINT } from '../domain/catalog.ts';
import type { Quote } from '../domain/quote.ts';
import { refuse } from '../domain/refusal.ts';
import type { InstrumentKey } from '../domain/venue.ts';
import type { Bridge } from './capabilities/capability.ts';
import { type Addresses, type BridgeReach, openBridgeProviders } from './outside/index.ts';

export interface BridgeDeps {
  readonly addresses: BridgeReach['addresses'] & Pick<Addresses, 'evmchain' | 'spotchain'>;
  readonly budgets: BridgeReach['budgets'];
  /** The live quote of an instrument; null where none is live. */
  readonly quote: (instrument: InstrumentKey) => Quote | null;
  readonly clock: Clock;
  readonly random: () => number;
  readonly onFailure: (place: AskedPlace, code: string) => void;
  readonly note: NoteUnknownField;
}

/** Null where no provider is named for chains that are real, or the EVM chain has no stablecoin among its tokens. */
export function openBridge(deps: BridgeDeps): (Bridge & { close(): void }) | null {
  const { addresses, clock, onFailure, quote } = deps;
  const { evmchain, spotchain } = addresses;
  const token = evmchain.tokens.find(({ symbol }) => symbol === 'USDC')?.contract;
  if (spotchain.rpcUrl === null || token === undefined) return null;
  const node = createSolanaRpc({ url: spotchain.rpcUrl, clock, onFailure: (code) => onFailure('primarychain', code) });
  const { url, chainId } = evmchain;
  const evm = createEvmBridgeChain({ url, chainId, token, onFailure: (reason) => onFailure('evmchain', reason) });
  const ground = {
    ...deps,
    chainId,
    mint: USDC_MINT,
    token,
    evm,
    hasTokenAccount: async (owner: string) => {
      const held = await node.balancesOf(owner);
      return held.ok && held.value.tokens.some(({ mint }) => mint === USDC_MINT);
    },
    coinUsd: coinDollars(quote),
  };
  const providers = openBridgeProviders(ground, deps);
  if (providers === null) {
    node.close();
    return null;
  }
  const chains = { spotchain: createSolanaBridgeChain(node, USDC_MINT), evmvenue: evm };
  return {
    quoting: {
      providers: Object.values(providers),
      mint: USDC_MINT,
      heads: async () => ({ spotchain: await chains.spotchain.head(), evmvenue: await chains.evmvenue.head() }),
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
    close() {
      for (const { pushes } of Object.values(providers)) pushes?.close();
      node.close();
    },
  };
}
