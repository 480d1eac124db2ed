/** Opens the bridge with the configured providers and both chains. */
import type { Bridge, BridgeProvider } from '../../../actors/bridge-transfer/ports.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { NoteUnknownField } from '../../../streams/feed-counters.ts';
import { coinDollars } from '../../domain/bridge/coin-price.ts';
import type { BridgeProviderName } from '../../domain/bridge/quote.ts';
import { USDC_MINT } from '../../domain/catalog/catalog.ts';
import type { Quote } from '../../domain/market/quote.ts';
import { type Outcome, refuse } from '../../domain/values/refusal.ts';
import type { InstrumentKey } from '../../domain/market/venue.ts';
import type { TokenListing } from '../evmchain/wallet-reader.ts';
import type { AskedSystem } from '../log/metrics.ts';
import { NodeError } from '../json-rpc.ts';
import { createSolanaRpc } from '../solana/rpc.ts';
import { VenueError } from '../venues/venue-feed.ts';
import type { BridgeContext } from './bridge-context.ts';
import { createEvmBridgeChain, EvmSilence, readSignedEvm } from './evm-bridge-chain.ts';
import { SenselessAnswer } from './provider-http.ts';
import { createSolanaBridgeChain } from './solana-chain.ts';

export interface BridgeDeps {
  readonly evmchain: { readonly url: string; readonly chainId: number; readonly tokens: readonly TokenListing[] };
  /** Address of the primary chain's node; null if none is configured. */
  readonly rpcUrl: string | null;
  /** Opens the providers that serve the EVM chain; null if none is configured. */
  readonly openProviders: (context: BridgeContext) => Readonly<Partial<Record<BridgeProviderName, BridgeProvider>>> | null;
  /** Returns the live quote of an instrument, or null. */
  readonly quote: (instrument: InstrumentKey) => Quote | null;
  readonly clock: Clock;
  readonly random: () => number;
  readonly onFailure: (place: AskedSystem, code: string) => void;
  readonly note: NoteUnknownField;
}

/** Opens the bridge. Returns null if real chains have no provider, or if the EVM chain lists no stablecoin. */
export function openBridge(deps: BridgeDeps): (Bridge & { close(): void }) | null {
  const { evmchain, rpcUrl, clock, onFailure, quote } = deps;
  const token = evmchain.tokens.find(({ symbol }) => symbol === 'USDC')?.contract;
  if (rpcUrl === null || token === undefined) return null;
  const node = createSolanaRpc({ url: rpcUrl, clock, onFailure: (code) => onFailure('primarychain', code) });
  const { url, chainId } = evmchain;
  const evm = createEvmBridgeChain({ url, chainId, token, clock, onFailure: (reason) => onFailure('evmchain', reason) });
  const { random, note } = deps;
  const context: BridgeContext = {
    clock,
    random,
    note,
    onFailure,
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
  const providers = deps.openProviders(context);
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
      unlessSilent,
    },
    outside: {
      providers,
      chains,
      onSilence: (error) => {
        if (error instanceof VenueError) return onFailure('bridge', error.code);
        if (error instanceof SenselessAnswer) return onFailure('bridge', 'senseless');
        // The clients of the chains have reported their own errors.
        if (!(error instanceof NodeError) && !(error instanceof EvmSilence)) throw error;
      },
    },
    close() {
      for (const { pushes } of Object.values(providers)) pushes?.close();
      node.close();
    },
  };
}

/** Turns a node that does not answer into the refusal `unavailable`. */
async function unlessSilent<Value>(work: Promise<Outcome<Value>>): Promise<Outcome<Value>> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof NodeError) && !(error instanceof EvmSilence)) throw error;
    return refuse('unavailable', error.message);
  }
}
