/** Sentences about ports that cannot be listened on, for the person who configured them. */
import type { AddressInfo } from 'node:net';

const WHY: { readonly [code: string]: string } = {
  EADDRINUSE: 'is taken: stop what listens there, or set',
  EACCES: 'may not be listened on by this user: set',
  EADDRNOTAVAIL: 'is not an address of this machine: set',
  ENOTFOUND: 'is not an address of this machine: set',
  EAI_AGAIN: 'is not an address of this machine: set',
};

/** Returns a sentence for an error of `listen` with the setting to change; any other error unchanged. */
export function listenRefusal(error: unknown, host: string, port: number, setting: 'PORT' | 'SANDBOX_PORT' | 'EMERGENCY_PORT'): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  const why = WHY[code];
  if (why === undefined) return error;
  const remedy = why.startsWith('is not an address')
    ? 'HOST to one, such as 127.0.0.1'
    : `${setting} to another one (0 takes any free one)`;
  return new Error(`${host}:${port} ${why} ${remedy}`);
}

/** Returns true if only this machine can reach the address. */
export function isLoopback(host: string): boolean {
  return host === '127.0.0.1' || host === '::1' || host === 'localhost';
}

/** Returns the address of a listening server, `http://127.0.0.1:<port>`. @param port used if the server reports none */
export function listeningUrl(server: { address(): AddressInfo | string | null }, host: string, port: number): string {
  const address = server.address();
  return urlAt(host, typeof address === 'object' && address !== null ? address.port : port);
}

/** Returns the URL of a host and a port; a wildcard host becomes loopback. */
export function urlAt(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`;
}
