/** Settings of the environment: names, accepted values and defaults. */
import { LOG_LEVELS } from '../adapters/log/log-levels.ts';
import { KEPT_DAYS } from '../adapters/store/trail/history-archive.ts';
import { MARK_PROVIDERS, SHARE_QUOTES_PROVIDERS } from '../adapters/venues/reference/providers.ts';
import { EVM_CHAIN_ID } from '../domain/identity/evm-chain.ts';
import { NEWS_PROVIDER_NAMES } from '../domain/intelligence/listening.ts';
import {
  absoluteFile,
  catalogFile,
  chainAddress,
  contact,
  evmTokens,
  flag,
  folder,
  host,
  macroKey,
  oneWord,
  origins,
  p256Key,
  programs,
  rsaKey,
  secret,
  secretUrl,
  tapeFile,
  text,
  url,
  urlOrSandbox,
  wholeNumber,
} from '../domain/settings/setting-values.ts';
import {
  type GivenSettings,
  optional,
  readSettings,
  setting,
  type SettingProblem,
  type SettingRules,
  settingsText,
  type Setting,
  type ValuesOf,
} from '../domain/settings/settings-table.ts';

const QUEUE_BACKENDS = ['redis', 'postgres'] as const;

/** Roles of a process. By default one process runs all. */
export const ROLES = ['api', 'worker', 'feed', 'sandbox'] as const;
export type Role = (typeof ROLES)[number];

const sandboxed = 'the sandbox';

/** One row per environment variable, in the order of `--help`. */
const SETTINGS = {
  PORT: setting(wholeNumber(0, 65_535), 8080, 'port of the HTTP service; 0 picks a free one', '8080'),
  EMERGENCY_PORT: setting(
    wholeNumber(0, 65_535),
    0,
    'port of the emergency halt and pause, served by a separate thread; 0 picks a free one',
    '0',
  ),
  HOST: setting(host, '127.0.0.1', 'address it listens on', '127.0.0.1'),
  SEVENGATE_HOME: setting(folder, '.sevengate', 'state folder', '.sevengate'),
  CATALOG_FILE: optional(
    catalogFile,
    'instruments, feed ids, budgets and limits of your own (npx sevengate catalog)',
    'catalog.json of the state folder, else the built-in ones',
  ),
  DATABASE_URL: optional(secretUrl('postgres:', 'postgresql:'), 'PostgreSQL 15 or later', 'an embedded one'),
  REDIS_URL: optional(
    secretUrl('redis:', 'rediss:', 'redis+cluster:', 'rediss+cluster:'),
    'Redis 6.2 or later with maxmemory-policy noeviction, or a cluster of them as redis+cluster://host:port?also=host:port,host:port',
    'an embedded server if installed',
  ),
  QUEUE_BACKEND: optional(oneWord(QUEUE_BACKENDS), 'redis or postgres', 'redis if REDIS_URL is set or Redis is installed, else postgres'),
  PROPOSAL_APPROVAL_MINUTES: setting(wholeNumber(1, 1_440), 10, 'minutes until a trade proposal expires without approval', '10'),
  FEED_HISTORY_DAYS: setting(wholeNumber(1, 3_650), 7, 'days that a feed can be resumed from a cursor', '7'),
  ACTIVITY_HISTORY_DAYS: setting(wholeNumber(1, 3_650), 30, 'days that ended activities are kept', '30'),
  TRAIL_HISTORY_DAYS: optional(
    wholeNumber(KEPT_DAYS, 36_500),
    'days that decisions, what they rest on, audit, leaves of signed batches and steps of ended orders stay in the database before they move to archive files',
    'for ever',
  ),
  ALLOWED_ORIGINS: setting(origins, [], 'web origins that may open feeds with a cookie, separated by commas', 'its own'),
  LOG_LEVEL: setting(oneWord(LOG_LEVELS), 'info', LOG_LEVELS.join(', '), 'info'),
  SVC_LIVE_SPOTEXCHANGE_ENABLED: setting(flag, false, 'allow live orders on the spot exchange: true or false', 'false'),
  SVC_EXCHANGE_DAILY_LIMIT_USD: setting(
    wholeNumber(1, 1_000_000_000),
    1_000_000,
    'max live buys of one organization on the spot exchange within 24 hours, in US dollars',
    '1000000',
  ),
  SVC_DELEGATED_SIGNING_ENABLED: setting(flag, false, 'allow delegated session signers: true or false', 'false'),
  SVC_DELEGATED_DAILY_LIMIT_USD: setting(
    wholeNumber(1, 1_000_000_000),
    100_000,
    'max purchases that delegated session signers sign within 24 hours, in US dollars',
    '100000',
  ),
  IDP_AUTHORIZATION_PRIVATE_KEY: optional(p256Key, 'P-256 private key, PEM or base64 PKCS #8; needed by delegated signing'),
  IDP_AUTHORIZATION_PRIVATE_KEY_FILE: optional(absoluteFile, 'file with this key instead, read only by the signer process'),
  IDP_SIGNER_URL: optional(url('https:', 'http:'), "the identity provider's API, which signs for delegated wallets", sandboxed),
  IDP_APP_ID: optional(text, 'app id at the identity provider'),
  IDP_APP_SECRET: optional(secret, 'secret of the same'),
  IDP_ISSUER: optional(url('https:', 'http:'), 'issuer of the identity provider', 'a local one'),
  IDP_AUDIENCE: optional(text, 'required audience of its tokens', 'a local one'),
  IDP_JWKS_URL: optional(url('https:', 'http:'), 'URL of its public keys (JWKS)', 'a local one'),
  SPOTCHAIN_URL: optional(url('https:', 'http:'), 'aggregator of the primary chain', sandboxed),
  SPOTCHAIN_KEY: optional(secret, 'key of the same'),
  SPOTCHAIN_RPC_URL: optional(
    secretUrl('https:', 'http:'),
    'JSON-RPC node of the primary chain; without it a real aggregator only quotes prices',
    sandboxed,
  ),
  LAUNCH_PARTNER_WALLET: optional(
    chainAddress,
    "wallet that the partner's part of the fees of launches goes to; without it nothing is launched on a real chain",
    sandboxed,
  ),
  AGENTLAUNCH_URL: optional(
    url('https:', 'http:'),
    'external launcher of agent tokens; needs SPOTCHAIN_RPC_URL',
    "the sandbox's, beside its chain",
  ),
  AGENTLAUNCH_KEY: optional(secret, 'key of the same'),
  SPOTCHAIN_CANDLES_URL: optional(url('https:', 'http:'), 'history of tokens on the primary chain', sandboxed),
  SPOTEXCHANGE_URL: optional(url('https:', 'http:'), 'spot exchange', sandboxed),
  SPOTEXCHANGE_STREAM_URL: optional(url('wss:', 'ws:'), 'its stream', sandboxed),
  SPOTEXCHANGE_WS_API_URL: optional(
    url('wss:', 'ws:'),
    'its WebSocket API, which reports orders; without it resting orders are polled',
    sandboxed,
  ),
  EVMVENUE_URL: optional(url('https:', 'http:'), 'perpetual-futures venue', sandboxed),
  EVMVENUE_STREAM_URL: optional(url('wss:', 'ws:'), 'its stream', sandboxed),
  EVMCHAIN_URL: optional(secretUrl('https:', 'http:'), 'JSON-RPC node of the EVM chain', sandboxed),
  EVMCHAIN_ID: setting(wholeNumber(1, 2 ** 32 - 1), EVM_CHAIN_ID, 'chain id of the EVM chain', String(EVM_CHAIN_ID)),
  EVMCHAIN_TOKENS: optional(
    evmTokens,
    'its tokens as SYMBOL=0xcontract, separated by commas',
    'USDC, USDC.e, USDT and WETH of Arbitrum One',
  ),
  RELAY_URL: optional(
    url('https:', 'http:'),
    'bridge provider that pays out of its own money; needs real nodes of both chains',
    "the sandbox's, beside its chains",
  ),
  RELAY_STREAM_URL: optional(
    url('wss:', 'ws:'),
    'its push API for transfer updates; without it transfers are polled',
    "the sandbox's, beside its chains",
  ),
  RELAY_KEY: optional(secret, 'key of the same'),
  CCTP_URL: optional(
    url('https:', 'http:'),
    "attestation service of the stablecoin's issuer; needs real nodes of both chains",
    "the sandbox's, beside its chains",
  ),
  INDEXER_URL: optional(
    url('https:', 'http:'),
    "indexing provider of the primary chain, for the leaderboard's histories; needs a real chain",
    "the sandbox's, beside its chain",
  ),
  INDEXER_KEY: optional(secret, 'key of the same'),
  REFERENCE_URL: optional(url('https:', 'http:'), 'reference prices of the underlying shares', sandboxed),
  REFERENCE_KEY: optional(secret, 'key of the same'),
  REFERENCE_FALLBACK_URL: optional(url('https:', 'http:'), 'second source of these prices, used while the first is stale', sandboxed),
  REFERENCE_FALLBACK_KEY: optional(secret, 'its API key; required with the URL'),
  REFERENCE_FALLBACK_PROVIDER: setting(oneWord(SHARE_QUOTES_PROVIDERS), 'finnhub', 'its provider: finnhub or alpaca', 'finnhub'),
  ISSUER_URL: optional(url('https:', 'http:'), 'marks of pre-IPO tokens, by their issuer', sandboxed),
  ISSUER_PROVIDER: setting(oneWord(MARK_PROVIDERS), 'prestocks', 'the issuer: prestocks or tessera', 'prestocks'),
  NEWS_URL: optional(url('https:', 'http:'), 'wire items about the market', sandboxed),
  NEWS_KEY: optional(secret, 'its API key; for alpaca id and secret joined by a colon'),
  NEWS_PROVIDER: optional(
    oneWord(NEWS_PROVIDER_NAMES),
    'their provider, required with the URL: alpaca (https://data.alpaca.markets) or finnhub (https://finnhub.io/api/v1)',
    sandboxed,
  ),
  TVL_URL: optional(url('https:', 'http:'), 'value locked on chains', sandboxed),
  MACRO_URL: optional(url('https:', 'http:'), 'macro series and their calendar', sandboxed),
  MACRO_KEY: optional(macroKey, 'its API key; required with the URL'),
  FILINGS_URL: optional(url('https:', 'http:'), 'filings with the regulator', sandboxed),
  FILINGS_CONTACT: optional(contact, 'company and e-mail address sent to the regulator; required with the URL'),
  SOCIAL_URL: optional(url('https:', 'http:'), 'social posts about the market', sandboxed),
  SOCIAL_KEY: optional(secret, 'key of the same'),
  POLYMARKET_GAMMA_URL: optional(url('https:', 'http:'), 'catalogue of the first provider of prediction markets', sandboxed),
  POLYMARKET_CLOB_URL: optional(url('https:', 'http:'), 'its order books', sandboxed),
  POLYMARKET_DATA_URL: optional(url('https:', 'http:'), 'its trades', sandboxed),
  POLYMARKET_STREAM_URL: optional(url('wss:', 'ws:'), 'its stream', sandboxed),
  KALSHI_URL: optional(url('https:', 'http:'), 'second provider of prediction markets', sandboxed),
  KALSHI_STREAM_URL: optional(url('wss:', 'ws:'), 'its stream', sandboxed),
  KALSHI_KEY_ID: optional(text, 'id of the key that opens its stream; without one its prices are polled'),
  KALSHI_PRIVATE_KEY: optional(rsaKey, 'its RSA private key, PEM'),
  PREDICTION_ONCHAIN_URL: optional(
    url('https:', 'http:'),
    'on-chain venue that live prediction orders go to',
    "the sandbox's, beside its markets and chain",
  ),
  PREDICTION_ONCHAIN_KEY: optional(secret, 'its API key; required with the URL'),
  PREDICTION_ONCHAIN_PROGRAMS: setting(programs, [], 'programs that its transactions may call, separated by commas', 'none'),
  MODEL_URL: optional(urlOrSandbox, 'OpenAI-compatible endpoint that may phrase assessments, or sandbox for the simulated one'),
  MODEL_NAME: optional(text, 'name of the model; required with the URL'),
  MODEL_KEY: optional(secret, 'key of the same'),
  SANDBOX_TAPE: optional(tapeFile, 'tape to price the sandbox from instead, played from its start', 'the seeded market'),
  SANDBOX_SEED: setting(wholeNumber(0, 2 ** 32 - 1), 1, "seed of the sandbox's market", '1'),
  SANDBOX_EXAMPLES: setting(flag, true, 'fill the market of a new sandbox with listings and launches: true or false', 'true'),
  SANDBOX_CHAIN_PROGRAMS: optional(folder, "folder of program binaries, <program id>.so, for the sandbox's primary chain"),
  SANDBOX_PORT: setting(wholeNumber(0, 65_000), 0, "first port of the sandbox's simulators on loopback; 0 picks free ones", '0'),
} satisfies Record<string, Setting<unknown>>;

/** Settings by their environment names, so that a search for a variable finds every reader. */
export type Config = ValuesOf<typeof SETTINGS>;

const RULES: SettingRules<keyof typeof SETTINGS> = {
  together: [
    ['IDP_ISSUER', 'IDP_AUDIENCE', 'IDP_JWKS_URL'],
    ['IDP_SIGNER_URL', 'IDP_APP_ID', 'IDP_APP_SECRET'],
    ['SPOTEXCHANGE_URL', 'SPOTEXCHANGE_STREAM_URL'],
    ['EVMVENUE_URL', 'EVMVENUE_STREAM_URL'],
    ['POLYMARKET_GAMMA_URL', 'POLYMARKET_CLOB_URL', 'POLYMARKET_DATA_URL', 'POLYMARKET_STREAM_URL'],
    ['KALSHI_URL', 'KALSHI_STREAM_URL'],
    ['KALSHI_KEY_ID', 'KALSHI_PRIVATE_KEY'],
    ['PREDICTION_ONCHAIN_URL', 'PREDICTION_ONCHAIN_KEY'],
    ['REFERENCE_FALLBACK_URL', 'REFERENCE_FALLBACK_KEY'],
    ['MACRO_URL', 'MACRO_KEY'],
    ['NEWS_URL', 'NEWS_KEY', 'NEWS_PROVIDER'],
    ['FILINGS_URL', 'FILINGS_CONTACT'],
    ['MODEL_URL', 'MODEL_NAME'],
  ],
  keyOf: [
    ['REFERENCE_KEY', 'REFERENCE_URL'],
    ['SPOTCHAIN_KEY', 'SPOTCHAIN_URL'],
    ['KALSHI_PRIVATE_KEY', 'KALSHI_URL'],
    ['RELAY_KEY', 'RELAY_URL'],
    ['INDEXER_KEY', 'INDEXER_URL'],
    ['AGENTLAUNCH_KEY', 'AGENTLAUNCH_URL'],
    ['SOCIAL_KEY', 'SOCIAL_URL'],
    ['MODEL_KEY', 'MODEL_URL'],
  ],
  // Both must be real systems.
  onlyWith: [
    ['SPOTEXCHANGE_WS_API_URL', 'SPOTEXCHANGE_URL', "the sandbox's exchange has its own; set both"],
    ['REFERENCE_FALLBACK_URL', 'REFERENCE_URL', 'a real price must not stand in for a simulated one, so set both'],
    ['SPOTCHAIN_RPC_URL', 'SPOTCHAIN_URL', "the sandbox's aggregator builds for the sandbox's chain only, so set both"],
    ['RELAY_STREAM_URL', 'RELAY_URL', 'what it pushes is asked for there, so set both'],
    ['INDEXER_URL', 'SPOTCHAIN_URL', "a real history says nothing of the sandbox's chain, so set both"],
    ['AGENTLAUNCH_URL', 'SPOTCHAIN_RPC_URL', 'a real launcher is paid on the real chain, so set its node'],
  ],
  gone: {
    SPOTEXCHANGE_KEY: 'each organization has an account of its own: sevengate exchange-keys add takes its key, so remove this',
    SPOTEXCHANGE_SECRET: 'each organization has an account of its own: sevengate exchange-keys add takes its secret, so remove this',
  },
  prefixes: [
    'SEVENGATE_',
    'SVC_',
    'SPOTEXCHANGE_',
    'EVMVENUE_',
    'EVMCHAIN_',
    'REFERENCE_',
    'SPOTCHAIN_',
    'IDP_',
    'NEWS_',
    'TVL_',
    'MACRO_',
    'FILINGS_',
    'SOCIAL_',
    'POLYMARKET_',
    'KALSHI_',
    'RELAY_',
    'INDEXER_',
    'AGENTLAUNCH_',
    'CCTP_',
    'MODEL_',
    'SANDBOX_',
    'CATALOG_',
  ],
};

/** Reads the whole environment at once. Returns every setting, or every problem. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config | readonly SettingProblem[] {
  return readSettings(
    SETTINGS,
    RULES,
    (asked) => {
      complainOfFeatures(asked);
      complainOfPlaces(asked);
    },
    env,
  );
}

/** Reads only the settings that locate the catalog file, because most commands need no other. Null if one of the two is invalid. */
export function catalogSettings(env: Readonly<Record<string, string | undefined>>): Pick<Config, 'CATALOG_FILE' | 'SEVENGATE_HOME'> | null {
  const { CATALOG_FILE, SEVENGATE_HOME } = SETTINGS;
  const read = readSettings({ CATALOG_FILE, SEVENGATE_HOME }, { together: [], keyOf: [], onlyWith: [], prefixes: [] }, () => {}, env);
  return 'SEVENGATE_HOME' in read ? read : null;
}

type Asked = GivenSettings<typeof SETTINGS>;

/** Reports features that are enabled without their requirements. */
function complainOfFeatures({ given, values, complain }: Asked): void {
  const keyGiven = [given('IDP_AUTHORIZATION_PRIVATE_KEY'), given('IDP_AUTHORIZATION_PRIVATE_KEY_FILE')].filter((one) => one !== '');
  if (keyGiven.length > 1)
    complain('IDP_AUTHORIZATION_PRIVATE_KEY_FILE', 'is set together with IDP_AUTHORIZATION_PRIVATE_KEY: remove one of the two');
  if (values.SVC_DELEGATED_SIGNING_ENABLED === true && keyGiven.length === 0) {
    complain(
      'IDP_AUTHORIZATION_PRIVATE_KEY',
      'is missing, and SVC_DELEGATED_SIGNING_ENABLED=true needs it: set the key or turn delegated signing off',
    );
  }
}

/** Reports real systems next to simulated ones that they cannot work with. */
function complainOfPlaces({ given, values, complain }: Asked): void {
  for (const provider of ['RELAY_URL', 'CCTP_URL'] as const) {
    if (given(provider) === '') continue;
    const missing = (['SPOTCHAIN_RPC_URL', 'EVMCHAIN_URL'] as const).filter((node) => given(node) === '');
    if (missing.length > 0)
      complain(
        provider,
        `is set without ${missing.join(' and ')}: a real bridge carries nothing between simulated chains, so set both nodes`,
      );
  }
  if (given('REDIS_URL') !== '' && values.QUEUE_BACKEND === 'postgres') {
    complain('QUEUE_BACKEND', 'is postgres while REDIS_URL is set: remove one of the two');
  }
}

/** True if `readConfig` found no problems. */
export function isConfig(result: Config | readonly SettingProblem[]): result is Config {
  return !Array.isArray(result);
}

/** Returns the settings for `--help`, one per line. */
export const describeSettings = (): string => settingsText(SETTINGS);
