/** Where each outside system is: at the address that the environment names, or at its double in the sandbox. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Clock } from '../../streams/clock.ts';
import { CATALOG, REFERENCE_FEEDS, USDC_DECIMALS, USDC_MINT } from '../domain/catalog.ts';
import { openSandboxControl } from '../sandbox/control.ts';
import { createEvmVenueDouble } from '../sandbox/evmvenue/double.ts';
import { createFaultSwitch, type FaultSwitch } from '../sandbox/faults.ts';
import { createIdentityProvider, SANDBOX_AUDIENCE, SANDBOX_ISSUER } from '../sandbox/identity/provider.ts';
import { openSigningKeys, type SigningKeys } from '../sandbox/identity/signing-keys.ts';
import { createNewsDouble } from '../sandbox/news/double.ts';
import { createSeededNews } from '../sandbox/news/seeded-news.ts';
import { createReferenceDouble } from '../sandbox/reference/double.ts';
import { createIssuerDouble } from '../sandbox/reference/issuer.ts';
import { createSpotchainDouble, poolAddress } from '../sandbox/spotchain/double.ts';
import { createSpotExchangeDouble } from '../sandbox/spotexchange/double.ts';
import type { Config } from './config.ts';
import { sandboxMarket } from './sandbox-market.ts';
import { listenRefusal } from './listening.ts';

export interface Addresses {
  readonly spotexchange: { readonly url: string; readonly streamUrl: string };
  readonly evmvenue: { readonly url: string; readonly streamUrl: string };
  readonly reference: { readonly url: string; readonly key: string | null };
  /** `pools`: the pool whose bars stand for a token, by symbol. */
  readonly spotchain: {
    readonly url: string;
    readonly key: string | null;
    readonly candlesUrl: string;
    readonly pools: ReadonlyMap<string, string>;
  };
  readonly issuerUrl: string;
  readonly newsUrl: string;
  readonly identity: { readonly issuer: string; readonly audience: string; readonly jwksUrl: string };
}

/** The doubles in the order of their ports: the first has SANDBOX_PORT, each next one the port after it, the control door the last. */
export const DOUBLES = ['spotexchange', 'evmvenue', 'spotchain', 'reference', 'issuer', 'news', 'identity'] as const;
export type DoubleName = (typeof DOUBLES)[number];

export interface Sandbox {
  /** Address of each double that runs here: `http://127.0.0.1:<port>`. */
  readonly urls: Readonly<Record<DoubleName, string>>;
  /** Where the doubles' faults are switched (src/sandbox/control.ts). */
  readonly controlUrl: string;
  stop(): Promise<void>;
}

const tokens = CATALOG.entries.flatMap((entry) =>
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
/** What the sandbox's aggregator and oracle ask for; of no use anywhere else. */
const SANDBOX_KEY = 'sandbox';

/** Starts every double on loopback: one market behind them all. */
export async function startSandbox(config: Config, clock: Clock): Promise<Sandbox> {
  const market = await sandboxMarket(config.SANDBOX_SEED, config.SANDBOX_TAPE, clock.now());
  const news = createSeededNews({ seed: config.SANDBOX_SEED, symbols: market.assets.map(({ symbol }) => symbol) });
  const faults = Object.fromEntries(DOUBLES.map((name, index) => [name, createFaultSwitch(config.SANDBOX_SEED + index)])) as Record<
    DoubleName,
    FaultSwitch
  >;
  const portAt = (index: number): number => (config.SANDBOX_PORT === 0 ? 0 : config.SANDBOX_PORT + index);
  const place = (name: DoubleName) => ({ clock, faults: faults[name], port: portAt(DOUBLES.indexOf(name)) });
  const opened: { readonly url: string; close(): Promise<void> }[] = [];
  const open = async (double: Promise<{ readonly url: string; close(): Promise<void> }>): Promise<string> => {
    const made = await double.catch((error: unknown) => {
      throw listenRefusal(error, '127.0.0.1', portAt(opened.length), 'SANDBOX_PORT');
    });
    opened.push(made);
    return made.url;
  };
  try {
    const urls = {
      spotexchange: await open(createSpotExchangeDouble({ market, ...place('spotexchange') })),
      evmvenue: await open(createEvmVenueDouble({ market, ...place('evmvenue') })),
      spotchain: await open(
        createSpotchainDouble({
          market,
          tokens,
          stable: { mint: USDC_MINT, decimals: USDC_DECIMALS },
          apiKeys: [SANDBOX_KEY],
          ...place('spotchain'),
        }),
      ),
      reference: await open(
        createReferenceDouble({
          market,
          feeds: REFERENCE_FEEDS.map(({ instrument, feedId, feedSymbol }) => ({ symbol: instrument, feedId, feedSymbol })),
          apiKey: SANDBOX_KEY,
          ...place('reference'),
        }),
      ),
      issuer: await open(
        createIssuerDouble({
          market,
          tokens: preIpo.map(({ instrument, name, token }) => ({ symbol: instrument, mint: token?.mint ?? '', name })),
          ...place('issuer'),
        }),
      ),
      news: await open(createNewsDouble({ news, ...place('news') })),
      identity: await open(createIdentityProvider({ folder: identityFolder(config), ...place('identity') })),
    };
    const controlUrl = await open(openSandboxControl({ faults, port: portAt(DOUBLES.length) }));
    const note = noteSandbox(config, { control: controlUrl, doubles: urls });
    return {
      urls,
      controlUrl,
      stop: async () => {
        rmSync(note, { force: true });
        await Promise.all(opened.map((double) => double.close()));
      },
    };
  } catch (error) {
    await Promise.allSettled(opened.map((double) => double.close()));
    throw error;
  }
}

/** Writes down where the sandbox listens while it does, for whoever wants to switch its faults. */
function noteSandbox(config: Config, places: { readonly control: string; readonly doubles: Readonly<Record<DoubleName, string>> }): string {
  const file = join(resolve(config.SEVENGATE_HOME), 'sandbox.json');
  mkdirSync(resolve(config.SEVENGATE_HOME), { recursive: true, mode: 0o711 });
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, `${JSON.stringify(places, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
  return file;
}

/** True where some outside system is not named by the environment, so that the sandbox stands in for it. */
export function needsSandbox(config: Config): boolean {
  return [
    config.SPOTEXCHANGE_URL,
    config.EVMVENUE_URL,
    config.SPOTCHAIN_URL,
    config.REFERENCE_URL,
    config.NEWS_URL,
    config.IDP_ISSUER,
  ].includes(null);
}

/** The addresses as the environment gives them, and the sandbox's where it gives none. @throws Error where neither does. */
export function addressesOf(config: Config, sandbox: Pick<Sandbox, 'urls'> | null): Addresses {
  const double = (name: DoubleName): string => {
    if (sandbox) return sandbox.urls[name];
    if (config.SANDBOX_PORT !== 0) return `http://127.0.0.1:${config.SANDBOX_PORT + DOUBLES.indexOf(name)}`;
    throw new Error(
      `no address is set for ${name}, and no sandbox runs in this process: set its URL, or SANDBOX_PORT to where the sandbox role listens`,
    );
  };
  const stream = (url: string): string => url.replace(/^http/, 'ws');
  const key = (url: string | null, given: { reveal(): string } | null): string | null =>
    url === null ? SANDBOX_KEY : (given?.reveal() ?? null);
  return {
    spotexchange: {
      url: config.SPOTEXCHANGE_URL ?? double('spotexchange'),
      streamUrl: config.SPOTEXCHANGE_STREAM_URL ?? stream(double('spotexchange')),
    },
    evmvenue: {
      url: config.EVMVENUE_URL ?? double('evmvenue'),
      streamUrl: config.EVMVENUE_STREAM_URL ?? `${stream(double('evmvenue'))}/ws`,
    },
    reference: { url: config.REFERENCE_URL ?? double('reference'), key: key(config.REFERENCE_URL, config.REFERENCE_KEY) },
    spotchain: {
      url: config.SPOTCHAIN_URL ?? double('spotchain'),
      key: key(config.SPOTCHAIN_URL, config.SPOTCHAIN_KEY),
      candlesUrl: config.SPOTCHAIN_CANDLES_URL ?? double('spotchain'),
      pools: config.SPOTCHAIN_CANDLES_URL === null ? new Map(tokens.map(({ symbol, mint }) => [symbol, poolAddress(mint)])) : new Map(),
    },
    issuerUrl: double('issuer'),
    newsUrl: config.NEWS_URL ?? double('news'),
    identity:
      config.IDP_ISSUER !== null && config.IDP_AUDIENCE !== null && config.IDP_JWKS_URL !== null
        ? { issuer: config.IDP_ISSUER, audience: config.IDP_AUDIENCE, jwksUrl: config.IDP_JWKS_URL }
        : { issuer: SANDBOX_ISSUER, audience: SANDBOX_AUDIENCE, jwksUrl: `${double('identity')}/.well-known/jwks.json` },
  };
}

/** The local identity provider's keys; any process of this state folder may mint with them. */
export function localSigningKeys(config: Config, clock: Pick<Clock, 'now'>): SigningKeys {
  return openSigningKeys({ folder: identityFolder(config), issuer: SANDBOX_ISSUER, now: () => clock.now() });
}

function identityFolder(config: Config): string {
  return join(resolve(config.SEVENGATE_HOME), 'identity');
}
