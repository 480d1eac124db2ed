// Merkle trees compared with the published vectors of RFC 6962 logs, a direct reading of the RFC, and random logs.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  appendLeaf,
  consistencyProof,
  EMPTY_ROOT,
  emptyFrontier,
  frontierRoot,
  inclusionProof,
  leafHash,
  merkleRoot,
  provesConsistency,
  provesInclusion,
  thinnedRoot,
} from '../../../src/domain/trail/merkle.ts';

/** Inputs and roots of the test suites of certificate-transparency. */
const INPUTS = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map((hex) =>
  Buffer.from(hex, 'hex'),
);
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

/** Computes MTH of RFC 6962, section 2.1, literally. */
function rfcRoot(entries: readonly Buffer[]): string {
  const sha = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
  const root = (part: readonly Buffer[]): Buffer => {
    if (part.length === 0) return sha();
    if (part.length === 1) return sha(Buffer.from([0]), part[0] as Buffer);
    const k = 2 ** Math.ceil(Math.log2(part.length) - 1);
    return sha(Buffer.from([1]), root(part.slice(0, k)), root(part.slice(k)));
  };
  return root(entries).toString('hex');
}

const log = (size: number, seed = 0): Buffer[] => Array.from({ length: size }, (_, index) => leafHash(Buffer.from(`${seed} ${index}`)));

describe('published vectors', () => {
  test('the root of the empty log', () => {
    expect(EMPTY_ROOT.toString('hex')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(merkleRoot([]).equals(EMPTY_ROOT)).toBe(true);
  });

  test('the roots of the first to the eighth log', () => {
    const frontier = emptyFrontier();
    for (const [index, input] of INPUTS.entries()) {
      appendLeaf(frontier, leafHash(input));
      expect(frontierRoot(frontier).toString('hex')).toBe(ROOTS[index]);
      expect(merkleRoot(INPUTS.slice(0, index + 1).map(leafHash)).toString('hex')).toBe(ROOTS[index]);
      expect(rfcRoot(INPUTS.slice(0, index + 1))).toBe(ROOTS[index]);
    }
  });

  test('an inclusion proof and consistency proofs of the same suites', () => {
    const leaves = INPUTS.map(leafHash);
    expect(inclusionProof(leaves, 0).map((hash) => hash.toString('hex'))).toEqual([
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ]);
    expect(consistencyProof(leaves, 1).map((hash) => hash.toString('hex'))).toEqual([
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ]);
    expect(consistencyProof(leaves, 6).map((hash) => hash.toString('hex'))).toEqual([
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
  });
});

describe('logs of every size', () => {
  test('roots are those of the RFC, and the frontier grows to them', () => {
    const entries = Array.from({ length: 130 }, (_, index) => Buffer.from(String(index)));
    const frontier = emptyFrontier();
    for (const [index, entry] of entries.entries()) {
      appendLeaf(frontier, leafHash(entry));
      expect(frontierRoot(frontier).toString('hex')).toBe(rfcRoot(entries.slice(0, index + 1)));
    }
  });

  test('each entry is proven at its place and at no other', () => {
    for (let size = 1; size <= 40; size++) {
      const leaves = log(size);
      const root = merkleRoot(leaves);
      for (let index = 0; index < size; index++) {
        const proof = inclusionProof(leaves, index);
        expect(provesInclusion(leaves[index] as Buffer, index, size, proof, root)).toBe(true);
        for (let other = 0; other <= size; other++)
          if (other !== index) expect(provesInclusion(leaves[index] as Buffer, other, size, proof, root)).toBe(false);
        expect(provesInclusion(leafHash(Buffer.from('made up')), index, size, proof, root)).toBe(false);
      }
    }
  });

  test('every older log is proven consistent, and no other history is', () => {
    for (let size = 1; size <= 40; size++) {
      const leaves = log(size);
      const root = merkleRoot(leaves);
      for (let old = 1; old <= size; old++) {
        const proof = consistencyProof(leaves, old);
        expect(provesConsistency(old, size, merkleRoot(leaves.slice(0, old)), root, proof)).toBe(true);
        expect(provesConsistency(old, size, merkleRoot(log(old, 1)), root, proof)).toBe(false);
      }
    }
  });

  test('a changed proof proves nothing', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 200 }), fc.nat(), fc.nat(), fc.nat(255), (size, at, part, bits) => {
        const leaves = log(size);
        const root = merkleRoot(leaves);
        const old = (at % (size - 1)) + 1;
        const proof = consistencyProof(leaves, old).map((hash) => Buffer.from(hash));
        const changed = proof[part % Math.max(1, proof.length)];
        if (changed === undefined || bits === 0) return;
        changed[part % 32] = (changed[part % 32] as number) ^ bits;
        expect(provesConsistency(old, size, merkleRoot(leaves.slice(0, old)), root, proof)).toBe(false);
      }),
      { seed: 11, numRuns: 300 },
    );
  });

  test('the root follows from any of its leaves and the subtrees of the others, and from nothing else', () => {
    /** Returns the roots of the largest subtrees without a kept leaf, by the RFC's own split. */
    const subtrees = (leaves: readonly Buffer[], keeps: (place: number) => boolean, from = 0): Buffer[] => {
      if (!leaves.some((_, n) => keeps(from + n))) return [merkleRoot(leaves)];
      if (leaves.length === 1) return [];
      const split = 2 ** Math.ceil(Math.log2(leaves.length) - 1);
      return [...subtrees(leaves.slice(0, split), keeps, from), ...subtrees(leaves.slice(split), keeps, from + split)];
    };
    const kept = fc.integer({ min: 1, max: 70 }).chain((size) => fc.tuple(fc.constant(size), fc.subarray([...log(size).keys()])));
    fc.assert(
      fc.property(kept, fc.nat(), fc.nat(31), ([size, places], which, byte) => {
        const leaves = log(size);
        const hashes = subtrees(leaves, (place) => places.includes(place));
        const own = places.map((place) => leaves[place] as Buffer);
        const root = merkleRoot(leaves);
        expect(thinnedRoot(size, places, own, hashes)).toEqual(root);
        expect(thinnedRoot(size, places, own, [...hashes, root])).toBeNull();
        expect(thinnedRoot(size, places, own, hashes.slice(1))?.equals(root) ?? false).toBe(hashes.length === 0);
        expect(thinnedRoot(size, [...places, size], [...own, root], hashes)).toBeNull();
        if (places.length > 1) expect(thinnedRoot(size, places.toReversed(), own.toReversed(), hashes)).toBeNull();
        const parts = [...own, ...hashes].map((part) => Buffer.from(part));
        const changed = parts[which % parts.length] as Buffer;
        changed[byte] = (changed[byte] as number) ^ 1;
        expect(thinnedRoot(size, places, parts.slice(0, own.length), parts.slice(own.length))).not.toEqual(root);
      }),
      { seed: 12, numRuns: 300 },
    );
  });

  test('missing entries are refused with their numbers', () => {
    expect(() => inclusionProof(log(3), 3)).toThrow('there is no entry 3 of 3');
    expect(() => consistencyProof(log(3), 4)).toThrow('a log of 3 entries had no size 4');
    expect(provesConsistency(0, 3, EMPTY_ROOT, merkleRoot(log(3)), [])).toBe(false);
    expect(provesConsistency(4, 3, merkleRoot(log(4)), merkleRoot(log(3)), [])).toBe(false);
  });
});
