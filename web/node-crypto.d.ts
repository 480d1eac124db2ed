/** Hashes that domain modules import from Node. The terminal's bundle leaves them out, because pages hash nothing. */
declare module 'node:crypto' {
  interface Hash {
    update(data: string | Uint8Array, encoding?: 'utf8'): Hash;
    digest(): Uint8Array;
    digest(encoding: 'hex'): string;
  }
  export function createHash(algorithm: string): Hash;
  export function hash(algorithm: string, data: string | Uint8Array, encoding?: 'hex'): string;
}
