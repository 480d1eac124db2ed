/** The identity provider's public keys: fetched from one configured URL, kept fresh, and kept a while where the provider is silent. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Clock } from '../../../streams/clock.ts';
import type { EpochMs } from '../../domain/time.ts';
import { bodyWithin } from './bounded-body.ts';

export const TOKEN_ALGORITHMS = ['ES256', 'RS256', 'EdDSA'] as const;
export type TokenAlgorithm = (typeof TOKEN_ALGORITHMS)[number];

/** One key that may verify tokens of exactly one algorithm. */
export interface VerificationKey {
  readonly kid: string;
  readonly algorithm: TokenAlgorithm;
  readonly key: KeyObject;
}

const FETCH_TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;
const MAX_KEYS = 50;
const MIN_RSA_BITS = 2048;

/** Which algorithm a key is for, by its type and curve; null where it is for none of ours. What the key says must agree. */
function algorithmOf(key: KeyObject, claimed: unknown): TokenAlgorithm | null {
  const details = key.asymmetricKeyDetails;
  let algorithm: TokenAlgorithm | null = null;
  if (key.asymmetricKeyType === 'ec' && details?.namedCurve === 'prime256v1') algorithm = 'ES256';
  else if (key.asymmetricKeyType === 'rsa' && (details?.modulusLength ?? 0) >= MIN_RSA_BITS) algorithm = 'RS256';
  else if (key.asymmetricKeyType === 'ed25519') algorithm = 'EdDSA';
  if (claimed !== undefined && claimed !== algorithm && !(claimed === 'Ed25519' && algorithm === 'EdDSA')) return null;
  return algorithm;
}

/**
 * Reads a JWKS document. Keys that are not for verifying, have no `kid`, are of a type or strength that is not accepted,
 * or are secret (`oct`) are left out, so that no token can ever choose them.
 * @throws Error where the document is no key set at all.
 */
export function readKeySet(body: unknown): Map<string, VerificationKey> {
  const list = (body as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(list)) throw new KeySetFailure('no_keys', 'the key set has no list "keys"');
  const keys = new Map<string, VerificationKey>();
  for (const item of list.slice(0, MAX_KEYS) as unknown[]) {
    if (typeof item !== 'object' || item === null) continue;
    const jwk = item as Record<string, unknown>;
    const { kid, kty, use, key_ops: operations } = jwk;
    if (typeof kid !== 'string' || kid === '' || (kty !== 'EC' && kty !== 'RSA' && kty !== 'OKP')) continue;
    if ((use !== undefined && use !== 'sig') || (Array.isArray(operations) && !operations.includes('verify'))) continue;
    try {
      // Only the public members: a set that leaks private ones still yields public keys.
      const { crv, x, y, n, e } = jwk;
      const key = createPublicKey({ key: JSON.parse(JSON.stringify({ kty, crv, x, y, n, e })), format: 'jwk' });
      const algorithm = algorithmOf(key, jwk['alg']);
      if (algorithm !== null) keys.set(kid, { kid, algorithm, key });
    } catch {
      // A key that cannot be read cannot verify anything.
    }
  }
  return keys;
}

/** Why the keys could not be fetched: `timeout`, `unreachable`, `http_<status>`, `too_large`, `not_json`, `no_keys`. */
class KeySetFailure extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface KeySetOptions {
  readonly jwksUrl: string;
  readonly clock: Clock;
  /** Hears of every fetch that failed, by its reason; for whoever counts them. */
  readonly onFailure?: (reason: string) => void;
  /** From this age on the set is refreshed beside the requests. Default 2 min. */
  readonly refreshAfterMs?: number;
  /** From this age on a request waits for the refresh. Default 5 min: how long a key that was withdrawn may live. */
  readonly maxAgeMs?: number;
  /** How long the last good set serves while the provider is silent. Default 15 min. */
  readonly lastGoodMs?: number;
  /** Unknown key ids may cause `burst` fetches at once and one more every so long. Default 10 s, 3. */
  readonly unknownEveryMs?: number;
  readonly unknownBurst?: number;
}

/** A key, and whether it comes from a set that could not be refreshed in time. */
export interface FoundKey {
  readonly key: VerificationKey;
  /** True while the provider is silent beyond the set's age: good enough for reads, not for trading. */
  readonly lastGood: boolean;
}

export type KeyLookup = FoundKey | 'unknown' | 'unavailable';

/** The key set of one provider. */
export class KeySet {
  readonly #options: Required<KeySetOptions>;
  #keys: Map<string, VerificationKey> = new Map();
  #fetchedAt: EpochMs | null = null;
  #attemptedAt: EpochMs | null = null;
  #inFlight: Promise<boolean> | null = null;
  #tokens: number;
  #tokensAt: EpochMs;
  #lastProblem = '';
  #fetches = 0;

  constructor(options: KeySetOptions) {
    this.#options = {
      refreshAfterMs: 120_000,
      maxAgeMs: 300_000,
      lastGoodMs: 900_000,
      unknownEveryMs: 10_000,
      unknownBurst: 3,
      onFailure: () => {},
      ...options,
    };
    this.#tokens = this.#options.unknownBurst;
    this.#tokensAt = options.clock.now();
  }

  /** How often the provider was asked. */
  get fetches(): number {
    return this.#fetches;
  }

  /** Why the last fetch failed; empty after a good one. */
  get problem(): string {
    return this.#lastProblem;
  }

  /** The key where it is known and the set is fresh, without waiting; undefined where `lookup` is needed. */
  peek(kid: string): VerificationKey | undefined {
    if (this.#fetchedAt === null) return undefined;
    const age = this.#options.clock.now() - this.#fetchedAt;
    if (age > this.#options.maxAgeMs) return undefined;
    if (age > this.#options.refreshAfterMs) void this.#refresh();
    return this.#keys.get(kid);
  }

  /** Finds a key, asking the provider where the set is too old or does not have it. */
  async lookup(kid: string): Promise<KeyLookup> {
    const { clock, maxAgeMs, lastGoodMs } = this.#options;
    const age = (): number => (this.#fetchedAt === null ? Number.POSITIVE_INFINITY : clock.now() - this.#fetchedAt);
    const stale = (): boolean => age() > maxAgeMs;
    // While a silent provider's last good set still serves, nobody waits for its timeouts.
    if (stale() && this.#lastProblem !== '' && age() <= lastGoodMs) void this.#refresh();
    else if (stale()) await this.#refresh();
    else if (!this.#keys.has(kid) && this.#mayAskForUnknown()) await this.#fetch();
    if (age() > lastGoodMs) return 'unavailable';
    const key = this.#keys.get(kid);
    return key === undefined ? 'unknown' : { key, lastGood: stale() };
  }

  /** A refresh that is due; while the provider fails, at most one try in 5 s. */
  #refresh(): Promise<boolean> {
    if (this.#inFlight !== null) return this.#inFlight;
    if (this.#lastProblem !== '' && this.#attemptedAt !== null && this.#options.clock.now() - this.#attemptedAt < 5_000)
      return Promise.resolve(false);
    return this.#fetch();
  }

  #mayAskForUnknown(): boolean {
    if (this.#inFlight !== null) return true;
    const { clock, unknownEveryMs, unknownBurst } = this.#options;
    const now = clock.now();
    const earned = Math.floor((now - this.#tokensAt) / unknownEveryMs);
    if (earned > 0) {
      this.#tokens = Math.min(unknownBurst, this.#tokens + earned);
      this.#tokensAt += earned * unknownEveryMs;
    }
    if (this.#tokens <= 0) return false;
    this.#tokens -= 1;
    return true;
  }

  #fetch(): Promise<boolean> {
    this.#inFlight ??= this.#load().finally(() => {
      this.#inFlight = null;
    });
    return this.#inFlight;
  }

  async #load(): Promise<boolean> {
    const { clock, onFailure } = this.#options;
    const abort = new AbortController();
    const cancel = clock.deadline(clock.now() + FETCH_TIMEOUT_MS, () => abort.abort());
    this.#fetches += 1;
    this.#attemptedAt = clock.now();
    try {
      this.#keys = await this.#published(abort.signal);
      this.#fetchedAt = clock.now();
      this.#lastProblem = '';
      return true;
    } catch (error) {
      this.#lastProblem = abort.signal.aborted ? `the key set did not answer within ${FETCH_TIMEOUT_MS} ms` : (error as Error).message;
      onFailure(abort.signal.aborted ? 'timeout' : error instanceof KeySetFailure ? error.reason : 'unreachable');
      return false;
    } finally {
      cancel();
    }
  }

  /** What the provider publishes now. @throws KeySetFailure, and whatever `fetch` throws where nobody is reached. */
  async #published(signal: AbortSignal): Promise<Map<string, VerificationKey>> {
    const response = await fetch(this.#options.jwksUrl, { headers: { accept: 'application/json' }, redirect: 'error', signal });
    if (!response.ok) throw new KeySetFailure(`http_${response.status}`, `the key set answered ${response.status}`);
    const text = await bodyWithin(response, MAX_BYTES);
    if (text === null) throw new KeySetFailure('too_large', `the key set is larger than ${MAX_BYTES} bytes`);
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      throw new KeySetFailure('not_json', 'the key set is no JSON');
    }
    const keys = readKeySet(body);
    // An empty set is what a broken provider publishes; it must not lock everybody out at once.
    if (keys.size === 0) throw new KeySetFailure('no_keys', 'the key set has no key that could verify a token');
    return keys;
  }
}
