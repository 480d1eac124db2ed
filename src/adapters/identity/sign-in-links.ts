/** Links with which the owner of this machine signs in by one click: each works once, for a few minutes, from this machine only. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { EpochMs } from '../../domain/values/time.ts';

export const LINK_LIFETIME_MS = 10 * 60_000;
/** 128 bits: nobody guesses one within its life. */
const CODE_BYTES = 16;

export interface SignInLinks {
  /** A new code; what was issued before goes on working until its time is up. */
  issue(): string;
  /** Returns the token that the code stands for; null if the code was never issued, is used up, or is too old. */
  redeem(code: string): string | null;
}

/**
 * Creates the links. `mint` makes the token of the person who signs in. It is called when a link is used, so that the token's life begins
 * then.
 */
export function createSignInLinks(deps: { readonly clock: { now(): EpochMs }; readonly mint: () => string }): SignInLinks {
  let open: readonly { readonly digest: Buffer; readonly until: EpochMs }[] = [];
  const digestOf = (code: string): Buffer => createHash('sha256').update(code).digest();
  return {
    issue() {
      const code = randomBytes(CODE_BYTES).toString('base64url');
      open = [...open, { digest: digestOf(code), until: deps.clock.now() + LINK_LIFETIME_MS }];
      return code;
    },
    redeem(code) {
      const asked = digestOf(code);
      open = open.filter(({ until }) => until > deps.clock.now());
      const found = open.find(({ digest }) => timingSafeEqual(digest, asked));
      if (found === undefined) return null;
      open = open.filter((one) => one !== found);
      return deps.mint();
    },
  };
}
