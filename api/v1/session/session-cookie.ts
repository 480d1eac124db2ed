/** Session cookie of a browser. Scripts cannot read it, and pages of other sites cannot make the browser send it. */
import type { FastifyReply } from 'fastify';
import { type CallerOptions, HOST_COOKIE, LOOPBACK_COOKIE } from '../../caller.ts';

const KEPT = { path: '/', httpOnly: true, sameSite: 'strict', encode: String } as const;

/** Makes the browser keep the token for the given seconds. On http loopback the cookie is not secure, and its prefix is not allowed. */
export function keepToken(reply: FastifyReply, token: string, seconds: number, { loopback }: CallerOptions): void {
  if (loopback) reply.setCookie(LOOPBACK_COOKIE, token, { ...KEPT, maxAge: seconds });
  else reply.setCookie(HOST_COOKIE, token, { ...KEPT, secure: true, maxAge: seconds });
}

/** Makes the browser delete its token, under either name. */
export function forgetToken(reply: FastifyReply, { loopback }: CallerOptions): void {
  if (loopback) reply.setCookie(LOOPBACK_COOKIE, '', { ...KEPT, maxAge: 0 });
  reply.setCookie(HOST_COOKIE, '', { ...KEPT, secure: true, maxAge: 0 });
}
