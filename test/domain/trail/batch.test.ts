// Signed batch of one transaction: bound to the transaction, to the order of its rows and to every part of each.
import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { batchFault, type StoredChange } from '../../../src/adapters/store/trail/batch-check.ts';
import { batchRoot, batchText, changeEntry, logEntry, type TrailBatch, type TrailChange } from '../../../src/domain/trail/batch.ts';
import { inclusionProof, leafHash, provesInclusion } from '../../../src/domain/trail/merkle.ts';
import { rounds } from '../../harness/rounds.ts';

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

test('one row is proven by its path to the signed root', () => {
  const leaves = CHANGES.map((change) => leafHash(changeEntry('700', change)));
  const root = Buffer.from(batchRoot('700', CHANGES), 'base64');
  expect(provesInclusion(leaves[1] as Buffer, 1, 3, inclusionProof(leaves, 1), root)).toBe(true);
  expect(provesInclusion(leafHash(changeEntry('701', CHANGES[1] as TrailChange)), 1, 3, inclusionProof(leaves, 1), root)).toBe(false);
});

test('the signed text consists of lines, and the log has it with its signature', () => {
  const batch: TrailBatch = { xid: '700', writer: 'feed', keyId: '0123abcd', at: 5, changes: 3, root: 'cm9vdA==' };
  expect(batchText(batch)).toBe('sevengate-batch-1\n700\nfeed\n0123abcd\n5\n3\ncm9vdA==\n');
  expect(logEntry(batch, 'c2ln').toString()).toBe(`${batchText(batch)}c2ln\n`);
});

test('a batch of ten times as many rows is checked with ten times the work', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = {
    id: '0000abcd',
    name: 'sevengate/worker',
    writer: 'worker',
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).subarray(-32),
  } as const;
  /** Counts the reads of a row's parts. */
  const workOf = (count: number): number => {
    let looks = 0;
    const counting: ProxyHandler<StoredChange> = {
      get(change, part) {
        looks++;
        return Reflect.get(change, part) as unknown;
      },
    };
    const changes = Array.from({ length: count }, (_, n) => ({ xid: '700', ...(CHANGES[0] as TrailChange), key: `row ${n}` }));
    const batch = { xid: '700', at: 1, changes: count, root: batchRoot('700', changes) };
    const text = batchText({ ...batch, writer: 'worker', keyId: key.id });
    const signature = sign(null, Buffer.from(text), privateKey).toString('base64');
    const stored = { ...batch, key_id: key.id, signature };
    expect(
      batchFault(
        stored,
        changes.map((change) => new Proxy(change, counting)),
        [key],
      ),
    ).toBeNull();
    const last = { ...(changes.at(-1) as StoredChange), digest: '11'.repeat(32) };
    expect(batchFault(stored, [...changes.slice(0, -1), last], [key])).toMatch(/not those that were signed/);
    return looks;
  };
  const rows = rounds({ suite: 2_000, proof: 10_000 });
  const few = workOf(rows);
  expect(few).toBeGreaterThanOrEqual(rows);
  expect(workOf(10 * rows)).toBeLessThanOrEqual(10 * few);
});
