/** Where each outside system is: at the address that the environment names, or at its simulator in the sandbox. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Clock } from '../../streams/clock.ts';
import { EVM_DOMAINS } from '../adapters/bridge/cctp/burn.ts';
import type { TokenListing } from '../adapters/evmchain/wallet-reader.ts';
import type { MarkProvider } from '../adapters/venues/reference/issuer-marks.ts';
import type { ShareQuotesProvider } from '../adapters/venues/reference/share-quotes.ts';
import { CATALOG, type CatalogEntry, REFERENCE_FEEDS, USDC_DECIMALS, USDC_MINT } from '../domain/catalog.ts';
import { EVM_TOKENS } from '../domain/evm-chain.ts';
import { ISSUERS } from '../domain/intelligence/entities.ts';
import { agentTokenEntry } from '../domain/listed-token.ts';
import type { EpochMs } from '../domain/time.ts';
import { AGENT_ASSETS, SANDBOX_AGENT_TOKENS } from '../sandbox/agent-tokens.ts';
import { openSandboxControl } from '../sandbox/control.ts';
import { createEvmVenueSimulator } from '../sandbox/evmvenue/simulator.ts';
import { createFaultSwitch, type FaultSwitch } from '../sandbox/faults.ts';
import { createIdentityProvider, SANDBOX_AUDIENCE, SANDBOX_ISSUER } from '../sandbox/identity/provider.ts';
import { createRemoteSignerSimulator } from '../sandbox/identity/remote-signer.ts';
import { openSigningKeys, type SigningKeys } from '../sandbox/identity/signing-keys.ts';
import { createFilingsSimulator } from '../sandbox/intelligence/filings-simulator.ts';
import { createMacroSimulator } from '../sandbox/intelligence/macro-simulator.ts';
import { createSeededMacro } from '../sandbox/intelligence/seeded-macro.ts';
import { createSeededStories } from '../sandbox/intelligence/seeded-stories.ts';
import { createSocialSimulator } from '../sandbox/intelligence/social-simulator.ts';
import { createTvlSimulator } from '../sandbox/intelligence/tvl-simulator.ts';
import { combinedMarket } from '../sandbox/market/combined-market.ts';
import { createSeededMarket } from '../sandbox/market/seeded-market.ts';
import { createNewsSimulator } from '../sandbox/news/simulator.ts';
import { openAccessKey } from '../sandbox/prediction/access-key.ts';
import { createKalshiSimulator } from '../sandbox/prediction/kalshi-simulator.ts';
import { createPolymarketSimulator } from '../sandbox/prediction/polymarket-simulator.ts';
import { createSeededQuestions } from '../sandbox/prediction/seeded-questions.ts';
import { createIssuerSimulator } from '../sandbox/reference/issuer.ts';
import { createShareQuotesSimulator } from '../sandbox/reference/share-quotes.ts';
import { createReferenceSimulator } from '../sandbox/reference/simulator.ts';
import { SANDBOX_LAUNCH_PARTNER } from '../sandbox/solana/launch-partner.ts';
import { SANDBOX_MAKER } from '../sandbox/spotchain/maker.ts';
import { createSpotchainSimulator, poolAddress } from '../sandbox/spotchain/simulator.ts';
import { createSpotExchangeSimulator } from '../sandbox/spotexchange/simulator.ts';
import type { Config } from './config.ts';
import { listenRefusal } from './listening.ts';
import { SANDBOX_EXCHANGE_KEY } from './live-orders.ts';
import { type PredictionAddresses, predictionAddresses, predictionKeyFolder } from './prediction.ts';
import { sandboxMarket } from './sandbox-market.ts';
import { registeredKeys } from './signer.ts';

export interface Addresses {
  readonly spotexchange: { readonly url: string; readonly streamUrl: string };
  readonly evmvenue: { readonly url: string; readonly streamUrl: string };
  readonly reference: { readonly url: string; readonly key: string | null };
  /** The second source of share prices; null where the first one is real and no real second one is named. */
  readonly referenceFallback: { readonly url: string; readonly key: string; readonly provider: ShareQuotesProvider } | null;
  /** `pools`: the pool whose bars stand for a token, by symbol. */
  readonly spotchain: {
    readonly url: string;
    readonly key: string | null;
    readonly candlesUrl: string;
    readonly pools: Pick<ReadonlyMap<string, string>, 'get'>;
    /** A node of the chain, which may hold a key; null where the aggregator is real and no node of its chain is named. */
    readonly rpcUrl: string | null;
    /** Those who sign swaps beside their takers. */
    readonly makers: readonly string[];
    /** Whose the partner's part of a launch's fees is; null where nobody is named. */
    readonly launchPartner: string | null;
  };
  /** A node of the EVM chain; its address may hold a key. `tokens` is what a wallet is asked for. */
  readonly evmchain: { readonly url: string; readonly chainId: number; readonly tokens: readonly TokenListing[] };
  /** Bridge providers; null where both chains are real and none is named, or only one of the chains is. */
  readonly bridge: { readonly relay: { readonly url: string; readonly key: string | null } | null; readonly cctpUrl: string | null } | null;
  /** The identity provider's signing API; null where nothing is signed by it. */
  readonly signerUrl: string | null;
  readonly issuerUrl: string;
  readonly issuerProvider: MarkProvider;
  readonly newsUrl: string;
  readonly intelligence: {
    /** Sent with every request for wire items; null where none is wanted. */
    readonly newsKey: string | null;
    readonly tvlUrl: string;
    readonly macro: { readonly url: string; readonly key: string };
    /** `contact` is the User-Agent that the regulator wants; `archiveUrl` is where the documents lie, null in the sandbox. */
    readonly filings: { readonly url: string; readonly contact: string; readonly archiveUrl: string | null };
    /** `siteUrl` is where posts can be looked at, null in the sandbox. */
    readonly social: { readonly url: string; readonly key: string | null; readonly siteUrl: string | null };
  };
  readonly prediction: PredictionAddresses;
  readonly identity: { readonly issuer: string; readonly audience: string; readonly jwksUrl: string };
}

/** The simulators in the order of their ports: the first has SANDBOX_PORT, each next one the port after it, the chain's sockets and the control door the last two. */
export const SIMULATORS = [
  'spotexchange',
  'evmvenue',
  'spotchain',
  'reference',
  'issuer',
  'news',
  'identity',
  'tvl',
  'macro',
  'filings',
  'social',
  'evmchain',
  'polymarket',
  'kalshi',
  'fallback',
  'signer',
  'onchain',
  'relay',
  'cctp',
  // The last one: its sockets have the port after it.
  'primarychain',
] as const;
export type SimulatorName = (typeof SIMULATORS)[number];

export interface Sandbox {
  /** Address of each simulator that runs here: `http://127.0.0.1:<port>`. */
  readonly urls: Readonly<Record<SimulatorName, string>>;
  /** Where the simulators' faults are switched (src/sandbox/control.ts). */
  readonly controlUrl: string;
  stop(): Promise<void>;
}

/** Read when it is asked for: agent tokens are listed while the service runs. */
const tokensOf = (entries: readonly CatalogEntry[]) =>
  entries.flatMap((entry) =>
    entry.token === null
      ? []
      : [
          {
            symbol: entry.instrument,
            mint: entry.token.mint,
            decimals: entry.token.decimals,
            underlying: entry.underlying,
            multiplier: entry.token.multiplier,
            newMultiplier: entry.token.newMultiplier,
            newMultiplierEffectiveAt: entry.token.newMultiplierEffectiveAt,
            transferFeeBps: entry.token.transferFeeBps,
          },
        ],
  );
const preIpo = CATALOG.entries.filter(({ kind }) => kind === 'pre_ipo');
/** Companies of the catalog as the regulator knows them; of those that are not listed there are no current reports. */
const companies = ISSUERS.flatMap(({ asset, cik, names }) => (cik === null ? [] : [{ cik, symbol: asset, name: names[0] ?? asset }]));
const listed = companies.filter(({ symbol }) => preIpo.every(({ underlying }) => underlying !== symbol));
/** What the sandbox's statistics office and regulator ask for; of no use anywhere else. */
const SANDBOX_MACRO_KEY = '0123456789abcdef0123456789abcdef';
const SANDBOX_CONTACT = 'Sevengate sandbox@localhost.example';
/** The stablecoin's contract on the sandbox's EVM chain. */
const SANDBOX_EVM_STABLE = EVM_TOKENS.find(({ symbol }) => symbol === 'USDC')?.contract ?? '';
/** What the sandbox's aggregator and oracle ask for; of no use anywhere else. */
const SANDBOX_KEY = 'sandbox';

/** Starts every simulator on loopback: one market behind them all. */
export async function startSandbox(config: Config, clock: Clock): Promise<Sandbox> {
  // Their libraries are large, and every command reads this file.
  const { createEvmChainSimulator, foundLedger, newestBlock } = await import('../sandbox/evmchain/simulator.ts');
  const { createRelaySimulator } = await import('../sandbox/bridge/relay-simulator.ts');
  const { createCctpSimulator } = await import('../sandbox/bridge/cctp-simulator.ts');
  const { createBridgeScript } = await import('../sandbox/bridge/script.ts');
  const { bridgeVerbs } = await import('../sandbox/bridge/control.ts');
  const { foundChain, openSolanaNode } = await import('../sandbox/solana/simulator.ts');
  const { chainStanding, chainVerbs } = await import('../sandbox/solana/control.ts');
  const { startKeeper } = await import('../sandbox/solana/launch-programs/keeper.ts');
  const { createSwapBuilder } = await import('../sandbox/spotchain/swap-builder.ts');
  const { createOnchainPredictionSimulator } = await import('../sandbox/prediction/onchain-simulator.ts');
  const market = await sandboxMarket(config.SANDBOX_SEED, config.SANDBOX_TAPE, clock.now());
  const questions = createSeededQuestions({ seed: config.SANDBOX_SEED, market });
  const value = (symbol: string, at: EpochMs): number => market.value(symbol, at);
  const stories = createSeededStories({
    seed: config.SANDBOX_SEED,
    symbols: market.assets.map(({ symbol }) => symbol),
    filers: listed.map(({ symbol }) => symbol),
    value,
  });
  const faults = Object.fromEntries(SIMULATORS.map((name, index) => [name, createFaultSwitch(config.SANDBOX_SEED + index)])) as Record<
    SimulatorName,
    FaultSwitch
  >;
  const portAt = (index: number): number => (config.SANDBOX_PORT === 0 ? 0 : config.SANDBOX_PORT + index);
  const place = (name: SimulatorName) => ({ clock, faults: faults[name], port: portAt(SIMULATORS.indexOf(name)) });
  const mints = tokensOf([
    ...CATALOG.fixed.entries,
    ...SANDBOX_AGENT_TOKENS.map((token) => agentTokenEntry({ ...token, delistedAt: null })),
  ]);
  const stable = { mint: USDC_MINT, decimals: USDC_DECIMALS };
  const chain = foundChain({ clock, seed: config.SANDBOX_SEED, programs: config.SANDBOX_CHAIN_PROGRAMS, mints, stable });
  startKeeper(chain);
  const ledger = foundLedger({
    chainId: config.EVMCHAIN_ID,
    tokens: EVM_TOKENS,
    newest: () => newestBlock(clock.now() + faults.evmchain.settings.clockOffsetMs),
  });
  const chains = { solana: chain, evm: ledger, stable, token: SANDBOX_EVM_STABLE };
  const scripts = { relay: createBridgeScript(), cctp: createBridgeScript() };
  const handler = createSwapBuilder({ chain, clock, mints, stable });
  const opened: { readonly url: string; close(): Promise<void> }[] = [];
  const open = async (simulator: Promise<{ readonly url: string; close(): Promise<void> }>): Promise<string> => {
    const made = await simulator.catch((error: unknown) => {
      const { port = portAt(opened.length) } = error as { readonly port?: number };
      throw listenRefusal(error, '127.0.0.1', port, 'SANDBOX_PORT');
    });
    opened.push(made);
    return made.url;
  };
  try {
    const urls = {
      spotexchange: await open(createSpotExchangeSimulator({ market, keys: [SANDBOX_EXCHANGE_KEY], ...place('spotexchange') })),
      evmvenue: await open(createEvmVenueSimulator({ market, ...place('evmvenue') })),
      spotchain: await open(
        createSpotchainSimulator({
          market: combinedMarket(market, createSeededMarket({ seed: config.SANDBOX_SEED, assets: AGENT_ASSETS })),
          tokens: mints,
          stable,
          handler,
          apiKeys: [SANDBOX_KEY],
          ...place('spotchain'),
        }),
      ),
      reference: await open(
        createReferenceSimulator({
          market,
          feeds: REFERENCE_FEEDS.map(({ instrument, feedId, feedSymbol }) => ({ symbol: instrument, feedId, feedSymbol })),
          apiKey: SANDBOX_KEY,
          ...place('reference'),
        }),
      ),
      issuer: await open(
        createIssuerSimulator({
          market,
          tokens: preIpo.map(({ instrument, name, token }) => ({ symbol: instrument, mint: token?.mint ?? '', name })),
          ...place('issuer'),
        }),
      ),
      news: await open(createNewsSimulator({ news: stories, ...place('news') })),
      identity: await open(createIdentityProvider({ folder: identityFolder(config), ...place('identity') })),
      tvl: await open(createTvlSimulator({ market, seed: config.SANDBOX_SEED, ...place('tvl') })),
      macro: await open(
        createMacroSimulator({ macro: createSeededMacro(config.SANDBOX_SEED, value), apiKey: SANDBOX_MACRO_KEY, ...place('macro') }),
      ),
      filings: await open(createFilingsSimulator({ stories, companies, ...place('filings') })),
      social: await open(createSocialSimulator({ market, stories, seed: config.SANDBOX_SEED, bearer: SANDBOX_KEY, ...place('social') })),
      evmchain: await open(createEvmChainSimulator({ chainId: config.EVMCHAIN_ID, tokens: EVM_TOKENS, ledger, ...place('evmchain') })),
      polymarket: await open(createPolymarketSimulator({ questions, ...place('polymarket') })),
      kalshi: await open(createKalshiSimulator({ questions, key: openAccessKey(predictionKeyFolder(config)), ...place('kalshi') })),
      fallback: await open(
        createShareQuotesSimulator({
          market,
          symbols: REFERENCE_FEEDS.map(({ instrument }) => instrument),
          apiKey: SANDBOX_KEY,
          ...place('fallback'),
        }),
      ),
      signer: await open(createRemoteSignerSimulator({ authorizationKeys: () => registeredKeys(config), ...place('signer') })),
      onchain: await open(createOnchainPredictionSimulator({ questions, chain, stable, key: SANDBOX_KEY, ...place('onchain') })),
      relay: await open(createRelaySimulator({ ...chains, chainId: config.EVMCHAIN_ID, script: scripts.relay, ...place('relay') })),
      cctp: await open(
        createCctpSimulator({ ...chains, evmDomain: EVM_DOMAINS[config.EVMCHAIN_ID] ?? 3, script: scripts.cctp, ...place('cctp') }),
      ),
      primarychain: await open(openSolanaNode(chain, { seed: config.SANDBOX_SEED, ...place('primarychain') })),
    };
    const chainClient = {
      standing: () => chainStanding(chain),
      verbs: { ...chainVerbs(chain, handler), ...bridgeVerbs(ledger, SANDBOX_EVM_STABLE, scripts) },
    };
    const controlUrl = await open(openSandboxControl({ faults, chain: chainClient, port: portAt(SIMULATORS.length + 1) }));
    const note = noteSandbox(config, { control: controlUrl, simulators: urls });
    return {
      urls,
      controlUrl,
      stop: async () => {
        rmSync(note, { force: true });
        await Promise.all(opened.map((simulator) => simulator.close()));
      },
    };
  } catch (error) {
    await Promise.allSettled(opened.map((simulator) => simulator.close()));
    throw error;
  }
}

/** Writes down where the sandbox listens while it does, for whoever wants to switch its faults. */
function noteSandbox(
  config: Config,
  places: { readonly control: string; readonly simulators: Readonly<Record<SimulatorName, string>> },
): string {
  const file = join(resolve(config.SEVENGATE_HOME), 'sandbox.json');
  mkdirSync(resolve(config.SEVENGATE_HOME), { recursive: true, mode: 0o711 });
  const draft = `${file}.${process.pid}.new`;
  // `doubles` is the name that scripts of users read before it was `simulators`.
  writeFileSync(draft, `${JSON.stringify({ ...places, doubles: places.simulators }, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
  return file;
}

/** The sandbox of a running service with this state folder, for a command beside it; null where none runs. */
export function knownSandbox(config: Config): Pick<Sandbox, 'urls'> | null {
  try {
    const noted = JSON.parse(readFileSync(join(resolve(config.SEVENGATE_HOME), 'sandbox.json'), 'utf8')) as { simulators: Sandbox['urls'] };
    return { urls: noted.simulators };
  } catch {
    return null;
  }
}

/** True where some outside system is not named by the environment, so that the sandbox stands in for it. */
export function needsSandbox(config: Config): boolean {
  return [
    config.SPOTEXCHANGE_URL,
    config.EVMVENUE_URL,
    config.EVMCHAIN_URL,
    config.SPOTCHAIN_URL,
    config.REFERENCE_URL,
    config.NEWS_URL,
    config.POLYMARKET_GAMMA_URL,
    config.KALSHI_URL,
    config.TVL_URL,
    config.MACRO_URL,
    config.FILINGS_URL,
    config.SOCIAL_URL,
    config.IDP_ISSUER,
    config.SVC_DELEGATED_SIGNING_ENABLED ? config.IDP_SIGNER_URL : '',
  ].includes(null);
}

/** The addresses as the environment gives them, and the sandbox's where it gives none. @throws Error where neither does. */
export function addressesOf(config: Config, sandbox: Pick<Sandbox, 'urls'> | null): Addresses {
  const simulator = (name: SimulatorName): string => {
    if (sandbox) return sandbox.urls[name];
    if (config.SANDBOX_PORT !== 0) return `http://127.0.0.1:${config.SANDBOX_PORT + SIMULATORS.indexOf(name)}`;
    throw new Error(
      `no address is set for ${name}, and no sandbox runs in this process: set its URL, or SANDBOX_PORT to where the sandbox role listens`,
    );
  };
  const stream = (url: string): string => url.replace(/^http/, 'ws');
  const key = (url: string | null, given: { reveal(): string } | null): string | null =>
    url === null ? SANDBOX_KEY : (given?.reveal() ?? null);
  return {
    spotexchange: {
      url: config.SPOTEXCHANGE_URL ?? simulator('spotexchange'),
      streamUrl: config.SPOTEXCHANGE_STREAM_URL ?? stream(simulator('spotexchange')),
    },
    evmvenue: {
      url: config.EVMVENUE_URL ?? simulator('evmvenue'),
      streamUrl: config.EVMVENUE_STREAM_URL ?? `${stream(simulator('evmvenue'))}/ws`,
    },
    reference: { url: config.REFERENCE_URL ?? simulator('reference'), key: key(config.REFERENCE_URL, config.REFERENCE_KEY) },
    referenceFallback: fallbackAddress(config, simulator),
    spotchain: {
      url: config.SPOTCHAIN_URL ?? simulator('spotchain'),
      key: key(config.SPOTCHAIN_URL, config.SPOTCHAIN_KEY),
      candlesUrl: config.SPOTCHAIN_CANDLES_URL ?? simulator('spotchain'),
      pools: config.SPOTCHAIN_CANDLES_URL === null ? SANDBOX_POOLS : new Map(),
      // A real aggregator's transactions are not for the sandbox's chain.
      rpcUrl: config.SPOTCHAIN_RPC_URL?.reveal() ?? (config.SPOTCHAIN_URL === null ? simulator('primarychain') : null),
      makers: config.SPOTCHAIN_URL === null ? [SANDBOX_MAKER] : [],
      launchPartner: config.LAUNCH_PARTNER_WALLET ?? (config.SPOTCHAIN_URL === null ? SANDBOX_LAUNCH_PARTNER : null),
    },
    evmchain: {
      url: config.EVMCHAIN_URL?.reveal() ?? simulator('evmchain'),
      chainId: config.EVMCHAIN_ID,
      tokens: config.EVMCHAIN_TOKENS ?? EVM_TOKENS,
    },
    bridge: bridgeAddresses(config, simulator),
    signerUrl: config.IDP_SIGNER_URL ?? (config.SVC_DELEGATED_SIGNING_ENABLED ? simulator('signer') : null),
    issuerUrl: config.ISSUER_URL ?? simulator('issuer'),
    // The simulator speaks for one issuer only.
    issuerProvider: config.ISSUER_URL === null ? 'prestocks' : config.ISSUER_PROVIDER,
    newsUrl: config.NEWS_URL ?? simulator('news'),
    intelligence: {
      newsKey: config.NEWS_KEY?.reveal() ?? null,
      tvlUrl: config.TVL_URL ?? simulator('tvl'),
      macro: {
        url: config.MACRO_URL ?? simulator('macro'),
        key: config.MACRO_URL === null ? SANDBOX_MACRO_KEY : (config.MACRO_KEY?.reveal() ?? ''),
      },
      filings: {
        url: config.FILINGS_URL ?? simulator('filings'),
        contact: config.FILINGS_URL === null ? SANDBOX_CONTACT : (config.FILINGS_CONTACT ?? ''),
        archiveUrl: config.FILINGS_URL === null ? null : 'https://www.sec.gov/Archives',
      },
      social: {
        url: config.SOCIAL_URL ?? simulator('social'),
        key: key(config.SOCIAL_URL, config.SOCIAL_KEY),
        siteUrl: config.SOCIAL_URL === null ? null : 'https://x.com',
      },
    },
    prediction: predictionAddresses(config, simulator),
    identity:
      config.IDP_ISSUER !== null && config.IDP_AUDIENCE !== null && config.IDP_JWKS_URL !== null
        ? { issuer: config.IDP_ISSUER, audience: config.IDP_AUDIENCE, jwksUrl: config.IDP_JWKS_URL }
        : { issuer: SANDBOX_ISSUER, audience: SANDBOX_AUDIENCE, jwksUrl: `${simulator('identity')}/.well-known/jwks.json` },
  };
}

/** The sandbox's providers carry between the sandbox's chains, and real ones between real chains. */
function bridgeAddresses(config: Config, simulator: (name: SimulatorName) => string): Addresses['bridge'] {
  const { RELAY_URL: relayUrl, CCTP_URL: cctpUrl } = config;
  if (config.SPOTCHAIN_URL === null && config.EVMCHAIN_URL === null)
    return { relay: { url: simulator('relay'), key: null }, cctpUrl: simulator('cctp') };
  if (relayUrl === null && cctpUrl === null) return null;
  return { relay: relayUrl === null ? null : { url: relayUrl, key: config.RELAY_KEY?.reveal() ?? null }, cctpUrl };
}

/** In the sandbox every token of the catalog has a pool, as soon as it is listed. */
const SANDBOX_POOLS: Addresses['spotchain']['pools'] = {
  get(symbol) {
    const token = CATALOG.bySymbol(symbol)?.token ?? null;
    return token === null ? undefined : poolAddress(token.mint);
  },
};

/** A simulated price never stands in for a real one: beside a real first source there is a real second one, or none. */
function fallbackAddress(config: Config, simulator: (name: SimulatorName) => string): Addresses['referenceFallback'] {
  const { REFERENCE_URL: first, REFERENCE_FALLBACK_URL: url, REFERENCE_FALLBACK_KEY: key } = config;
  if (url !== null && key !== null) return { url, key: key.reveal(), provider: config.REFERENCE_FALLBACK_PROVIDER };
  return first === null ? { url: `${simulator('fallback')}/api/v1`, key: SANDBOX_KEY, provider: 'finnhub' } : null;
}

/** The local identity provider's keys; any process of this state folder may mint with them. */
export function localSigningKeys(config: Config, clock: Pick<Clock, 'now'>): SigningKeys {
  return openSigningKeys({ folder: identityFolder(config), issuer: SANDBOX_ISSUER, now: () => clock.now() });
}

function identityFolder(config: Config): string {
  return join(resolve(config.SEVENGATE_HOME), 'identity');
}
