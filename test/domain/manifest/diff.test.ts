// Differences between two manifests compared with deliberate changes.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffManifests } from '../../../src/domain/manifest/diff.ts';
import { manifestHash } from '../../../src/domain/manifest/manifest.ts';
import { condition, sampleManifest } from '../../actors/agent/sample.ts';

test('equal manifests have no difference, and every difference changes the hash', () => {
  const changed = fc.record(
    {
      stopLossPct: fc.integer({ min: 1, max: 20 }),
      maxCapitalUsd: fc.integer({ min: 1, max: 20 }).map(String),
      name: fc.constantFrom('a', 'b'),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(changed, changed, (a, b) => {
      const [before, after] = [sampleManifest(a as never), sampleManifest(b as never)];
      const { changes, conditionsAdded, conditionsRemoved } = diffManifests(before, after);
      expect(changes.length === 0).toBe(manifestHash(before) === manifestHash(after));
      for (const { path, before: from, after: to } of changes) {
        const field = path.slice(2) as 'stopLossPct';
        expect([from, to]).toEqual([before[field], after[field]]);
      }
      expect([...conditionsAdded, ...conditionsRemoved]).toEqual([]);
    }),
  );
});

test('added and removed conditions are listed by side, duplicates by number, another order as a change of the list', () => {
  const [a, b, c] = [
    condition('premium_below', { pct: -1 }),
    condition('premium_below', { pct: -2 }),
    condition('rsi_below', { period: 14, value: 30 }),
  ] as const;
  const before = sampleManifest({ entry: [a, a, c], exit: [b] });
  const after = sampleManifest({ entry: [a, b, c], exit: [] });
  expect(diffManifests(before, after)).toEqual({
    changes: [],
    conditionsAdded: [{ side: 'entry', condition: b }],
    conditionsRemoved: [
      { side: 'entry', condition: a },
      { side: 'exit', condition: b },
    ],
  });
  const turned = diffManifests(sampleManifest({ entry: [a, b] }), sampleManifest({ entry: [b, a] }));
  expect(turned).toMatchObject({ changes: [{ path: '$.entry' }], conditionsAdded: [], conditionsRemoved: [] });
});
