/** The cookie in which a browser keeps its token; no script can read it, and no other site's page makes it go along. */
import { type CallerOptions, HOST_COOKIE, LOOPBACK_COOKIE } from '../../caller.ts';

const KEPT = 'Path=/; HttpOnly; SameSite=Strict';

/** `Set-Cookie` that keeps the token for so many seconds. On http loopback nothing is secure, and the prefix is not allowed. */
export function openingCookie(token: string, seconds: number, { loopback }: CallerOptions): string {
  return loopback
    ? `${LOOPBACK_COOKIE}=${token}; ${KEPT}; Max-Age=${seconds}`
    : `${HOST_COOKIE}=${token}; ${KEPT}; Secure; Max-Age=${seconds}`;
}

/** `Set-Cookie` headers that make the browser forget its token, by whichever name it holds it. */
export function closingCookies({ loopback }: CallerOptions): readonly string[] {
  const secure = `${HOST_COOKIE}=; ${KEPT}; Secure; Max-Age=0`;
  return loopback ? [`${LOOPBACK_COOKIE}=; ${KEPT}; Max-Age=0`, secure] : [secure];
}
