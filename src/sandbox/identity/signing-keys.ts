/** Keys of the sandbox's identity provider, stored in a folder. Rotated keys stay published while their tokens are valid. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EpochMs, MINUTE_MS } from '../../domain/values/time.ts';

/** Time for which a retired key stays published: the longest token lifetime plus a margin. */
const RETIRED_FOR_MS = 70 * MINUTE_MS;

interface StoredKey {
  readonly kid: string;
  readonly createdAt: EpochMs;
  /** Time at which another key replaced it, or null for the current key. */
  readonly retiredAt: EpochMs | null;
  readonly privateKeyPem: string;
}

/** Public key in the JWKS. */
interface PublishedKey {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly kid: string;
  readonly alg: 'ES256';
  readonly use: 'sig';
}

interface MintOptions {
  readonly subject: string;
  readonly audience: string;
  /** Lifetime in seconds, at most 3600. Default 900. */
  readonly lifetimeS?: number;
  readonly sessionId?: string;
  /** Additional claims. They cannot replace registered claims. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** Keys of one folder. Several processes may share it: each reads the keys that others write. */
export interface SigningKeys {
  readonly issuer: string;
  /**
   * Signs a token with the current key.
   * @throws RangeError if subject or audience is empty, or the lifetime is not 1 to 3600 s
   */
  mintToken(options: MintOptions): string;
  /** Returns the JWKS: the current key and those retired less than 70 min ago. */
  published(): readonly PublishedKey[];
  /** Replaces the current key and returns the new key's id. The old key stays published until its tokens have expired. */
  rotate(): string;
  /** Withdraws a key at once, which invalidates its tokens. The current key is replaced first. */
  withdraw(kid: string): void;
}

interface SigningKeysOptions {
  /** Folder of the keys; created if missing, readable by the owner only. */
  readonly folder: string;
  readonly issuer: string;
  readonly now: () => EpochMs;
}

function randomName(): string {
  return randomBytes(16).toString('hex');
}

function writeKey(folder: string, key: StoredKey): void {
  const path = join(folder, `${key.kid}.json`);
  const draft = `${path}.${randomName()}.new`;
  writeFileSync(draft, `${JSON.stringify(key, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

function newKey(now: EpochMs): StoredKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    kid: `sandbox-${randomName()}`,
    createdAt: now,
    retiredAt: null,
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

function readKey(folder: string, name: string): StoredKey {
  try {
    const key = JSON.parse(readFileSync(join(folder, name), 'utf8')) as StoredKey;
    if (typeof key.kid !== 'string' || typeof key.createdAt !== 'number' || typeof key.privateKeyPem !== 'string')
      throw new Error('members are missing');
    createPrivateKey(key.privateKeyPem);
    return key;
  } catch (error) {
    throw new Error(
      `${join(folder, name)} is no key of the sandbox's identity provider (${(error as Error).message}); move it away and start again`,
      { cause: error },
    );
  }
}

function jwk(kid: string, privateKey: KeyObject): PublishedKey {
  const { x, y } = createPublicKey(privateKey).export({ format: 'jwk' }) as { x: string; y: string };
  return { kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256', use: 'sig' };
}

/**
 * Opens the keys of a folder and creates the first one if there is none.
 * @throws Error naming the file if a key cannot be read
 */
export function openSigningKeys(options: SigningKeysOptions): SigningKeys {
  const { folder, issuer, now } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  let seen = '';
  let keys: readonly (StoredKey & { readonly privateKey: KeyObject })[] = [];

  /** Returns the keys, newest first. Reads the folder again if it has changed. */
  function current(): typeof keys {
    const names = existsSync(folder)
      ? readdirSync(folder)
          .filter((name) => name.endsWith('.json'))
          .sort()
      : [];
    const state = names
      .map((name) => {
        const { ino, mtimeMs } = statSync(join(folder, name));
        return `${name}:${ino}:${mtimeMs}`;
      })
      .join('|');
    if (state !== seen || keys.length === 0) {
      keys = names
        .map((name) => readKey(folder, name))
        .map((key) => ({ ...key, privateKey: createPrivateKey(key.privateKeyPem) }))
        .sort((a, b) => b.createdAt - a.createdAt || (a.kid < b.kid ? -1 : 1));
      seen = state;
    }
    return keys;
  }

  function inUse(): (typeof keys)[number] {
    const found = current().find((key) => key.retiredAt === null);
    if (found !== undefined) return found;
    writeKey(folder, newKey(now()));
    return inUse();
  }

  function rotate(): string {
    const at = now();
    const older = current().filter((key) => key.retiredAt === null);
    const next = newKey(at);
    writeKey(folder, next);
    for (const { kid, createdAt, privateKeyPem } of older) writeKey(folder, { kid, createdAt, privateKeyPem, retiredAt: at });
    return next.kid;
  }

  inUse();
  return {
    issuer,
    rotate,
    mintToken({ subject, audience, lifetimeS = 900, sessionId, claims }) {
      if (subject === '' || audience === '') throw new RangeError('a token needs a subject and an audience');
      if (!(Number.isInteger(lifetimeS) && lifetimeS >= 1 && lifetimeS <= 3_600))
        throw new RangeError(`a token lives 1 to 3600 s, not ${lifetimeS}`);
      const { kid, privateKey } = inUse();
      const iat = Math.floor(now() / 1000);
      const body = {
        ...claims,
        iss: issuer,
        aud: audience,
        sub: subject,
        sid: sessionId ?? randomName(),
        jti: randomName(),
        iat,
        exp: iat + lifetimeS,
      };
      const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
      const signed = `${part({ alg: 'ES256', typ: 'JWT', kid })}.${part(body)}`;
      return `${signed}.${sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
    },
    published: () => {
      inUse();
      return current()
        .filter((key) => key.retiredAt === null || now() - key.retiredAt < RETIRED_FOR_MS)
        .map((key) => jwk(key.kid, key.privateKey));
    },
    withdraw(kid) {
      if (inUse().kid === kid) rotate();
      if (!current().some((key) => key.kid === kid)) throw new RangeError(`there is no key ${kid}`);
      rmSync(join(folder, `${kid}.json`));
    },
  };
}
