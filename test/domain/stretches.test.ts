/** Stretches of time compared with a walk over every instant. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Stretch, sharedStretches, unitedStretches } from '../../src/domain/values/stretches.ts';

const some = fc.array(fc.record({ from: fc.nat(40), to: fc.nat(40) }), { maxLength: 6 });
const holds = (stretches: readonly Stretch[], at: number): boolean => stretches.some(({ from, to }) => at >= from && at < to);
const isPlain = (stretches: readonly Stretch[]): boolean =>
  stretches.every(({ from, to }, n) => from < to && (n === 0 || (stretches[n - 1] as Stretch).to < from));

test('what lies in any, and what lies in both', () => {
  fc.assert(
    fc.property(some, some, (left, right) => {
      const [a, b] = [unitedStretches(left), unitedStretches(right)];
      const shared = sharedStretches(a, b);
      expect(isPlain(a) && shared.every(({ from, to }) => from < to)).toBe(true);
      for (let at = 0; at < 41; at++) {
        expect(holds(a, at)).toBe(holds(left, at));
        expect(holds(shared, at)).toBe(holds(left, at) && holds(right, at));
      }
    }),
  );
});
