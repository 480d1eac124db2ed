/** Parts that the sandbox's simulators share: one market, one chain of each kind, one wire of stories, one set of questions. */
import type { Clock } from '../../streams/clock/clock.ts';
import { BRIDGE_PROVIDERS, type BridgeProviderName } from '../domain/bridge/quote.ts';
import { CATALOG, type CatalogEntry, USDC_DECIMALS, USDC_MINT } from '../domain/catalog/catalog.ts';
import { agentTokenEntry } from '../domain/catalog/listed-token.ts';
import { EVM_TOKENS } from '../domain/identity/evm-chain.ts';
import { type EpochMs, isoTime } from '../domain/values/time.ts';
import { AGENT_ASSETS, SANDBOX_AGENT_TOKENS } from './agent-tokens.ts';
import { type BridgeScript, createBridgeScript } from './bridge/bridge-script.ts';
import { bridgeVerbs } from './bridge/bridge-verbs.ts';
import type { ChainClient } from './control.ts';
import { foundLedger, newestBlock } from './evmchain/simulator.ts';
import { sandboxCompanies, sandboxStories } from './intelligence/sandbox-stories.ts';
import { createModelScript, modelVerbs } from './language-model/simulator.ts';
import { createLauncherScript, launcherVerbs } from './launcher/launcher-simulator.ts';
import { combinedMarket } from './market/combined-market.ts';
import type { Market } from './market/market.ts';
import { createPressedMarket, type PressedMarket } from './market/pressed-market.ts';
import { createSeededMarket } from './market/seeded-market.ts';
import { createSeededQuestions } from './prediction/seeded-questions.ts';
import { chainStatus, chainVerbs } from './solana/chain-verbs.ts';
import { startKeeper } from './solana/launch-programs/keeper.ts';
import { foundChain } from './solana/simulator.ts';
import { createLaunchedMarket } from './spotchain/launched-market.ts';
import { createSwapBuilder } from './spotchain/swap-builder.ts';
import { EXCHANGE_VERBS } from './spotexchange/sandbox-accounts.ts';

/** Address of the stablecoin on the sandbox's EVM chain. */
const EVM_STABLE = EVM_TOKENS.find(({ symbol }) => symbol === 'USDC')?.contract ?? '';

export interface SandboxOptions {
  readonly clock: Clock;
  readonly seed: number;
  readonly market: Market;
  readonly evmChainId: number;
  /** Returns the offset of the EVM chain's clock, in milliseconds. */
  readonly evmClockOffsetMs: () => number;
  /** Folder of program binaries for the primary chain, or null if only its own programs run. */
  readonly programs: string | null;
}

export type SandboxWorld = ReturnType<typeof createSandboxWorld>;

/** Creates both chains with their genesis state. No server listens yet. */
export function createSandboxWorld({ clock, seed, market, evmChainId, evmClockOffsetMs, programs }: SandboxOptions) {
  const stable = { mint: USDC_MINT, decimals: USDC_DECIMALS };
  const mints = listTokens([
    ...CATALOG.fixed.entries,
    ...SANDBOX_AGENT_TOKENS.map((token) => agentTokenEntry({ ...token, delistedAt: null })),
  ]);
  const chain = foundChain({ clock, seed, programs, mints, stable });
  startKeeper(chain);
  const ledger = foundLedger({ chainId: evmChainId, tokens: EVM_TOKENS, newest: () => newestBlock(clock.now() + evmClockOffsetMs()) });
  const launched = createLaunchedMarket(chain);
  const swaps = createSwapBuilder({ chain, clock, mints, stable });
  const bridges = Object.fromEntries(BRIDGE_PROVIDERS.map((name) => [name, createBridgeScript()])) as Record<
    BridgeProviderName,
    BridgeScript
  >;
  const scripts = { ...bridges, model: createModelScript(), launcher: createLauncherScript() };
  const companies = sandboxCompanies();
  const value = (symbol: string, at: EpochMs): number => market.value(symbol, at);
  // Adds agent tokens, which only the primary chain trades.
  const tokenMarket = createPressedMarket(combinedMarket(market, createSeededMarket({ seed, assets: AGENT_ASSETS, hasNews: false })));
  const control: ChainClient = {
    status: () => chainStatus(chain),
    verbs: {
      ...chainVerbs(chain, swaps),
      ...bridgeVerbs(ledger, EVM_STABLE, bridges),
      ...modelVerbs(scripts.model),
      ...launcherVerbs(scripts.launcher),
      ...EXCHANGE_VERBS,
      press: (body) => pressed(tokenMarket, body, clock.now()),
    },
  };
  return {
    seed,
    market,
    tokenMarket,
    /** Returns the dollar value of an asset at an instant. */
    value,
    stable,
    mints,
    chain,
    ledger,
    evmChainId,
    swaps,
    launched,
    companies: companies.all,
    questions: createSeededQuestions({ seed, market }),
    stories: sandboxStories(seed, market),
    /** Chains that the bridge providers connect. */
    chains: { solana: chain, evm: ledger, stable, token: EVM_STABLE },
    scripts,
    control,
  };
}

/** Moves a token's price, as if a large amount were sold or bought. @throws RangeError if the symbol or the percentage is invalid */
function pressed(market: PressedMarket, { symbol, pct }: Readonly<Record<string, unknown>>, now: EpochMs): object {
  const entry = CATALOG.fixed.entries.find(({ instrument, token }) => instrument === symbol && token !== null);
  if (entry === undefined) throw new RangeError(`symbol must be a token such as "AAPLx", not ${JSON.stringify(symbol)}`);
  if (typeof pct !== 'number') throw new RangeError(`pct must be a number, not ${JSON.stringify(pct)}`);
  return { until: isoTime(market.press(entry.underlying, pct, now)) };
}

/** Returns the tokens of the primary chain, for the chain and its aggregator. */
function listTokens(entries: readonly CatalogEntry[]) {
  return entries.flatMap(({ instrument: symbol, underlying, token }) => {
    if (token === null) return [];
    const { mint, decimals, multiplier, newMultiplier, newMultiplierEffectiveAt, transferFeeBps } = token;
    return [{ symbol, mint, decimals, underlying, multiplier, newMultiplier, newMultiplierEffectiveAt, transferFeeBps }];
  });
}
