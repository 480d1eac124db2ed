// Every setting: its default, accepted values, and the sentence of a refusal.
import { generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { catalogSettings, type Config, describeSettings, isConfig, readConfig } from '../../src/boot/config.ts';
import { Secret } from '../../src/domain/values/secret.ts';

const pem = (curve: string) =>
  generateKeyPairSync('ec', { namedCurve: curve }).privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
const p256 = pem('P-256');
const p256Base64 = p256.replace(/-----[^-]+-----|\n/g, '');

function settings(env: Record<string, string>): Config {
  const result = readConfig(env);
  if (!isConfig(result)) throw new Error(result.map(({ sentence }) => sentence).join('\n'));
  return result;
}
function sentences(env: Record<string, string>): string[] {
  const result = readConfig(env);
  return isConfig(result) ? [] : result.map(({ sentence }) => sentence);
}
const plain = (value: unknown) => (value instanceof Secret ? value.reveal() : value);

test('an empty environment gives the whole sandboxed service on loopback', () => {
  expect(settings({ PATH: '/bin', HOME: '/root' })).toEqual({
    PORT: 8080,
    EMERGENCY_PORT: 0,
    HOST: '127.0.0.1',
    SEVENGATE_HOME: '.sevengate',
    CATALOG_FILE: null,
    DATABASE_URL: null,
    REDIS_URL: null,
    QUEUE_BACKEND: null,
    ALLOWED_ORIGINS: [],
    LOG_LEVEL: 'info',
    PROPOSAL_APPROVAL_MINUTES: 10,
    FEED_HISTORY_DAYS: 7,
    ACTIVITY_HISTORY_DAYS: 30,
    TRAIL_HISTORY_DAYS: null,
    SVC_LIVE_SPOTEXCHANGE_ENABLED: false,
    SVC_EXCHANGE_DAILY_LIMIT_USD: 1_000_000,
    SVC_DELEGATED_SIGNING_ENABLED: false,
    SVC_DELEGATED_DAILY_LIMIT_USD: 100_000,
    IDP_AUTHORIZATION_PRIVATE_KEY: null,
    IDP_AUTHORIZATION_PRIVATE_KEY_FILE: null,
    IDP_SIGNER_URL: null,
    IDP_APP_ID: null,
    IDP_APP_SECRET: null,
    IDP_ISSUER: null,
    IDP_AUDIENCE: null,
    IDP_JWKS_URL: null,
    SPOTCHAIN_URL: null,
    SPOTCHAIN_KEY: null,
    SPOTCHAIN_RPC_URL: null,
    LAUNCH_PARTNER_WALLET: null,
    SPOTCHAIN_CANDLES_URL: null,
    SPOTEXCHANGE_URL: null,
    SPOTEXCHANGE_STREAM_URL: null,
    SPOTEXCHANGE_WS_API_URL: null,
    EVMVENUE_URL: null,
    EVMVENUE_STREAM_URL: null,
    EVMCHAIN_URL: null,
    EVMCHAIN_ID: 42_161,
    EVMCHAIN_TOKENS: null,
    INDEXER_URL: null,
    INDEXER_KEY: null,
    AGENTLAUNCH_URL: null,
    AGENTLAUNCH_KEY: null,
    RELAY_URL: null,
    RELAY_STREAM_URL: null,
    RELAY_KEY: null,
    CCTP_URL: null,
    REFERENCE_URL: null,
    REFERENCE_KEY: null,
    REFERENCE_FALLBACK_URL: null,
    REFERENCE_FALLBACK_KEY: null,
    REFERENCE_FALLBACK_PROVIDER: 'finnhub',
    ISSUER_URL: null,
    ISSUER_PROVIDER: 'prestocks',
    NEWS_URL: null,
    NEWS_KEY: null,
    NEWS_PROVIDER: null,
    TVL_URL: null,
    MACRO_URL: null,
    MACRO_KEY: null,
    FILINGS_URL: null,
    FILINGS_CONTACT: null,
    SOCIAL_URL: null,
    SOCIAL_KEY: null,
    POLYMARKET_GAMMA_URL: null,
    POLYMARKET_CLOB_URL: null,
    POLYMARKET_DATA_URL: null,
    POLYMARKET_STREAM_URL: null,
    KALSHI_URL: null,
    KALSHI_STREAM_URL: null,
    KALSHI_KEY_ID: null,
    KALSHI_PRIVATE_KEY: null,
    PREDICTION_ONCHAIN_URL: null,
    PREDICTION_ONCHAIN_KEY: null,
    PREDICTION_ONCHAIN_PROGRAMS: [],
    MODEL_URL: null,
    MODEL_NAME: null,
    MODEL_KEY: null,
    SANDBOX_TAPE: null,
    SANDBOX_SEED: 1,
    SANDBOX_EXAMPLES: true,
    SANDBOX_CHAIN_PROGRAMS: null,
    SANDBOX_PORT: 0,
  });
});

const nodes = { SPOTCHAIN_URL: 'https://a.example', SPOTCHAIN_RPC_URL: 'https://n.example', EVMCHAIN_URL: 'https://e.example' };
const idp = { IDP_ISSUER: 'https://idp.example', IDP_AUDIENCE: 'sevengate', IDP_JWKS_URL: 'https://idp.example/jwks' };
const signer = { IDP_SIGNER_URL: 'https://s.example', IDP_APP_ID: 'app', IDP_APP_SECRET: 'k-6' };
const news = { NEWS_URL: 'https://n.example', NEWS_KEY: 'k', NEWS_PROVIDER: 'finnhub' };
const exchange = { SPOTEXCHANGE_URL: 'https://x.example', SPOTEXCHANGE_STREAM_URL: 'wss://x.example/ws' };
const poly = {
  POLYMARKET_GAMMA_URL: 'https://g.example',
  POLYMARKET_CLOB_URL: 'https://b.example',
  POLYMARKET_DATA_URL: 'https://d.example',
  POLYMARKET_STREAM_URL: 'wss://s.example/ws/market',
};
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
const PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const onchain = { PREDICTION_ONCHAIN_URL: 'https://o.example', PREDICTION_ONCHAIN_KEY: 'k' };
const kalshi = { KALSHI_URL: 'https://k.example', KALSHI_STREAM_URL: 'wss://k.example/ws', KALSHI_KEY_ID: 'id', KALSHI_PRIVATE_KEY: rsa };
const perps = { EVMVENUE_URL: 'https://p.example', EVMVENUE_STREAM_URL: 'wss://p.example/ws' };
const macro = { MACRO_URL: 'https://m.example', MACRO_KEY: '0a'.repeat(16) };
const model = { MODEL_URL: 'https://l.example/v1', MODEL_NAME: 'm-1' };
const filings = { FILINGS_URL: 'https://f.example', FILINGS_CONTACT: 'Desk desk@example.com' };
const fallback = { REFERENCE_URL: 'https://r.example', REFERENCE_FALLBACK_URL: 'https://q.example/api/v1', REFERENCE_FALLBACK_KEY: 'k-5' };
const both = { SPOTCHAIN_URL: 'https://c.example', REFERENCE_URL: 'https://r.example' };

// setting, accepted text, parsed value, refused text, part of the sentence, and other required settings
const ROWS: [keyof Config, string, unknown, string, string, Record<string, string>?][] = [
  ['PORT', '0', 0, '80a', 'is not a whole number from 0 to 65535'],
  ['PORT', '65535', 65535, '65536', 'is not a whole number from 0 to 65535'],
  ['HOST', '::', '::', 'http://localhost', 'is not an address to listen on'],
  ['SEVENGATE_HOME', '/srv/state', '/srv/state', 'a\0b', 'null character'],
  ['CATALOG_FILE', '/srv/desk.json', '/srv/desk.json', '/srv/desk.yaml', 'should end in .json'],
  [
    'DATABASE_URL',
    'postgres://u:p@db/x',
    'postgres://u:p@db/x',
    'mysql://u:hunter2@db/x',
    'should begin with postgres:// or postgresql://',
  ],
  ['REDIS_URL', 'rediss://:p@r:1', 'rediss://:p@r:1', 'localhost:6379', 'begins with localhost: and should begin with redis://'],
  ['QUEUE_BACKEND', 'postgres', 'postgres', 'postgre', 'did you mean postgres?'],
  ['ALLOWED_ORIGINS', 'https://a.example, http://b:81', ['https://a.example', 'http://b:81'], 'https://a.example/', 'is no origin'],
  ['ALLOWED_ORIGINS', 'https://a.example', ['https://a.example'], '*', 'is no origin'],
  ['EMERGENCY_PORT', '8085', 8085, '70000', 'is not a whole number from 0 to 65535'],
  ['LOG_LEVEL', 'debug', 'debug', 'verbose', 'is none of fatal, error'],
  ['PROPOSAL_APPROVAL_MINUTES', '1440', 1440, '0', 'is not a whole number from 1 to 1440'],
  ['FEED_HISTORY_DAYS', '30', 30, '0', 'is not a whole number from 1 to 3650'],
  ['ACTIVITY_HISTORY_DAYS', '7', 7, '0', 'is not a whole number from 1 to 3650'],
  ['TRAIL_HISTORY_DAYS', '400', 400, '29', 'is not a whole number from 30 to 36500'],
  ['SVC_LIVE_SPOTEXCHANGE_ENABLED', 'true', true, 'on', 'is neither true nor false'],
  ['SVC_DELEGATED_SIGNING_ENABLED', 'false', false, 'TRUE', 'is neither true nor false'],
  ['SVC_DELEGATED_DAILY_LIMIT_USD', '5000', 5_000, '0', 'is not a whole number from 1 to 1000000000'],
  ['SVC_EXCHANGE_DAILY_LIMIT_USD', '5000', 5_000, '0', 'is not a whole number from 1 to 1000000000'],
  ['IDP_AUTHORIZATION_PRIVATE_KEY', p256, p256, pem('P-384'), 'is no P-256 private key'],
  ['IDP_AUTHORIZATION_PRIVATE_KEY', `wallet-auth:${p256Base64}`, p256, 'wallet-auth:AAAA', 'is no P-256 private key'],
  ['IDP_AUTHORIZATION_PRIVATE_KEY', p256.replaceAll('\n', '\\n'), p256, 'changeme', 'is no P-256 private key'],
  ['IDP_AUTHORIZATION_PRIVATE_KEY_FILE', '/run/secrets/key', '/run/secrets/key', 'secrets/key', 'should be a path from the root on'],
  ['IDP_SIGNER_URL', 'https://s.example', 'https://s.example', 'https://u:p@s.example', 'holds a user name or password', signer],
  ['IDP_APP_ID', 'app', 'app', '', 'is missing', signer],
  ['IDP_APP_SECRET', 'k-6', 'k-6', 'k 6', 'was it copied whole?', signer],
  ['IDP_ISSUER', 'https://idp.example', 'https://idp.example', 'idp.example', 'is no URL', idp],
  ['IDP_AUDIENCE', 'sevengate', 'sevengate', '', 'is missing', idp],
  ['IDP_JWKS_URL', 'http://idp/jwks', 'http://idp/jwks', 'ftp://idp/jwks', 'should begin with https:// or http://', idp],
  ['SPOTCHAIN_URL', 'https://c.example', 'https://c.example', 'https://user:pw@c.example', 'holds a user name or password'],
  ['SPOTCHAIN_KEY', 'k-1', 'k-1', 'two words', 'was it copied whole?', both],
  ['SPOTCHAIN_RPC_URL', 'https://n.example/?k=1', 'https://n.example/?k=1', 'wss://n.example', 'should begin with https://', both],
  ['LAUNCH_PARTNER_WALLET', PROGRAM, PROGRAM, 'Memo', '32 bytes in base58 are'],
  ['SPOTCHAIN_CANDLES_URL', 'https://h.example', 'https://h.example', 'https://', 'is no URL'],
  ['SPOTEXCHANGE_URL', 'https://x.example', 'https://x.example', 'wss://x.example', 'should begin with https://', exchange],
  ['SPOTEXCHANGE_STREAM_URL', 'ws://x:1/s', 'ws://x:1/s', 'https://x.example', 'should begin with wss:// or ws://', exchange],
  ['SPOTEXCHANGE_WS_API_URL', 'wss://x.example/a', 'wss://x.example/a', 'https://x.example', 'should begin with wss:// or ws://', exchange],
  ['EVMVENUE_URL', 'https://p.example', 'https://p.example', 'p', 'is no URL', perps],
  ['EVMVENUE_STREAM_URL', 'wss://p.example', 'wss://p.example', 'http://p.example', 'should begin with wss:// or ws://', perps],
  [
    'EVMCHAIN_URL',
    'https://node.example/v3/key',
    'https://node.example/v3/key',
    'wss://node.example',
    'should begin with https:// or http://',
  ],
  ['EVMCHAIN_ID', '1', 1, '0x1', 'is not a whole number'],
  [
    'EVMCHAIN_TOKENS',
    `USDC=0x${'a1'.repeat(20)}`,
    [{ symbol: 'USDC', contract: `0x${'a1'.repeat(20)}` }],
    `USDC=0x${'a1'.repeat(19)}`,
    'is no token, such as',
  ],
  ['REFERENCE_URL', 'https://r.example', 'https://r.example', '//r.example', 'is no URL'],
  ['REFERENCE_KEY', 'k-2', 'k-2', 'k\n2', 'was it copied whole?', both],
  ['REFERENCE_FALLBACK_URL', 'https://q.example/api/v1', 'https://q.example/api/v1', 'q.example', 'is no URL', fallback],
  ['REFERENCE_FALLBACK_KEY', 'k-5', 'k-5', 'k 5', 'was it copied whole?', fallback],
  ['REFERENCE_FALLBACK_PROVIDER', 'alpaca', 'alpaca', 'yahoo', 'finnhub', fallback],
  ['ISSUER_URL', 'https://i.example', 'https://i.example', 'i.example', 'is no URL'],
  ['ISSUER_PROVIDER', 'tessera', 'tessera', 'backed', 'prestocks'],
  ['NEWS_URL', 'https://n.example', 'https://n.example', 'file:///etc/passwd', 'should begin with https:// or http://', news],
  ['NEWS_KEY', 'k-3', 'k-3', 'k 3', 'was it copied whole?', news],
  ['NEWS_PROVIDER', 'alpaca', 'alpaca', 'reuters', 'none of alpaca, finnhub', news],
  ['TVL_URL', 'https://t.example', 'https://t.example', 't.example', 'is no URL'],
  ['MACRO_URL', 'https://m.example', 'https://m.example', 'm.example', 'is no URL', macro],
  ['MODEL_URL', 'sandbox', 'sandbox', 'sandboxes', 'is no URL', model],
  ['MODEL_URL', 'https://l.example/v1', 'https://l.example/v1', 'ftp://l.example', 'should begin with https:// or http://', model],
  ['MODEL_NAME', 'm-1', 'm-1', '', 'is missing', model],
  ['MODEL_KEY', 'k-9', 'k-9', 'k 9', 'was it copied whole?', model],
  ['MACRO_KEY', '0a'.repeat(16), '0a'.repeat(16), '0A'.repeat(16), 'should be 32 lower-case letters and digits', macro],
  ['FILINGS_URL', 'https://f.example', 'https://f.example', 'https://u:p@f.example', 'holds a user name or password', filings],
  ['FILINGS_CONTACT', 'Desk desk@example.com', 'Desk desk@example.com', 'Desk', 'names nobody', filings],
  ['SOCIAL_URL', 'https://s.example', 'https://s.example', 'ftp://s.example', 'should begin with https:// or http://'],
  ['SOCIAL_KEY', 'k-4', 'k-4', 'k 4', 'was it copied whole?', { SOCIAL_URL: 'https://s.example' }],
  ['INDEXER_URL', 'https://i.example', 'https://i.example', 'i.example', 'is no URL', nodes],
  ['INDEXER_KEY', 'k-8', 'k-8', 'k 8', 'was it copied whole?', { ...nodes, INDEXER_URL: 'https://i.example' }],
  ['AGENTLAUNCH_URL', 'https://l.example', 'https://l.example', 'l.example', 'is no URL', nodes],
  ['AGENTLAUNCH_KEY', 'k-7', 'k-7', 'k 7', 'was it copied whole?', { ...nodes, AGENTLAUNCH_URL: 'https://l.example' }],
  ['RELAY_URL', 'https://r.example', 'https://r.example', 'r.example', 'is no URL', nodes],
  [
    'RELAY_STREAM_URL',
    'wss://r.example',
    'wss://r.example',
    'https://r.example',
    'should begin with wss:// or ws://',
    { ...nodes, RELAY_URL: 'https://r.example' },
  ],
  ['RELAY_KEY', 'k-7', 'k-7', 'k 7', 'was it copied whole?', { ...nodes, RELAY_URL: 'https://r.example' }],
  ['CCTP_URL', 'https://c.example', 'https://c.example', 'https://u:p@c.example', 'holds a user name or password', nodes],
  ['POLYMARKET_GAMMA_URL', 'https://g.example', 'https://g.example', 'wss://g.example', 'should begin with https://', poly],
  ['POLYMARKET_CLOB_URL', 'https://b.example', 'https://b.example', 'b.example', 'is no URL', poly],
  ['POLYMARKET_DATA_URL', 'https://d.example', 'https://d.example', '', 'is missing', poly],
  ['POLYMARKET_STREAM_URL', 'wss://s.example', 'wss://s.example', 'https://s.example', 'should begin with wss:// or ws://', poly],
  ['KALSHI_URL', 'https://k.example', 'https://k.example', 'https://u:p@k.example', 'holds a user name or password', kalshi],
  ['KALSHI_STREAM_URL', 'wss://k.example', 'wss://k.example', 'k.example', 'is no URL', kalshi],
  ['KALSHI_KEY_ID', 'id-1', 'id-1', '', 'is missing', kalshi],
  ['KALSHI_PRIVATE_KEY', rsa, rsa, p256, 'is no RSA private key', kalshi],
  ['PREDICTION_ONCHAIN_URL', 'https://o.example', 'https://o.example', 'o.example', 'is no URL', onchain],
  ['PREDICTION_ONCHAIN_KEY', 'k-6', 'k-6', 'k 6', 'was it copied whole?', onchain],
  [
    'PREDICTION_ONCHAIN_PROGRAMS',
    `${PROGRAM}, ${PROGRAM}`,
    [PROGRAM, PROGRAM],
    'Memo',
    'should be an address of the primary chain',
    onchain,
  ],
  ['SANDBOX_CHAIN_PROGRAMS', '/srv/programs', '/srv/programs', 'a\0b', 'null character'],
  ['SANDBOX_PORT', '9100', 9100, '70000', 'is not a whole number from 0 to 65000'],
  ['SANDBOX_TAPE', 'day.tape.ndjson.gz', 'day.tape.ndjson.gz', 'day.csv', 'should end in .tape, .tape.ndjson or .tape.ndjson.gz'],
  ['SANDBOX_EXAMPLES', 'false', false, 'none', 'is neither true nor false'],
  ['SANDBOX_SEED', '4294967295', 4294967295, '-1', 'is not a whole number from 0 to 4294967295'],
];

test.each(ROWS)('%s accepts valid values', (name, accepted, becomes, _refused, _why, others = {}) => {
  expect(plain(settings({ ...others, [name]: accepted })[name])).toEqual(becomes);
});

test.each(ROWS)('%s refuses what is malformed, in one sentence', (name, _accepted, _becomes, refused, why, others = {}) => {
  const [sentence, ...more] = sentences({ ...others, [name]: refused });
  expect(sentence).toMatch(new RegExp(`^${name}: `));
  expect(sentence).toContain(why);
  expect(more).toEqual([]);
});

test('there is a row here for every setting', () => {
  expect([...new Set(ROWS.map(([name]) => name))].sort()).toEqual(Object.keys(settings({})).sort());
});

test.each([
  ['SVC_LIVE_SPOTEXCHANGE_ENABLD', 'there is no such setting: did you mean SVC_LIVE_SPOTEXCHANGE_ENABLED?'],
  ['SEVENGATE_HOMES', 'there is no such setting: did you mean SEVENGATE_HOME?'],
  ['IDP_WHATEVER_ELSE_THERE_IS', 'there is no such setting: remove it (npm start -- --help lists them)'],
])('%s stops the start, because a mistyped switch would silently stay off', (name, why) => {
  expect(sentences({ [name]: 'true' })).toEqual([`${name}: ${why}`]);
});

test('settings that belong together are required together', () => {
  expect(sentences({ SVC_DELEGATED_SIGNING_ENABLED: 'true' })).toEqual([
    'IDP_AUTHORIZATION_PRIVATE_KEY: is missing, and SVC_DELEGATED_SIGNING_ENABLED=true needs it: set the key or turn delegated signing off',
  ]);
  expect(sentences({ SVC_DELEGATED_SIGNING_ENABLED: 'true', IDP_AUTHORIZATION_PRIVATE_KEY: p256 })).toEqual([]);
  expect(sentences({ SVC_DELEGATED_SIGNING_ENABLED: 'true', IDP_AUTHORIZATION_PRIVATE_KEY_FILE: '/k' })).toEqual([]);
  expect(sentences({ IDP_AUTHORIZATION_PRIVATE_KEY: p256, IDP_AUTHORIZATION_PRIVATE_KEY_FILE: '/k' })).toEqual([
    'IDP_AUTHORIZATION_PRIVATE_KEY_FILE: is set together with IDP_AUTHORIZATION_PRIVATE_KEY: remove one of the two',
  ]);
  expect(sentences({ IDP_ISSUER: 'https://idp.example' })).toHaveLength(2);
  expect(sentences({ SPOTEXCHANGE_URL: 'https://x.example' })).toEqual([
    'SPOTEXCHANGE_STREAM_URL: is missing, and SPOTEXCHANGE_URL needs it: set all or none',
  ]);
  expect(sentences({ SPOTEXCHANGE_WS_API_URL: 'wss://x.example/a' })).toEqual([
    "SPOTEXCHANGE_WS_API_URL: is set without SPOTEXCHANGE_URL: the sandbox's exchange has its own; set both",
  ]);
  expect(sentences({ SVC_LIVE_SPOTEXCHANGE_ENABLED: 'true' })).toEqual([]);
  expect(sentences({ SVC_LIVE_SPOTEXCHANGE_ENABLED: 'true', ...exchange })).toEqual([]);
  expect(sentences({ SPOTEXCHANGE_KEY: 'k' })).toEqual([
    'SPOTEXCHANGE_KEY: each organization has an account of its own: sevengate exchange-keys add takes its key, so remove this',
  ]);
  expect(sentences({ NEWS_URL: 'https://n.example', NEWS_PROVIDER: 'finnhub' })[0]).toContain('NEWS_KEY: is missing');
  // A real system needs its real format: nothing of the sandbox substitutes for its name.
  expect(sentences({ NEWS_URL: 'https://n.example', NEWS_KEY: 'k' })[0]).toContain('NEWS_PROVIDER: is missing');
  expect(sentences({ NEWS_PROVIDER: 'finnhub' })[0]).toContain('NEWS_URL: is missing');
  expect(sentences({ REFERENCE_KEY: 'k' })[0]).toContain('set without REFERENCE_URL');
  expect(sentences({ REFERENCE_FALLBACK_URL: 'https://q.example', REFERENCE_FALLBACK_KEY: 'k' })[0]).toContain('set without REFERENCE_URL');
  expect(sentences({ REDIS_URL: 'redis://r', QUEUE_BACKEND: 'postgres' })[0]).toContain('remove one of the two');
});

test('every problem is reported at once, and an empty value counts as not set', () => {
  expect(sentences({ PORT: 'x', LOG_LEVEL: 'loud', SANDBOX_SEED: '1.5' })).toHaveLength(3);
  expect(settings({ PORT: '', DATABASE_URL: '  ' })).toEqual(settings({}));
});

test('no way of printing shows a secret, and neither does a refusal', () => {
  const config = settings({ DATABASE_URL: 'postgres://u:hunter2@db/x', IDP_AUTHORIZATION_PRIVATE_KEY: p256 });
  const printed = [inspect(config, { depth: 9, showHidden: true }), JSON.stringify(config), String(config.DATABASE_URL)];
  for (const text of printed) {
    expect(text).toContain('[redacted]');
    expect(text).not.toMatch(/hunter2|PRIVATE KEY---/);
  }
  expect(sentences({ DATABASE_URL: 'mysql://u:hunter2@db', REFERENCE_KEY: 'hunter2 x', REFERENCE_URL: 'https://r' }).join()).not.toContain(
    'hunter2',
  );
});

test('a secret is removed once it was passed on, and a refused key is never repeated', () => {
  const key = settings({ IDP_AUTHORIZATION_PRIVATE_KEY: p256 }).IDP_AUTHORIZATION_PRIVATE_KEY as Secret;
  expect(key.take()).toBe(p256);
  expect(() => key.reveal()).toThrow('passed on and deleted');
  const wrong = pem('P-384');
  const told = sentences({ IDP_AUTHORIZATION_PRIVATE_KEY: wrong }).join();
  for (const part of wrong.split('\n').filter((line) => !line.startsWith('---') && line !== '')) expect(told).not.toContain(part);
});

test('the help names every setting', () => {
  for (const name of Object.keys(settings({}))) expect(describeSettings()).toMatch(new RegExp(`^  ${name} `, 'm'));
});

test('the catalog file’s path can be reported whatever else is wrong', () => {
  expect(catalogSettings({ PORT: 'none', SEVENGATE_HOME: 'here' })).toEqual({ CATALOG_FILE: null, SEVENGATE_HOME: 'here' });
  const { CATALOG_FILE, SEVENGATE_HOME } = settings({});
  expect(catalogSettings({})).toEqual({ CATALOG_FILE, SEVENGATE_HOME });
  expect(catalogSettings({ CATALOG_FILE: '/' })).toBeNull();
});
