// Tokens: accepted and refused ones; keys that rotate, vanish or are unavailable.
import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify as verifySignature } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readKeySet } from '../../../src/adapters/identity/key-set.ts';
import { createTokenVerifier, type TokenRefusalCode, type TokenVerifier } from '../../../src/adapters/identity/token-verifier.ts';
import { createIdentityProvider, SANDBOX_AUDIENCE, SANDBOX_ISSUER } from '../../../src/sandbox/identity/provider.ts';
import { createVirtualClock, type VirtualClock } from '../../../streams/clock/virtual-clock.ts';

const NOW = Date.UTC(2026, 10, 19, 15, 30);
const SECONDS = NOW / 1000;
const ISSUER = 'https://issuer.test';
const AUDIENCE = 'app-1';

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const otherEc = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const weakRsa = generateKeyPairSync('rsa', { modulusLength: 1024 });
const ed = generateKeyPairSync('ed25519');

function jwk(key: KeyObject, kid: string, more: object = {}): object {
  return { ...key.export({ format: 'jwk' }), kid, use: 'sig', ...more };
}

let published: object[] = [];
let requests = 0;
let silent = false;
const server = http.createServer((_, response) => {
  requests += 1;
  if (silent) response.writeHead(503).end();
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: published }));
});
let jwksUrl = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const STANDARD = [
  jwk(ec.publicKey, 'ec', { alg: 'ES256' }),
  jwk(rsa.publicKey, 'rsa', { alg: 'RS256' }),
  jwk(ed.publicKey, 'ed'),
  jwk(p384.publicKey, 'p384'),
  jwk(weakRsa.publicKey, 'weak'),
  { kty: 'oct', k: Buffer.from('secret').toString('base64url'), kid: 'oct', alg: 'HS256' },
  jwk(otherEc.publicKey, 'encrypts', { use: 'enc' }),
];

function fresh(options: object = {}): { verifier: TokenVerifier; clock: VirtualClock } {
  published = STANDARD;
  silent = false;
  requests = 0;
  const clock = createVirtualClock(NOW);
  return { clock, verifier: createTokenVerifier({ issuer: ISSUER, audience: AUDIENCE, jwksUrl, clock, ...options }) };
}

const part = (value: unknown): string => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const HEADER = { alg: 'ES256', typ: 'JWT', kid: 'ec' };
const CLAIMS = { iss: ISSUER, aud: AUDIENCE, sub: 'did:alice', sid: 'session-1', jti: 'token-1', iat: SECONDS - 10, exp: SECONDS + 600 };

interface Making {
  readonly header?: Record<string, unknown> | string;
  readonly claims?: Record<string, unknown> | string;
  readonly key?: KeyObject;
  readonly digest?: string | null;
}

/** Returns a token with some members changed; undefined removes one. */
function made({ header = {}, claims = {}, key = ec.privateKey, digest = 'sha256' }: Making = {}): string {
  const signed = `${part(typeof header === 'string' ? header : { ...HEADER, ...header })}.${part(typeof claims === 'string' ? claims : { ...CLAIMS, ...claims })}`;
  const spelling = key.asymmetricKeyType === 'ec' ? { key, dsaEncoding: 'ieee-p1363' as const } : key;
  return `${signed}.${sign(digest, Buffer.from(signed), spelling).toString('base64url')}`;
}

function hmacWith(secret: string | Buffer, alg: string): string {
  const signed = `${part({ alg, typ: 'JWT', kid: 'ec' })}.${part(CLAIMS)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

const good = made();
const [goodHeader, goodClaims, goodSignature] = good.split('.') as [string, string, string];

/** Returns another last character that decodes to the same bytes: 64 bytes leave four spare bits. */
function respelled(): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(goodSignature.at(-1) as string);
  return `${goodHeader}.${goodClaims}.${goodSignature.slice(0, -1)}${alphabet[last ^ 1]}`;
}

const ACCEPTED: readonly (readonly [string, () => string])[] = [
  ['ES256', () => good],
  ['RS256', () => made({ header: { alg: 'RS256', kid: 'rsa' }, key: rsa.privateKey })],
  ['EdDSA', () => made({ header: { alg: 'EdDSA', kid: 'ed' }, key: ed.privateKey, digest: null })],
  ['several audiences of which one is ours', () => made({ claims: { aud: ['other', AUDIENCE] } })],
  ['typ at+jwt', () => made({ header: { typ: 'at+jwt' } })],
  ['typ application/JWT', () => made({ header: { typ: 'application/JWT' } })],
  ['no sid and no jti', () => made({ claims: { sid: undefined, jti: undefined } })],
  ['expired 4 s ago, inside of the tolerance', () => made({ claims: { iat: SECONDS - 600, exp: SECONDS - 4 } })],
  ['issued 4 s ahead, inside of the tolerance', () => made({ claims: { iat: SECONDS + 4 } })],
  ['a lifetime of exactly 60 min', () => made({ claims: { iat: SECONDS, exp: SECONDS + 3600 } })],
  ['nbf in the past', () => made({ claims: { nbf: SECONDS - 60 } })],
  ['claims of no concern', () => made({ claims: { role: 'admin', permissions: ['*'], org: 'x' } })],
];

const REFUSED: readonly (readonly [string, () => string, TokenRefusalCode])[] = [
  ['nothing', () => '', 'token_malformed'],
  ['two parts', () => `${goodHeader}.${goodClaims}`, 'token_malformed'],
  ['five parts', () => `${good}.a.b`, 'token_malformed'],
  ['an empty signature', () => `${goodHeader}.${goodClaims}.`, 'token_malformed'],
  ['padding', () => `${good}=`, 'token_malformed'],
  ['a blank', () => ` ${good}`, 'token_malformed'],
  ['a line break inside', () => good.replace('.', '\n.'), 'token_malformed'],
  ['standard base64 letters', () => `${goodHeader}.${goodClaims}.+${goodSignature.slice(1)}`, 'token_malformed'],
  ['the signature spelled differently', respelled, 'token_malformed'],
  ['a megabyte', () => `${goodHeader}.${'A'.repeat(1024 * 1024)}.${goodSignature}`, 'token_too_large'],
  [
    '8 KiB and one byte',
    () => `${goodHeader}.${'A'.repeat(8 * 1024 + 1 - goodHeader.length - goodSignature.length - 2)}.${goodSignature}`,
    'token_too_large',
  ],
  ['a header that is not JSON', () => made({ header: 'nonsense' }), 'token_malformed'],
  ['a header that is a list', () => made({ header: '[]' }), 'token_malformed'],
  ['claims that are not JSON', () => made({ claims: 'nonsense' }), 'token_malformed'],
  ['claims that are a list', () => made({ claims: '[1]' }), 'token_malformed'],
  ['claims that are null', () => made({ claims: 'null' }), 'token_malformed'],
  ['alg none without a signature', () => `${part({ ...HEADER, alg: 'none' })}.${part(CLAIMS)}.`, 'token_malformed'],
  ['alg none with one', () => made({ header: { alg: 'none' } }), 'algorithm_refused'],
  ['alg None', () => made({ header: { alg: 'None' } }), 'algorithm_refused'],
  [
    'HS256 with the public key as secret (PEM)',
    () => hmacWith(ec.publicKey.export({ type: 'spki', format: 'pem' }) as string, 'HS256'),
    'algorithm_refused',
  ],
  [
    'HS256 with the public key as secret (DER)',
    () => hmacWith(ec.publicKey.export({ type: 'spki', format: 'der' }), 'HS256'),
    'algorithm_refused',
  ],
  ['HS256 with the published secret', () => made({ header: { alg: 'HS256', kid: 'oct' } }), 'algorithm_refused'],
  ['ES384', () => made({ header: { alg: 'ES384', kid: 'p384' }, key: p384.privateKey, digest: 'sha384' }), 'algorithm_refused'],
  ['PS256', () => made({ header: { alg: 'PS256', kid: 'rsa' }, key: rsa.privateKey }), 'algorithm_refused'],
  ['RS512', () => made({ header: { alg: 'RS512', kid: 'rsa' }, key: rsa.privateKey, digest: 'sha512' }), 'algorithm_refused'],
  ['no alg', () => made({ header: { alg: undefined } }), 'algorithm_refused'],
  ['alg as a list', () => made({ header: { alg: ['ES256'] } }), 'algorithm_refused'],
  ['ES256 said of an RSA key', () => made({ header: { kid: 'rsa' }, key: rsa.privateKey }), 'algorithm_refused'],
  ['RS256 said of an EC key', () => made({ header: { alg: 'RS256' } }), 'algorithm_refused'],
  ['EdDSA said of an EC key', () => made({ header: { alg: 'EdDSA' } }), 'algorithm_refused'],
  ['ES256 with a P-384 key', () => made({ header: { kid: 'p384' }, key: p384.privateKey }), 'key_unknown'],
  ['RS256 with 1024 bits', () => made({ header: { alg: 'RS256', kid: 'weak' }, key: weakRsa.privateKey }), 'key_unknown'],
  ['a key that is for encryption', () => made({ header: { kid: 'encrypts' }, key: otherEc.privateKey }), 'key_unknown'],
  ['an unknown kid', () => made({ header: { kid: 'nobody' } }), 'key_unknown'],
  ['no kid', () => made({ header: { kid: undefined } }), 'header_refused'],
  ['an empty kid', () => made({ header: { kid: '' } }), 'header_refused'],
  ['a kid of a thousand letters', () => made({ header: { kid: 'k'.repeat(1000) } }), 'header_refused'],
  [
    'an embedded jwk, signed with it',
    () => made({ header: { jwk: jwk(otherEc.publicKey, 'ec') }, key: otherEc.privateKey }),
    'header_refused',
  ],
  ['a jku', () => made({ header: { jku: 'http://127.0.0.1:1/jwks' } }), 'header_refused'],
  ['an x5u', () => made({ header: { x5u: 'http://127.0.0.1:1/x' } }), 'header_refused'],
  ['an x5c', () => made({ header: { x5c: ['AAAA'] } }), 'header_refused'],
  ['a crit', () => made({ header: { crit: ['exp'] } }), 'header_refused'],
  ['unencoded claims (b64 false)', () => made({ header: { b64: false, crit: ['b64'] } }), 'header_refused'],
  ['no typ', () => made({ header: { typ: undefined } }), 'type_refused'],
  ['the typ of a logout token', () => made({ header: { typ: 'logout+jwt' } }), 'type_refused'],
  ['another key behind the kid', () => made({ key: otherEc.privateKey }), 'signature_invalid'],
  ['claims that were changed', () => `${goodHeader}.${part({ ...CLAIMS, sub: 'did:mallory' })}.${goodSignature}`, 'signature_invalid'],
  ['a header that was changed', () => `${part({ ...HEADER, typ: 'at+jwt' })}.${goodClaims}.${goodSignature}`, 'signature_invalid'],
  ['a signature cut short', () => `${goodHeader}.${goodClaims}.${goodSignature.slice(0, 40)}`, 'signature_invalid'],
  ['a signature of zeros', () => `${goodHeader}.${goodClaims}.${Buffer.alloc(64).toString('base64url')}`, 'signature_invalid'],
  ['no iss', () => made({ claims: { iss: undefined } }), 'claim_missing'],
  ['no aud', () => made({ claims: { aud: undefined } }), 'claim_missing'],
  ['no sub', () => made({ claims: { sub: undefined } }), 'claim_missing'],
  ['no exp', () => made({ claims: { exp: undefined } }), 'claim_missing'],
  ['no iat', () => made({ claims: { iat: undefined } }), 'claim_missing'],
  ['another issuer', () => made({ claims: { iss: `${ISSUER}/` } }), 'issuer_mismatch'],
  ['an issuer that is a list', () => made({ claims: { iss: [ISSUER] } }), 'issuer_mismatch'],
  ['another audience', () => made({ claims: { aud: 'app-2' } }), 'audience_mismatch'],
  ['no audience in the list', () => made({ claims: { aud: [] } }), 'audience_mismatch'],
  ['an empty sub', () => made({ claims: { sub: '' } }), 'claim_malformed'],
  ['a sub that is a number', () => made({ claims: { sub: 7 } }), 'claim_malformed'],
  ['a sub with a NUL character', () => made({ claims: { sub: 'did:\u0000' } }), 'claim_malformed'],
  ['a sid with a NUL character', () => made({ claims: { sid: '\u0000' } }), 'claim_malformed'],
  ['a sub of a thousand letters', () => made({ claims: { sub: 's'.repeat(1000) } }), 'claim_malformed'],
  ['exp as text', () => made({ claims: { exp: String(SECONDS + 600) } }), 'claim_malformed'],
  ['exp in milliseconds', () => made({ claims: { exp: NOW + 600_000 } }), 'claim_malformed'],
  ['exp null', () => made({ claims: { exp: null } }), 'claim_malformed'],
  ['iat negative', () => made({ claims: { iat: -1 } }), 'claim_malformed'],
  ['exp before iat', () => made({ claims: { iat: SECONDS, exp: SECONDS - 1 } }), 'claim_malformed'],
  ['nbf as text', () => made({ claims: { nbf: 'now' } }), 'claim_malformed'],
  ['sid as an object', () => made({ claims: { sid: {} } }), 'claim_malformed'],
  ['expired 5 s ago', () => made({ claims: { iat: SECONDS - 600, exp: SECONDS - 5 } }), 'token_expired'],
  ['expired a year ago', () => made({ claims: { iat: SECONDS - 31_540_000, exp: SECONDS - 31_536_600 } }), 'token_expired'],
  ['issued 6 s ahead', () => made({ claims: { iat: SECONDS + 6, exp: SECONDS + 60 } }), 'token_not_yet_valid'],
  ['nbf a minute ahead', () => made({ claims: { nbf: SECONDS + 60 } }), 'token_not_yet_valid'],
  ['a lifetime of 60 min and 1 s', () => made({ claims: { iat: SECONDS, exp: SECONDS + 3601 } }), 'lifetime_too_long'],
  ['ten years', () => made({ claims: { exp: SECONDS + 315_360_000 } }), 'lifetime_too_long'],
];

describe('a token', () => {
  let verifier: TokenVerifier;
  beforeAll(() => {
    verifier = fresh().verifier;
  });

  test.each(ACCEPTED)('with %s is accepted', async (_, token) => {
    expect(await verifier.verify(token())).toMatchObject({ ok: true, subject: 'did:alice', lastGoodKeys: false });
  });

  test.each(REFUSED)('with %s is refused', async (_, token, code) => {
    const verdict = await verifier.verify(token());
    expect(verdict).toMatchObject({ ok: false, code });
    if (!verdict.ok) {
      expect(verdict.detail).toMatch(/^\S.{10,}/);
      expect(verdict.detail).not.toContain(goodSignature.slice(0, 20));
    }
  });

  test('yields subject, session, times and key, and none of its claimed permissions', async () => {
    const { verifier: own } = fresh();
    expect(await own.verify(made({ claims: { permissions: ['risk:manage'] } }))).toEqual({
      ok: true,
      subject: 'did:alice',
      sessionId: 'session-1',
      tokenId: 'token-1',
      issuedAt: NOW - 10_000,
      expiresAt: NOW + 600_000,
      keyId: 'ec',
      lastGoodKeys: false,
    });
  });

  test('is checked again each time: the same text expires', async () => {
    const { verifier: own, clock } = fresh({});
    expect(await own.verify(good)).toMatchObject({ ok: true });
    clock.advanceTo(NOW + 605_000);
    expect(await own.verify(good)).toMatchObject({ ok: false, code: 'token_expired' });
  });

  test('can be restricted to one algorithm, never widened', async () => {
    const { verifier: own } = fresh({ algorithms: ['RS256'] });
    expect(await own.verify(good)).toMatchObject({ code: 'algorithm_refused' });
    expect(() => fresh({ algorithms: ['HS256'] })).toThrow(/"HS256" is not accepted/);
  });

  test('is never accepted if jose refuses it under the same rules', async () => {
    const { verifier: own } = fresh();
    const keys = createLocalJWKSet({ keys: STANDARD as never });
    const rules = {
      issuer: ISSUER,
      audience: AUDIENCE,
      algorithms: ['ES256', 'RS256', 'EdDSA'],
      requiredClaims: ['exp', 'iat', 'sub'],
      clockTolerance: 5,
      maxTokenAge: 3605,
      currentDate: new Date(NOW),
    };
    for (const [name, token] of [...ACCEPTED, ...REFUSED]) {
      const text = token();
      const ours = (await own.verify(text)).ok;
      const theirs = await jwtVerify(text, keys, rules).then(
        () => true,
        () => false,
      );
      // We are stricter than jose, never more lenient.
      if (ours) expect([name, theirs]).toEqual([name, true]);
    }
  });

  test('survives every flip of a single bit of its signature and claims: none is accepted', async () => {
    const { verifier: own } = fresh();
    const bytes = Buffer.from(goodSignature, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 7) {
      const bent = Buffer.from(bytes);
      bent[bit >> 3] = (bent[bit >> 3] as number) ^ (1 << (bit & 7));
      expect((await own.verify(`${goodHeader}.${goodClaims}.${bent.toString('base64url')}`)).ok).toBe(false);
    }
  });
});

describe('speed of verifying', () => {
  test('is mostly that of the bare signature check, in the same process and interleaved', async () => {
    const { verifier } = fresh();
    await verifier.verify(good);
    const signed = Buffer.from(`${goodHeader}.${goodClaims}`);
    const signature = Buffer.from(goodSignature, 'base64url');
    const key = { key: ec.publicKey, dsaEncoding: 'ieee-p1363' as const };
    const ratios: number[] = [];
    for (let round = 0; round < 9; round++) {
      let began = performance.now();
      for (let i = 0; i < 300; i++) verifySignature('sha256', signed, key, signature);
      const bare = performance.now() - began;
      began = performance.now();
      for (let i = 0; i < 300; i++) await verifier.verify(good);
      ratios.push(bare / (performance.now() - began));
    }
    ratios.sort((a, b) => a - b);
    expect(ratios[4] as number).toBeGreaterThan(0.65);
  });
});

describe('the key set', () => {
  test('is fetched once for many tokens at once', async () => {
    const { verifier } = fresh();
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => verifier.verify(good)));
    expect(verdicts.every((verdict) => verdict.ok)).toBe(true);
    expect(requests).toBe(1);
  });

  test('accepts a key added a moment ago, at once', async () => {
    const { verifier } = fresh();
    await verifier.verify(good);
    const rotated = made({ header: { kid: 'new' }, key: otherEc.privateKey });
    expect(await verifier.verify(rotated)).toMatchObject({ code: 'key_unknown' });
    published = [...STANDARD, jwk(otherEc.publicKey, 'new')];
    expect(await verifier.verify(rotated)).toMatchObject({ ok: true, keyId: 'new' });
    expect(await verifier.verify(good)).toMatchObject({ ok: true });
  });

  test('is not fetched more than the burst allows, however many unknown kids come, and recovers with time', async () => {
    const { verifier, clock } = fresh();
    await verifier.verify(good);
    for (let i = 0; i < 200; i++) expect(await verifier.verify(made({ header: { kid: `x${i}` } }))).toMatchObject({ code: 'key_unknown' });
    expect(requests).toBe(1 + 3);
    published = [...STANDARD, jwk(otherEc.publicKey, 'new')];
    const rotated = made({ header: { kid: 'new' }, key: otherEc.privateKey });
    expect(await verifier.verify(rotated)).toMatchObject({ code: 'key_unknown' });
    clock.advanceTo(NOW + 10_000);
    expect(await verifier.verify(rotated)).toMatchObject({ ok: true });
    expect(requests).toBe(5);
  });

  test('forgets a withdrawn key within five minutes', async () => {
    const { verifier, clock } = fresh();
    const token = made({ claims: { exp: SECONDS + 3000 } });
    await verifier.verify(token);
    published = STANDARD.slice(1);
    clock.advanceTo(NOW + 60_000);
    expect(await verifier.verify(token)).toMatchObject({ ok: true });
    clock.advanceTo(NOW + 301_000);
    expect(await verifier.verify(token)).toMatchObject({ code: 'key_unknown' });
  });

  test('refreshes in the background from two minutes on', async () => {
    const { verifier, clock } = fresh();
    await verifier.verify(good);
    clock.advanceTo(NOW + 121_000);
    expect(await verifier.verify(good)).toMatchObject({ ok: true });
    await expect.poll(() => requests).toBe(2);
  });

  test('serves its last good keys for 15 minutes while the provider is silent, and reports it', async () => {
    const { verifier, clock } = fresh();
    const token = made({ claims: { exp: SECONDS + 3000 } });
    await verifier.verify(token);
    silent = true;
    clock.advanceTo(NOW + 301_000);
    expect(await verifier.verify(token)).toMatchObject({ ok: true, lastGoodKeys: true });
    clock.advanceTo(NOW + 899_000);
    expect(await verifier.verify(token)).toMatchObject({ ok: true, lastGoodKeys: true });
    clock.advanceTo(NOW + 901_000);
    expect(await verifier.verify(token)).toMatchObject({ ok: false, code: 'keys_unavailable', detail: expect.stringContaining('503') });
    silent = false;
    clock.advanceTo(NOW + 910_000);
    expect(await verifier.verify(token)).toMatchObject({ ok: true, lastGoodKeys: false });
  });

  test('refuses everything until the first successful fetch', async () => {
    const { verifier } = fresh();
    silent = true;
    expect(await verifier.verify(good)).toMatchObject({ ok: false, code: 'keys_unavailable' });
    const nobody = createTokenVerifier({
      issuer: ISSUER,
      audience: AUDIENCE,
      jwksUrl: 'http://127.0.0.1:9/',
      clock: createVirtualClock(NOW),
    });
    expect(await nobody.verify(good)).toMatchObject({ ok: false, code: 'keys_unavailable' });
    expect(nobody.keySet.problem).not.toBe('');
  });

  test('keeps everybody signed in if it is suddenly empty', async () => {
    const { verifier, clock } = fresh();
    await verifier.verify(good);
    published = [];
    clock.advanceTo(NOW + 301_000);
    expect(await verifier.verify(good)).toMatchObject({ ok: true, lastGoodKeys: true });
  });

  test('ignores secrets, weak, foreign and broken keys and private members', () => {
    const leaked = { ...ec.privateKey.export({ format: 'jwk' }), kid: 'leaked' };
    const keys = readKeySet({
      keys: [
        ...STANDARD,
        leaked,
        { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', kid: 'broken' },
        jwk(ec.publicKey, '', {}),
        jwk(ec.publicKey, 'lies', { alg: 'RS256' }),
        null,
      ],
    });
    expect([...keys.keys()]).toEqual(['ec', 'rsa', 'ed', 'leaked']);
    expect(keys.get('leaked')).not.toHaveProperty('d');
    expect(createPublicKey({ key: keys.get('leaked') as never, format: 'jwk' }).equals(createPublicKey(ec.privateKey))).toBe(true);
    expect(() => readKeySet({})).toThrow(/no list "keys"/);
  });
});

describe('the sandbox identity provider', () => {
  const folder = mkdtempSync(join(tmpdir(), 'identity-'));
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('issues tokens that the verifier accepts, through its own key set, a rotation and a withdrawal', async () => {
    const clock = createVirtualClock(NOW);
    const provider = await createIdentityProvider({ folder, clock, port: 0 });
    cleanups.push(() => provider.close());
    const discovery = (await (await fetch(`${provider.url}/.well-known/openid-configuration`)).json()) as {
      issuer: string;
      jwks_uri: string;
    };
    expect(discovery).toMatchObject({ issuer: SANDBOX_ISSUER, jwks_uri: provider.jwksUrl });
    const verifier = createTokenVerifier({ issuer: provider.issuer, audience: SANDBOX_AUDIENCE, jwksUrl: discovery.jwks_uri, clock });
    const mint = () => provider.keys.mintToken({ subject: 'operator', audience: SANDBOX_AUDIENCE, sessionId: 's', lifetimeS: 3600 });
    const first = mint();
    expect(await verifier.verify(first)).toMatchObject({ ok: true, subject: 'operator', sessionId: 's' });
    provider.keys.rotate();
    expect(await verifier.verify(mint())).toMatchObject({ ok: true });
    expect(await verifier.verify(first)).toMatchObject({ ok: true });
    const [, header] = /^([^.]+)\./.exec(first) as unknown as [string, string];
    provider.keys.withdraw((JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string }).kid);
    clock.advanceTo(NOW + 301_000);
    expect(await verifier.verify(first)).toMatchObject({ ok: false, code: 'key_unknown' });
  });
});

test('a wider tolerance of one call applies to that call only, and never accepts another fault', async () => {
  const { verifier } = fresh();
  const hours = 3 * 3_600;
  const late = made({ claims: { iat: SECONDS - hours - 600, exp: SECONDS - hours + 1 } });
  const early = made({ claims: { iat: SECONDS + hours, exp: SECONDS + hours + 600 } });
  for (const [token, code] of [
    [late, 'token_expired'],
    [early, 'token_not_yet_valid'],
  ] as const) {
    expect(await verifier.verify(token)).toMatchObject({ ok: false, code });
    expect(await verifier.verify(token, hours)).toMatchObject({ ok: true, subject: 'did:alice' });
    // The signature is cached, but the times are checked anyway.
    expect(await verifier.verify(token)).toMatchObject({ ok: false, code });
  }
  const tooLate = made({ claims: { iat: SECONDS - hours - 600, exp: SECONDS - hours } });
  const tooEarly = made({ claims: { iat: SECONDS + hours + 1, exp: SECONDS + hours + 600 } });
  expect(await verifier.verify(tooLate, hours)).toMatchObject({ code: 'token_expired' });
  expect(await verifier.verify(tooEarly, hours)).toMatchObject({ code: 'token_not_yet_valid' });
  expect(await verifier.verify(made({ claims: { aud: 'other' } }), hours)).toMatchObject({ code: 'audience_mismatch' });
  expect(await verifier.verify(made({ claims: { exp: SECONDS + 2 * hours } }), hours)).toMatchObject({ code: 'lifetime_too_long' });
});
