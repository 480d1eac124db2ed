// What a writer signs of one transaction: bound to the transaction, to the order of its rows and to every part of each.
import { expect, test } from 'vitest';
import { batchRoot, batchText, changeEntry, logEntry, type TrailBatch, type TrailChange } from '../../../src/domain/trail/batch.ts';
import { inclusionProof, leafHash, provesInclusion } from '../../../src/domain/trail/merkle.ts';

const CHANGES: readonly TrailChange[] = ['a', 'b', 'c'].map((key) => ({ table: 'members', op: 'insert', key, digest: '00'.repeat(32) }));

test('the root differs with the transaction, the order, and each part of a row', () => {
  const [first, ...rest] = CHANGES as [TrailChange, TrailChange, TrailChange];
  const roots = [
    batchRoot('700', CHANGES),
    batchRoot('701', CHANGES),
    batchRoot('700', [...CHANGES].reverse()),
    ...([{ table: 'agents' }, { op: 'update' }, { key: 'd' }, { digest: '11'.repeat(32) }] as const).map((part) =>
      batchRoot('700', [{ ...first, ...part }, ...rest]),
    ),
  ];
  expect(new Set(roots).size).toBe(roots.length);
});

test('one row is proved by its path to the root that was signed', () => {
  const leaves = CHANGES.map((change) => leafHash(changeEntry('700', change)));
  const root = Buffer.from(batchRoot('700', CHANGES), 'base64');
  expect(provesInclusion(leaves[1] as Buffer, 1, 3, inclusionProof(leaves, 1), root)).toBe(true);
  expect(provesInclusion(leafHash(changeEntry('701', CHANGES[1] as TrailChange)), 1, 3, inclusionProof(leaves, 1), root)).toBe(false);
});

test('what is signed is a text of lines, and the log has it with its signature', () => {
  const batch: TrailBatch = { xid: '700', writer: 'feed', keyId: '0123abcd', at: 5, changes: 3, root: 'cm9vdA==' };
  expect(batchText(batch)).toBe('sevengate-batch-1\n700\nfeed\n0123abcd\n5\n3\ncm9vdA==\n');
  expect(logEntry(batch, 'c2ln').toString()).toBe(`${batchText(batch)}c2ln\n`);
});
