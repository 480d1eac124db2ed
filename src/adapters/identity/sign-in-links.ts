/** One-time sign-in links for the owner of this machine. They expire after a few minutes and work only from this machine. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type EpochMs, MINUTE_MS } from '../../domain/values/time.ts';

export const LINK_LIFETIME_MS = 10 * MINUTE_MS;
/** Bytes of a code: 128 bits cannot be guessed within its lifetime. */
const CODE_BYTES = 16;

/** Creates the links. `mint` creates the person's token when a link is used, so that its lifetime begins then. */
export function createSignInLinks(deps: { readonly clock: { now(): EpochMs }; readonly mint: () => string }) {
  let open: readonly { readonly digest: Buffer; readonly until: EpochMs }[] = [];
  const digestCode = (code: string): Buffer => createHash('sha256').update(code).digest();
  return {
    /** Returns a new code. Earlier codes stay valid until they expire. */
    issue(): string {
      const code = randomBytes(CODE_BYTES).toString('base64url');
      open = [...open, { digest: digestCode(code), until: deps.clock.now() + LINK_LIFETIME_MS }];
      return code;
    },
    /** Returns the token of a code; null if the code is unknown, used or expired. */
    redeem(code: string): string | null {
      const asked = digestCode(code);
      open = open.filter(({ until }) => until > deps.clock.now());
      const found = open.find(({ digest }) => timingSafeEqual(digest, asked));
      if (found === undefined) return null;
      open = open.filter((one) => one !== found);
      return deps.mint();
    },
  };
}

export type SignInLinks = ReturnType<typeof createSignInLinks>;
