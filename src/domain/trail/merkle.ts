/** Merkle trees of RFC 6962: roots, inclusion proofs and consistency proofs, and a frontier that grows by appending. */
import { hash } from 'node:crypto';

const LEAF = Buffer.from([0]);
const NODE = Buffer.from([1]);

/** SHA-256 of nothing: the root of the empty tree. */
export const EMPTY_ROOT: Buffer = sha256(Buffer.alloc(0));

function sha256(bytes: Uint8Array): Buffer {
  return hash('sha256', bytes, 'buffer');
}

/** Returns the hash of a log entry. */
export function leafHash(entry: Uint8Array): Buffer {
  return sha256(Buffer.concat([LEAF, entry]));
}

function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return sha256(Buffer.concat([NODE, left, right]));
}

/** Returns the largest power of two below `size`, which is at least 2. */
function splitSize(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

/** Returns the root over leaf hashes in order. */
export function merkleRoot(leaves: readonly Uint8Array[]): Buffer {
  const frontier = emptyFrontier();
  for (const leaf of leaves) appendLeaf(frontier, leaf);
  return frontierRoot(frontier);
}

/** Complete subtrees of a log from left to right, largest first: the state needed to append to it. */
export interface Frontier {
  size: number;
  readonly roots: Buffer[];
}

/** Returns the frontier of an empty log. */
export function emptyFrontier(): Frontier {
  return { size: 0, roots: [] };
}

/** Appends the hash of one entry. */
export function appendLeaf(frontier: Frontier, leaf: Uint8Array): void {
  let root: Buffer = Buffer.from(leaf);
  for (let size = frontier.size; size % 2 === 1; size = Math.floor(size / 2)) root = nodeHash(frontier.roots.pop() as Buffer, root);
  frontier.roots.push(root);
  frontier.size += 1;
}

/** Returns the root of a frontier's log. */
export function frontierRoot({ roots }: Frontier): Buffer {
  if (roots.length === 0) return EMPTY_ROOT;
  return roots.slice(0, -1).reduceRight<Buffer>((right, left) => nodeHash(left, right), roots.at(-1) as Buffer);
}

/** Returns the hashes that lead from the entry `index` to the root over `leaves`. @throws RangeError if there is no such entry. */
export function inclusionProof(leaves: readonly Uint8Array[], index: number): readonly Buffer[] {
  if (!Number.isInteger(index) || index < 0 || index >= leaves.length)
    throw new RangeError(`there is no entry ${index} of ${leaves.length}`);
  if (leaves.length === 1) return [];
  const split = splitSize(leaves.length);
  return index < split
    ? [...inclusionProof(leaves.slice(0, split), index), merkleRoot(leaves.slice(split))]
    : [...inclusionProof(leaves.slice(split), index - split), merkleRoot(leaves.slice(0, split))];
}

/** True if the proof leads from the leaf hash at `index` to the root of a log of `size` entries. */
export function provesInclusion(leaf: Uint8Array, index: number, size: number, proof: readonly Uint8Array[], root: Uint8Array): boolean {
  if (!Number.isInteger(index) || index < 0 || index >= size) return false;
  let node: Buffer = Buffer.from(leaf);
  let place = index;
  let last = size - 1;
  for (const other of proof) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      node = nodeHash(other, node);
      while (place % 2 === 0 && place !== 0) {
        place = Math.floor(place / 2);
        last = Math.floor(last / 2);
      }
    } else node = nodeHash(node, other);
    place = Math.floor(place / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && node.equals(root);
}

/** Returns the hashes that prove that the first `size` leaves are the earlier log. @throws RangeError if the log never had that size. */
export function consistencyProof(leaves: readonly Uint8Array[], size: number): readonly Buffer[] {
  if (!Number.isInteger(size) || size < 1 || size > leaves.length)
    throw new RangeError(`a log of ${leaves.length} entries had no size ${size}`);
  return subproof(leaves, size, true);
}

function subproof(leaves: readonly Uint8Array[], size: number, isWhole: boolean): readonly Buffer[] {
  if (size === leaves.length) return isWhole ? [] : [merkleRoot(leaves)];
  const split = splitSize(leaves.length);
  return size <= split
    ? [...subproof(leaves.slice(0, split), size, isWhole), merkleRoot(leaves.slice(split))]
    : [...subproof(leaves.slice(split), size - split, false), merkleRoot(leaves.slice(0, split))];
}

/** True if the proof shows that the log with `root` begins with the log with `oldRoot` (RFC 9162, section 2.1.4.2). */
export function provesConsistency(
  oldSize: number,
  size: number,
  oldRoot: Uint8Array,
  root: Uint8Array,
  proof: readonly Uint8Array[],
): boolean {
  if (oldSize < 1 || oldSize > size) return false;
  if (oldSize === size) return proof.length === 0 && Buffer.from(oldRoot).equals(root);
  const path = isPowerOfTwo(oldSize) ? [oldRoot, ...proof] : [...proof];
  const first = path.shift();
  if (first === undefined) return false;
  let place = oldSize - 1;
  let last = size - 1;
  while (place % 2 === 1) {
    place = Math.floor(place / 2);
    last = Math.floor(last / 2);
  }
  let old: Buffer = Buffer.from(first);
  let present: Buffer = Buffer.from(first);
  for (const other of path) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      old = nodeHash(other, old);
      present = nodeHash(other, present);
      while (place % 2 === 0 && place !== 0) {
        place = Math.floor(place / 2);
        last = Math.floor(last / 2);
      }
    } else present = nodeHash(present, other);
    place = Math.floor(place / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && old.equals(oldRoot) && present.equals(root);
}

/**
 * Returns the root of a log of `size` entries from a part of them: the leaf hashes of `places` (from 0, ascending), and the roots of the
 * largest subtrees without any of them, from left to right. Null if these do not form a tree of that size.
 */
export function thinnedRoot(
  size: number,
  places: readonly number[],
  leaves: readonly Uint8Array[],
  hashes: readonly Uint8Array[],
): Buffer | null {
  const isInOrder = places.every(
    (place, n) => Number.isInteger(place) && place >= 0 && place < size && (n === 0 || place > (places[n - 1] as number)),
  );
  if (!Number.isInteger(size) || size < 1 || !isInOrder || places.length !== leaves.length) return null;
  let [kept, taken] = [0, 0];
  const hashRoot = (from: number, count: number): Uint8Array | null => {
    const place = places[kept];
    if (place === undefined || place >= from + count) return hashes[taken++] ?? null;
    if (count === 1) return leaves[kept++] ?? null;
    const split = splitSize(count);
    const left = hashRoot(from, split);
    const right = left && hashRoot(from + split, count - split);
    return left && right && nodeHash(left, right);
  };
  const root = hashRoot(0, size);
  return root === null || taken !== hashes.length ? null : Buffer.from(root);
}

function isPowerOfTwo(size: number): boolean {
  return Number.isInteger(Math.log2(size));
}
