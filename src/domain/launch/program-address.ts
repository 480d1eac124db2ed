/** Addresses that programs of the primary chain derive from seeds. They are off the Ed25519 curve, so that nobody can sign for them. */
import { createHash } from 'node:crypto';
import { base58 } from '../solana/base58.ts';
import { keyBytes, readUint } from './byte-struct.ts';

const P = (1n << 255n) - 19n;
/** -121665 / 121666 modulo P. */
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let square = base % P, rest = exponent; rest > 0n; rest >>= 1n, square = (square * square) % P)
    if ((rest & 1n) === 1n) result = (result * square) % P;
  return result;
}

/** True if the bytes are the y coordinate of a point on the curve, so that a key pair may exist for them. */
function isOnCurve(bytes: Uint8Array): boolean {
  const sign = (bytes[31] as number) >> 7;
  const y = readUint(bytes, 0, 32) & ((1n << 255n) - 1n);
  const yy = (y * y) % P;
  const numerator = (yy + P - 1n) % P;
  if (numerator === 0n) return sign === 0;
  // A quotient is a square exactly if the product is one, which needs no inverse.
  return power((numerator * ((D * yy + 1n) % P)) % P, (P - 1n) / 2n) === 1n;
}

interface ProgramAddress {
  readonly address: string;
  /** Last seed: the highest number that leads off the curve. */
  readonly bump: number;
}

/** Cache of derived addresses, because every instruction of a pool needs the same few. */
const DERIVED = new Map<string, ProgramAddress>();
const MOST_DERIVED = 10_000;

/** Derives the address of seeds under a program. Texts are UTF-8. @throws RangeError if no bump gives an address off the curve. */
export function programAddress(program: string, seeds: readonly (string | Uint8Array)[]): ProgramAddress {
  const name = [program, ...seeds.map((seed) => Buffer.from(seed).toString('hex'))].join();
  const known = DERIVED.get(name);
  if (known !== undefined) return known;
  if (DERIVED.size >= MOST_DERIVED) DERIVED.clear();
  const derived = derive(program, seeds);
  DERIVED.set(name, derived);
  return derived;
}

function derive(program: string, seeds: readonly (string | Uint8Array)[]): ProgramAddress {
  const owner = keyBytes(program);
  for (let bump = 255; bump >= 0; bump--) {
    const hash = createHash('sha256');
    for (const seed of seeds) hash.update(seed);
    const bytes = hash.update(Uint8Array.of(bump)).update(owner).update('ProgramDerivedAddress').digest();
    if (!isOnCurve(bytes)) return { address: base58(bytes), bump };
  }
  throw new RangeError('no bump gives an address off the curve');
}
