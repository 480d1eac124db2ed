/** The cookie in which a browser keeps its token; no script can read it, and no other site's page makes it go along. */
import type { FastifyReply } from 'fastify';
import { type CallerOptions, HOST_COOKIE, LOOPBACK_COOKIE } from '../../caller.ts';

const KEPT = { path: '/', httpOnly: true, sameSite: 'strict', encode: String } as const;

/** Makes the browser keep the token for so many seconds. On http loopback nothing is secure, and the prefix is not allowed. */
export function keepToken(reply: FastifyReply, token: string, seconds: number, { loopback }: CallerOptions): void {
  if (loopback) reply.setCookie(LOOPBACK_COOKIE, token, { ...KEPT, maxAge: seconds });
  else reply.setCookie(HOST_COOKIE, token, { ...KEPT, secure: true, maxAge: seconds });
}

/** Makes the browser forget its token, by whichever name it holds it. */
export function forgetToken(reply: FastifyReply, { loopback }: CallerOptions): void {
  if (loopback) reply.setCookie(LOOPBACK_COOKIE, '', { ...KEPT, maxAge: 0 });
  reply.setCookie(HOST_COOKIE, '', { ...KEPT, secure: true, maxAge: 0 });
}
