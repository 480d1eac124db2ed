/**
 * Public keys of the identity provider. jose fetches and selects them; they are refreshed regularly and kept for a while if the provider
 * does not answer. See docs/reference/outside/identity-provider.md.
 */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { createRemoteJWKSet, customFetch, type JWK, type JWTVerifyGetKey } from 'jose';
import type { Clock } from '../../../streams/clock/clock.ts';
import { bodyWithin } from './bounded-body.ts';

export const TOKEN_ALGORITHMS = ['ES256', 'RS256', 'EdDSA'] as const;
export type TokenAlgorithm = (typeof TOKEN_ALGORITHMS)[number];

/** Published key that verifies tokens of exactly one algorithm; public members only. */
interface VerificationKey extends JWK {
  readonly kid: string;
  readonly alg: TokenAlgorithm;
}

const FETCH_TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;
const MAX_KEYS = 50;
const MIN_RSA_BITS = 2048;

/** Returns the algorithm of a key by type and curve; null if it is not accepted or contradicts the key's `alg`. */
function findAlgorithm(key: KeyObject, claimed: unknown): TokenAlgorithm | null {
  const details = key.asymmetricKeyDetails;
  let algorithm: TokenAlgorithm | null = null;
  if (key.asymmetricKeyType === 'ec' && details?.namedCurve === 'prime256v1') algorithm = 'ES256';
  else if (key.asymmetricKeyType === 'rsa' && (details?.modulusLength ?? 0) >= MIN_RSA_BITS) algorithm = 'RS256';
  else if (key.asymmetricKeyType === 'ed25519') algorithm = 'EdDSA';
  if (claimed !== undefined && claimed !== algorithm && !(claimed === 'Ed25519' && algorithm === 'EdDSA')) return null;
  return algorithm;
}

/**
 * Parses a JWKS document. Leaves out keys that do not verify, have no `kid`, have an unaccepted type or strength, or are secret (`oct`), so
 * that no token can select them. Of two keys with one `kid` the last one is used. @throws Error if the document is not a key set
 */
export function readKeySet(body: unknown): ReadonlyMap<string, VerificationKey> {
  const list = (body as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(list)) throw new KeySetFailure('no_keys', 'the key set has no list "keys"');
  const keys = new Map<string, VerificationKey>();
  for (const item of list.slice(0, MAX_KEYS) as unknown[]) {
    if (typeof item !== 'object' || item === null) continue;
    const { kid, kty, use, key_ops: operations, alg, crv, x, y, n, e } = item as Record<string, unknown>;
    if (typeof kid !== 'string' || kid === '' || (kty !== 'EC' && kty !== 'RSA' && kty !== 'OKP')) continue;
    if ((use !== undefined && use !== 'sig') || (Array.isArray(operations) && !operations.includes('verify'))) continue;
    // Public members only, even if the provider leaks private ones.
    const jwk = JSON.parse(JSON.stringify({ kty, crv, x, y, n, e })) as JWK;
    try {
      const algorithm = findAlgorithm(createPublicKey({ key: jwk, format: 'jwk' }), alg);
      if (algorithm !== null) keys.set(kid, { ...jwk, kid, alg: algorithm });
    } catch {
      // An unreadable key is skipped.
    }
  }
  return keys;
}

/** Error of a key fetch: `timeout`, `unreachable`, `http_<status>`, `too_large`, `not_json`, `no_keys`. */
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
  /** Receives the reason of every failed fetch. */
  readonly onFailure?: (reason: string) => void;
  /** Age from which the set is refreshed in the background. Default 2 min. */
  readonly refreshAfterMs?: number;
  /** Age from which a request waits for the refresh. Default 5 min: the maximum time that a withdrawn key is accepted. */
  readonly maxAgeMs?: number;
  /** Maximum age of the last good set while the provider does not answer. Default 15 min. */
  readonly lastGoodMs?: number;
  /** Limit of fetches for unknown key ids: `burst` at once and one more per period. Default 10 s, 3. */
  readonly unknownEveryMs?: number;
  readonly unknownBurst?: number;
}

/** Result of a key lookup. `lastGood`: the set is too old because the provider does not answer; accepted for reads, not for trading. */
export type KeyLookup = { readonly algorithm: TokenAlgorithm; readonly lastGood: boolean } | 'unknown' | 'unavailable';

/** Key set of one provider. The injected clock decides when jose fetches it. */
export class KeySet {
  readonly #options: Required<KeySetOptions>;
  readonly #remote: ReturnType<typeof createRemoteJWKSet>;
  #keys: ReadonlyMap<string, VerificationKey> = new Map();
  /** Time of the last fetch by elapsed time, so that a clock change does not age the keys. */
  #fetchedAt: number | null = null;
  #attemptedAt: number | null = null;
  #inFlight: Promise<void> | null = null;
  #tokens: number;
  #tokensAt: number;
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
    this.#tokensAt = options.clock.elapsed();
    // jose never fetches by itself; only `reload` does.
    const never = Number.POSITIVE_INFINITY;
    this.#remote = createRemoteJWKSet(new URL(options.jwksUrl), {
      cacheMaxAge: never,
      cooldownDuration: never,
      timeoutDuration: FETCH_TIMEOUT_MS,
      [customFetch]: (url, { signal }) => this.#published(url, signal),
    });
  }

  /** Number of fetches. */
  get fetches(): number {
    return this.#fetches;
  }

  /** Reason of the last fetch failure; empty after a success. */
  get problem(): string {
    return this.#lastProblem;
  }

  /** Object that changes with the published keys. Tokens verified by earlier keys must be verified again. */
  get generation(): ReadonlyMap<string, VerificationKey> {
    return this.#keys;
  }

  /** Function that selects a token's key from the last good set. */
  get select(): JWTVerifyGetKey {
    return this.#remote;
  }

  /** Returns a key without waiting; undefined if `lookup` is needed. */
  peek(kid: string): KeyLookup | undefined {
    if (this.#fetchedAt === null) return undefined;
    const age = this.#age();
    if (age > this.#options.maxAgeMs) return undefined;
    if (age > this.#options.refreshAfterMs) void this.#refresh();
    const key = this.#keys.get(kid);
    return key === undefined ? undefined : { algorithm: key.alg, lastGood: false };
  }

  /** Returns a key. Fetches the set if it is too old or lacks the key. */
  async lookup(kid: string): Promise<KeyLookup> {
    const { maxAgeMs, lastGoodMs } = this.#options;
    const stale = (): boolean => this.#age() > maxAgeMs;
    // While the last good set is valid, no request waits for a provider that does not answer.
    if (stale() && this.#lastProblem !== '' && this.#age() <= lastGoodMs) void this.#refresh();
    else if (stale()) await this.#refresh();
    else if (!this.#keys.has(kid) && this.#mayAskForUnknown()) await this.#fetch();
    if (this.#age() > lastGoodMs) return 'unavailable';
    const key = this.#keys.get(kid);
    return key === undefined ? 'unknown' : { algorithm: key.alg, lastGood: stale() };
  }

  #age(): number {
    return this.#fetchedAt === null ? Number.POSITIVE_INFINITY : this.#options.clock.elapsed() - this.#fetchedAt;
  }

  /** Refreshes a set that is due; while the provider fails, at most once in 5 s. */
  #refresh(): Promise<void> {
    if (this.#inFlight !== null) return this.#inFlight;
    if (this.#lastProblem !== '' && this.#attemptedAt !== null && this.#options.clock.elapsed() - this.#attemptedAt < 5_000)
      return Promise.resolve();
    return this.#fetch();
  }

  #mayAskForUnknown(): boolean {
    if (this.#inFlight !== null) return true;
    const { clock, unknownEveryMs, unknownBurst } = this.#options;
    const now = clock.elapsed();
    const earned = Math.floor((now - this.#tokensAt) / unknownEveryMs);
    if (earned > 0) {
      this.#tokens = Math.min(unknownBurst, this.#tokens + earned);
      this.#tokensAt += earned * unknownEveryMs;
    }
    if (this.#tokens <= 0) return false;
    this.#tokens -= 1;
    return true;
  }

  #fetch(): Promise<void> {
    this.#inFlight ??= this.#load().finally(() => {
      this.#inFlight = null;
    });
    return this.#inFlight;
  }

  /** Loads the set. After a failure jose keeps the earlier one. */
  async #load(): Promise<void> {
    const { clock, onFailure } = this.#options;
    this.#fetches += 1;
    this.#attemptedAt = clock.elapsed();
    try {
      await this.#remote.reload();
      const published = (this.#remote.jwks()?.keys ?? []) as VerificationKey[];
      this.#keys = new Map(published.map((key) => [key.kid, key]));
      this.#fetchedAt = clock.elapsed();
      this.#lastProblem = '';
    } catch (error) {
      this.#lastProblem = (error as Error).message;
      onFailure(error instanceof KeySetFailure ? error.reason : 'unreachable');
    }
  }

  /** Fetches the published keys and removes those that must not be used. @throws KeySetFailure */
  async #published(url: string, signal: AbortSignal): Promise<Response> {
    const { clock } = this.#options;
    const abort = new AbortController();
    const cancel = clock.deadline(clock.now() + FETCH_TIMEOUT_MS, () => abort.abort());
    const either = AbortSignal.any([signal, abort.signal]);
    try {
      const response = await fetch(url, { headers: { accept: 'application/json' }, redirect: 'error', signal: either });
      if (!response.ok) throw new KeySetFailure(`http_${response.status}`, `the key set answered ${response.status}`);
      const text = await bodyWithin(response, MAX_BYTES);
      if (text === null) throw new KeySetFailure('too_large', `the key set is larger than ${MAX_BYTES} bytes`);
      return Response.json({ keys: [...usableKeys(text)] });
    } catch (error) {
      if (!either.aborted) throw error;
      throw new KeySetFailure('timeout', `the key set did not answer within ${FETCH_TIMEOUT_MS} ms`);
    } finally {
      cancel();
    }
  }
}

/** @throws KeySetFailure if the text is not a key set or has no usable key */
function usableKeys(text: string): Iterable<VerificationKey> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new KeySetFailure('not_json', 'the key set is not JSON');
  }
  const keys = readKeySet(body);
  // A broken provider may publish an empty set, which must not reject every token.
  if (keys.size === 0) throw new KeySetFailure('no_keys', 'the key set has no key that could verify a token');
  return keys.values();
}
