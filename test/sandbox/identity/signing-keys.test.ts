// Keys of the sandbox identity provider: stored, shared between processes, rotated, withdrawn.
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { afterEach, describe, expect, test } from 'vitest';
import { openSigningKeys } from '../../../src/sandbox/identity/signing-keys.ts';

const NOW = Date.UTC(2026, 10, 19, 15, 30);
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function opened(now = () => NOW) {
  const folder = mkdtempSync(join(tmpdir(), 'signing-keys-'));
  folders.push(folder);
  return { folder, keys: openSigningKeys({ folder, issuer: 'https://issuer.test', now }) };
}

describe('the signing keys', () => {
  test('mint tokens that an independent library accepts', async () => {
    const { keys } = opened();
    const token = keys.mintToken({
      subject: 'did:alice',
      audience: 'app',
      lifetimeS: 600,
      sessionId: 's1',
      claims: { iss: 'forged', note: 'kept' },
    });
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet({ keys: [...keys.published()] as never }), {
      issuer: 'https://issuer.test',
      audience: 'app',
      algorithms: ['ES256'],
      typ: 'JWT',
      requiredClaims: ['exp', 'iat', 'sub'],
      currentDate: new Date(NOW),
    });
    expect(payload).toMatchObject({
      sub: 'did:alice',
      sid: 's1',
      iat: NOW / 1000,
      exp: NOW / 1000 + 600,
      note: 'kept',
      jti: expect.any(String),
    });
    expect(protectedHeader).toMatchObject({ alg: 'ES256', typ: 'JWT', kid: keys.published()[0]?.kid });
  });

  test('outlive the process that created them and are seen by another at once', () => {
    const { folder, keys } = opened();
    const other = openSigningKeys({ folder, issuer: 'https://issuer.test', now: () => NOW });
    expect(other.published()).toEqual(keys.published());
    const kid = other.rotate();
    expect(keys.published().map((key) => key.kid)).toContain(kid);
    expect(keys.published()).toHaveLength(2);
  });

  test('stay published after a rotation until the last token has expired', () => {
    let now = NOW;
    const { keys } = opened(() => now);
    const first = keys.published()[0]?.kid;
    now += 1_000;
    const second = keys.rotate();
    now += 69 * 60_000;
    expect(
      keys
        .published()
        .map((key) => key.kid)
        .sort(),
    ).toEqual([first, second].sort());
    now += 2 * 60_000;
    expect(keys.published().map((key) => key.kid)).toEqual([second]);
  });

  test('disappear at once when withdrawn, including the one in use', () => {
    const { keys } = opened();
    const kid = keys.published()[0]?.kid as string;
    keys.withdraw(kid);
    expect(keys.published()).toHaveLength(1);
    expect(keys.published()[0]?.kid).not.toBe(kid);
    expect(() => keys.withdraw('nobody')).toThrow(/no key nobody/);
  });

  test('publish no private member and are readable only by their owner', () => {
    const { folder, keys } = opened();
    expect(Object.keys(keys.published()[0] as object).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test('refuse impossible tokens and a broken key file with a sentence', () => {
    const { folder, keys } = opened();
    expect(() => keys.mintToken({ subject: '', audience: 'a' })).toThrow(/needs a subject/);
    for (const lifetimeS of [0, -1, 3601, 1.5, Number.NaN])
      expect(() => keys.mintToken({ subject: 's', audience: 'a', lifetimeS })).toThrow(/1 to 3600 s/);
    writeFileSync(join(folder, 'broken.json'), '{');
    expect(() => openSigningKeys({ folder, issuer: 'i', now: () => NOW })).toThrow(/broken\.json is no key/);
  });
});
