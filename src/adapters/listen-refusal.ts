/** Explanation in one sentence of why a port cannot be listened on, for the person who configured it. */
import type { AddressInfo } from 'node:net';

const WHY: { readonly [code: string]: string } = {
  EADDRINUSE: 'is taken: stop what listens there, or set',
  EACCES: 'may not be listened on by this user: set',
  EADDRNOTAVAIL: 'is not an address of this machine: set',
  ENOTFOUND: 'is not an address of this machine: set',
  EAI_AGAIN: 'is not an address of this machine: set',
};

/** The sentence for an error of `listen`, with what to change; any other error as it came. */
export function listenRefusal(error: unknown, host: string, port: number, setting: 'PORT' | 'SANDBOX_PORT' | 'EMERGENCY_PORT'): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  const why = WHY[code];
  if (why === undefined) return error;
  const remedy = why.startsWith('is not an address')
    ? 'HOST to one, such as 127.0.0.1'
    : `${setting} to another one (0 takes any free one)`;
  return new Error(`${host}:${port} ${why} ${remedy}`);
}

/** True if only this machine can reach what listens on an address. */
export function isLoopback(host: string): boolean {
  return host === '127.0.0.1' || host === '::1' || host === 'localhost';
}

/** `http://127.0.0.1:<port>`: the address of a server that listens. @param port the one that it was given, if it tells none. */
export function listeningUrl(server: { address(): AddressInfo | string | null }, host: string, port: number): string {
  const address = server.address();
  return urlAt(host, typeof address === 'object' && address !== null ? address.port : port);
}

/** The address of a host and a port; a host that stands for every address is asked on loopback. */
export function urlAt(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`;
}
