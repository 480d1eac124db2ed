/**
 * Bearer tokens of the identity provider: every request's token is verified cryptographically, claim by claim.
 * See docs/reference/outside/identity-provider.md.
 */
import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose';
import type { Clock } from '../../../streams/clock.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import { type KeyLookup, KeySet, type KeySetOptions, TOKEN_ALGORITHMS, type TokenAlgorithm } from './key-set.ts';

export const TOKEN_REFUSAL_CODES = [
  'token_too_large',
  'token_malformed',
  'header_refused',
  'algorithm_refused',
  'type_refused',
  'key_unknown',
  'keys_unavailable',
  'signature_invalid',
  'claim_missing',
  'claim_malformed',
  'issuer_mismatch',
  'audience_mismatch',
  'token_expired',
  'token_not_yet_valid',
  'lifetime_too_long',
] as const;
export type TokenRefusalCode = (typeof TOKEN_REFUSAL_CODES)[number];

/** Subject of a token. Nothing else in it is trusted: organization, role and permissions come from the database. */
export interface VerifiedToken {
  readonly ok: true;
  readonly subject: string;
  readonly issuedAt: EpochMs;
  readonly expiresAt: EpochMs;
  /** `sid`, the provider's session, if it names one. */
  readonly sessionId: string | null;
  /** `jti`, if the token has one. */
  readonly tokenId: string | null;
  readonly keyId: string;
  /** True if the provider is silent and its last known keys were used: reads may pass, trading must not. */
  readonly lastGoodKeys: boolean;
}

export interface TokenRefusal {
  readonly ok: false;
  readonly code: TokenRefusalCode;
  /** Problem and what would be right. Never repeats the token. */
  readonly detail: string;
}

export type TokenVerdict = VerifiedToken | TokenRefusal;

export interface TokenVerifierOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly clock: Clock;
  /** Default: all of ES256, RS256 and EdDSA. Others are never accepted. */
  readonly algorithms?: readonly TokenAlgorithm[];
  /** Accepted values of the header's `typ`, lower case. Default `jwt` and `at+jwt`. */
  readonly types?: readonly string[];
  /** Longest exp - iat. Default 60 min. */
  readonly maxLifetimeS?: number;
  /** Tolerated difference of the provider's clock. Default 5 s. */
  readonly clockToleranceS?: number;
}

export interface TokenVerifier {
  /**
   * Verifies one token. Never throws. The signature of a good token is not checked again for `VERIFIED_MS`; expiry
   * and the published keys count at every call; whether it was taken back is asked with the grants of its subject.
   * `toleranceS` stands in for the accepted difference of the clocks, in this call only.
   */
  verify(token: string, toleranceS?: number): Promise<TokenVerdict>;
  /** Fetches so far and the reason of the last failure, for metrics and `/readyz`. */
  readonly keySet: Pick<KeySet, 'fetches' | 'problem'>;
}

const MAX_TOKEN_BYTES = 8 * 1024;
const MAX_SUBJECT = 255;
/** Three parts of unpadded base64url. */
const COMPACT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
/** Headers that point to a key of the sender's choice, or change what is signed. */
const FORBIDDEN_HEADERS = ['jwk', 'jku', 'x5u', 'x5c', 'crit', 'b64', 'zip', 'enc'] as const;
const HEADER_CACHE = 64;
/** Time for which a valid signature is not checked again. Milliseconds. */
const VERIFIED_MS = 5_000;
/** Verified tokens that are remembered at once, and the longest of them. */
const MAX_REMEMBERED = 4_096;
const MAX_REMEMBERED_BYTES = 2 * 1024;

interface Header {
  readonly algorithm: TokenAlgorithm;
  readonly kid: string;
}

function refuse(code: TokenRefusalCode, detail: string): TokenRefusal {
  return { ok: false, code, detail };
}

/** Describes a claim in a sentence, never with a value that could be long or secret. */
function shown(value: unknown): string {
  return typeof value === 'string'
    ? JSON.stringify(value.slice(0, 40))
    : typeof value === 'number'
      ? String(value)
      : value === null
        ? 'null'
        : typeof value;
}

/** True for a text that UTF-8 can spell and a database can hold. */
function isPlainText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}

function whole(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 && value < 1e11;
}

/** Verified content of a signature, and the time until which it need not be checked again. */
interface Verified {
  readonly verdict: VerifiedToken;
  /** The token counts from then on. */
  readonly beginsAt: EpochMs;
  /** Next check, by elapsed time and not by the time of day. */
  readonly checkAgainAt: number;
}

/** The refusal that an error of jose stands for. */
function refusalOf(error: unknown, issuer: string, audience: string): TokenRefusal {
  if (error instanceof errors.JWKSNoMatchingKey) return refuse('key_unknown', 'the identity provider publishes no key of this token');
  if (error instanceof errors.JWSSignatureVerificationFailed) return refuse('signature_invalid', "the token's signature does not hold");
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { claim, reason, payload } = error;
    if (reason === 'missing') return refuse('claim_missing', `the token has no "${claim}"`);
    if (claim === 'iss') return refuse('issuer_mismatch', `the token is issued by ${shown(payload.iss)}, not by ${issuer}`);
    if (claim === 'aud') return refuse('audience_mismatch', `the token is not meant for ${audience}`);
    return refuse('claim_malformed', `"${claim}" must be a time in seconds, not ${shown(payload[claim])}`);
  }
  // This is the last error that jose finds in a token.
  return refuse('token_malformed', "the token's claims are not a JSON object");
}

/**
 * Makes a verifier of the provider's tokens. jose checks the signature, the issuer and the audience; the key comes from
 * the configured URL only, and never from the token. What is stricter than jose is checked beside it.
 */
export function createTokenVerifier(options: TokenVerifierOptions & Omit<KeySetOptions, 'clock'>): TokenVerifier {
  return new KeySetVerifier(options);
}

class KeySetVerifier implements TokenVerifier {
  readonly #issuer;
  readonly #audience;
  readonly #clock;
  readonly #algorithms: ReadonlySet<string>;
  readonly #types: ReadonlySet<string>;
  readonly #maxLifetimeS;
  readonly #toleranceS;
  readonly #keySet;
  // Headers of one key are all the same text.
  readonly #headers = new Map<string, Header>();
  readonly #verified = new Map<string, Verified>();
  #generation;

  constructor(options: TokenVerifierOptions & Omit<KeySetOptions, 'clock'>) {
    const { issuer, audience, clock } = options;
    this.#issuer = issuer;
    this.#audience = audience;
    this.#clock = clock;
    this.#algorithms = new Set(options.algorithms ?? TOKEN_ALGORITHMS);
    for (const algorithm of this.#algorithms) {
      if (!(TOKEN_ALGORITHMS as readonly string[]).includes(algorithm))
        throw new TypeError(`"${algorithm}" is not accepted; ${TOKEN_ALGORITHMS.join(', ')} are`);
    }
    this.#types = new Set(options.types ?? ['jwt', 'at+jwt']);
    this.#maxLifetimeS = options.maxLifetimeS ?? 3_600;
    this.#toleranceS = options.clockToleranceS ?? 5;
    this.#keySet = new KeySet(options);
    this.#generation = this.#keySet.generation;
  }

  get keySet() {
    return this.#keySet;
  }

  async verify(token: string, toleranceS = this.#toleranceS): Promise<TokenVerdict> {
    if (token.length > MAX_TOKEN_BYTES) return refuse('token_too_large', `the token is larger than ${MAX_TOKEN_BYTES} bytes`);
    if (!COMPACT.test(token)) return refuse('token_malformed', 'the token is no signed token of three base64url parts');
    const header = this.#readHeader(token.slice(0, token.indexOf('.')), token);
    if ('ok' in header) return header;
    const found = this.#keySet.peek(header.kid) ?? (await this.#keySet.lookup(header.kid));
    return this.#assess(token, header, found, toleranceS);
  }

  #readHeader(text: string, token: string): Header | TokenRefusal {
    const cached = this.#headers.get(text);
    if (cached !== undefined) return cached;
    let header: Record<string, unknown>;
    try {
      header = decodeProtectedHeader(token) as Record<string, unknown>;
    } catch {
      return refuse('token_malformed', "the token's header is not a JSON object");
    }
    const forbidden = FORBIDDEN_HEADERS.find((name) => Object.hasOwn(header, name));
    if (forbidden !== undefined) return refuse('header_refused', `the token's header carries "${forbidden}", which is never followed`);
    const { alg, typ, kid } = header;
    if (typeof alg !== 'string' || !this.#algorithms.has(alg)) {
      return refuse('algorithm_refused', `the token is signed with ${shown(alg)}; accepted are ${[...this.#algorithms].join(', ')}`);
    }
    const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : '';
    if (!this.#types.has(type))
      return refuse('type_refused', `the token's "typ" is ${shown(typ)}; accepted are ${[...this.#types].join(', ')}`);
    if (typeof kid !== 'string' || kid === '' || kid.length > 200)
      return refuse('header_refused', 'the token\'s header has no "kid" that names its key');
    const read = { algorithm: alg as TokenAlgorithm, kid };
    if (this.#headers.size >= HEADER_CACHE) this.#headers.delete(this.#headers.keys().next().value as string);
    this.#headers.set(text, read);
    return read;
  }

  #readClaims(claims: JWTPayload, kid: string): Verified | TokenRefusal {
    const { sub, exp, iat, nbf, sid, jti } = claims as Record<string, unknown>;
    if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT || !isPlainText(sub))
      return refuse('claim_malformed', `"sub" must be a text of 1 to ${MAX_SUBJECT} characters without U+0000`);
    if (!whole(exp)) return refuse('claim_malformed', `"exp" must be a time in seconds, not ${shown(exp)}`);
    if (!whole(iat)) return refuse('claim_malformed', `"iat" must be a time in seconds, not ${shown(iat)}`);
    if (nbf !== undefined && !whole(nbf)) return refuse('claim_malformed', `"nbf" must be a time in seconds, not ${shown(nbf)}`);
    for (const [name, value] of [
      ['sid', sid],
      ['jti', jti],
    ] as const)
      if (value !== undefined && (typeof value !== 'string' || value.length > MAX_SUBJECT || !isPlainText(value)))
        return refuse('claim_malformed', `"${name}" must be a short text`);
    if (exp <= iat) return refuse('claim_malformed', '"exp" must be later than "iat"');
    if (exp - iat > this.#maxLifetimeS)
      return refuse('lifetime_too_long', `the token lives ${Math.round(exp - iat)} s; at most ${this.#maxLifetimeS} s are accepted`);
    const verdict: VerifiedToken = {
      ok: true,
      subject: sub,
      issuedAt: iat * 1000,
      expiresAt: exp * 1000,
      sessionId: typeof sid === 'string' ? sid : null,
      tokenId: typeof jti === 'string' ? jti : null,
      keyId: kid,
      lastGoodKeys: false,
    };
    const beginsAt = Math.max(iat, typeof nbf === 'number' ? nbf : iat) * 1000;
    return { verdict, beginsAt, checkAgainAt: this.#clock.elapsed() + VERIFIED_MS };
  }

  /** Applies what may have changed since the signature was checked. */
  #atThisMoment({ verdict, beginsAt }: Verified, lastGoodKeys: boolean, toleranceS: number): TokenVerdict {
    const now = this.#clock.now();
    const late = now - verdict.expiresAt;
    if (late >= toleranceS * 1000)
      return refuse('token_expired', `the token expired ${Math.floor(late / 1000)} s ago; ask the identity provider for a new one`);
    const ahead = beginsAt - now;
    if (ahead > toleranceS * 1000)
      return refuse(
        'token_not_yet_valid',
        `the token is valid only in ${Math.ceil(ahead / 1000)} s; the clocks may differ by ${toleranceS} s`,
      );
    return lastGoodKeys ? { ...verdict, lastGoodKeys } : verdict;
  }

  async #check(token: string, header: Header): Promise<Verified | TokenRefusal> {
    const signature = token.slice(token.lastIndexOf('.') + 1);
    // One signature, one encoding: spare bits at the end would make a second token out of the same bytes.
    if (Buffer.from(signature, 'base64url').toString('base64url') !== signature)
      return refuse('token_malformed', "the token's signature is not spelled canonically");
    let payload: JWTPayload;
    try {
      ({ payload } = await jwtVerify(token, this.#keySet.select, {
        issuer: this.#issuer,
        audience: this.#audience,
        algorithms: [header.algorithm],
        requiredClaims: ['iss', 'aud', 'sub', 'exp', 'iat'],
        // Times are assessed below, where the clock and its tolerance are ours.
        currentDate: new Date(0),
        clockTolerance: Number.MAX_SAFE_INTEGER,
      }));
    } catch (error) {
      // jose was told that it is 1970, so that nothing has expired.
      return refusalOf(error, this.#issuer, this.#audience);
    }
    return this.#readClaims(payload, header.kid);
  }

  #remember(token: string, found: Verified): void {
    if (token.length > MAX_REMEMBERED_BYTES) return;
    if (this.#verified.size >= MAX_REMEMBERED) this.#verified.delete(this.#verified.keys().next().value as string);
    this.#verified.set(token, found);
  }

  async #assess(token: string, header: Header, found: KeyLookup, toleranceS: number): Promise<TokenVerdict> {
    if (found === 'unavailable')
      return refuse('keys_unavailable', `the identity provider's keys cannot be read: ${this.#keySet.problem || 'no answer yet'}`);
    if (found === 'unknown') return refuse('key_unknown', `the identity provider publishes no key ${shown(header.kid)}`);
    if (found.algorithm !== header.algorithm)
      return refuse('algorithm_refused', `the token says ${header.algorithm}, but its key is for ${found.algorithm}`);
    if (this.#generation !== this.#keySet.generation) {
      this.#generation = this.#keySet.generation;
      this.#verified.clear();
    }
    const known = this.#verified.get(token);
    if (known !== undefined && this.#clock.elapsed() < known.checkAgainAt) return this.#atThisMoment(known, found.lastGood, toleranceS);
    this.#verified.delete(token);
    const checked = await this.#check(token, header);
    if ('ok' in checked) return checked;
    const verdict = this.#atThisMoment(checked, found.lastGood, toleranceS);
    if (verdict.ok) this.#remember(token, checked);
    return verdict;
  }
}
