/** Field form of Takes, forks, and the manifest they are evaluated by. */
import { describe, expect, it } from 'vitest';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import { compileManifest } from '../../../src/domain/agents/decide.ts';
import { compileThesis } from '../../../src/domain/take/compile-thesis.ts';
import { forkTake, thresholdNames } from '../../../src/domain/take/fork-take.ts';
import { readTakeFields } from '../../../src/domain/take/read-take.ts';
import { manifestOfTake, type Take, takeHash, findTarget } from '../../../src/domain/take/take.ts';
import { cutOf, observation, SLOT } from '../observations.ts';

const WORLD = { catalog: CATALOG, now: SLOT };
const FIELDS = {
  symbol: 'AAPLx',
  target: { kind: 'premium_pct', direction: 'below', value: '-2' },
  conditions: { exit: [{ type: 'premium_above', pct: 0.5 }] },
  allocationUsd: '500',
  maxSlippageBps: 30,
  expiresAt: '2026-08-01T00:00:00Z',
};

function take(fields: object = {}): Take {
  const read = readTakeFields({ ...FIELDS, ...fields }, WORLD);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.take;
}

describe('fields', () => {
  it('make the same Take as the words that say the same', () => {
    const words = compileThesis(
      'Buy AAPLx when the discount is over 2%, with $500, max slippage 30 bps, until 2026-08-01; sell when the premium is above 0.5%',
      WORLD,
    );
    expect(words.ok && takeHash(words.take)).toBe(takeHash(take()));
    expect(findTarget(take())).toEqual({ kind: 'premium_pct', direction: 'below', value: '-2' });
  });

  it('name every default that was taken', () => {
    const read = readTakeFields({ symbol: 'AAPLx', target: { kind: 'price', direction: 'below', value: 150 } }, WORLD);
    expect(read).toMatchObject({
      ok: true,
      take: { allocationUsd: '100', maxSlippageBps: 50, timeframe: '1h', entry: [{ type: 'price_below', price: '150' }] },
    });
    expect(read.ok && read.assumed).toHaveLength(4);
  });

  it.each<[string, object, string]>([
    ['an unknown symbol', { symbol: 'AAPX' }, 'did you mean'],
    ['an unknown field', { leverage: 5 }, 'unknown field'],
    ['no condition at all', { target: undefined, conditions: {} }, 'nothing would trigger'],
    ['an unknown condition', { conditions: { entry: [{ type: 'moon' }] } }, 'is not a condition type'],
    ['a condition of another kind of asset', { conditions: { entry: [{ type: 'gap_to_mark_below', pct: -2 }] } }, 'never passes'],
    ['an exit condition as entry', { conditions: { entry: [{ type: 'stop_loss', pct: 5 }] } }, 'is not an entry condition'],
    ['a contradiction', { conditions: { entry: [{ type: 'premium_above', pct: 1 }] } }, 'at the same time'],
    ['an exit that passes at once', { conditions: { exit: [{ type: 'premium_below', pct: -1 }] } }, 'can be true at the same time'],
    ['no allocation', { allocationUsd: '0' }, 'out of range'],
    ['a negative allocation', { allocationUsd: '-5' }, 'out of range'],
    ['a float with too many digits', { allocationUsd: 0.1234567890123456 }, 'digits'],
    ['a life in the past', { expiresAt: '2020-01-01T00:00:00Z' }, 'life of a Take'],
    ['a life of years', { expiresAt: '2030-01-01T00:00:00Z' }, 'life of a Take'],
    ['no time', { expiresAt: 'tomorrow' }, 'must be a time'],
    ['a target that is none', { target: { kind: 'price', direction: 'below', value: '-3' } }, 'is not a target'],
    ['conditions that are not an object', { conditions: [] }, 'must be an object'],
  ])('refuse %s', (_, fields, says) => {
    const read = readTakeFields({ ...FIELDS, ...fields }, WORLD);
    expect(read.ok).toBe(false);
    expect(JSON.stringify(read)).toContain(says);
  });

  it('hash every member', () => {
    const hashes = [
      take(),
      take({ allocationUsd: '501' }),
      take({ maxSlippageBps: 31 }),
      take({ expiresAt: '2026-08-02T00:00:00Z' }),
      take({ symbol: 'TSLAx' }),
      take({ conditions: {} }),
    ].map(takeHash);
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});

describe('a fork', () => {
  it('changes what it names and nothing else, and begins a life of its own', () => {
    const original = take();
    expect(thresholdNames(original)).toEqual(['entry[0].pct', 'exit[0].pct']);
    const forked = forkTake(original, { allocationUsd: '200', thresholds: { 'entry[0].pct': -3 } }, 86_400_000, WORLD);
    expect(forked).toMatchObject({
      ok: true,
      take: { ...original, allocationUsd: '200', entry: [{ type: 'premium_below', pct: -3 }], expiresAt: SLOT + 86_400_000 },
    });
  });

  it.each([
    [{ 'entry[0].type': 'price_below' }],
    [{ 'entry[7].pct': 1 }],
    [{ pct: 1 }],
    [{ 'entry[0].__proto__': 1 }],
    [{ 'entry[0].pct': 'x' }],
    [{ 'entry[0].pct': 5 }],
  ])('refuses the thresholds %j', (thresholds) => {
    expect(forkTake(take(), { thresholds }, 86_400_000, WORLD).ok).toBe(false);
  });
});

describe('its manifest', () => {
  it('enters and leaves on the same cuts as its conditions say', () => {
    const compiled = compileManifest(manifestOfTake(take()));
    const empty = { positions: [], openProposals: 0, fills: 0, realizedPnlUsd: '0', slippageBps: null };
    const passed = { verdict: 'passed' as const, rejections: [] };
    expect(compiled.decide(cutOf(observation({ premiumPct: -2.5 })), empty, 'policy_auto', () => passed).disposition).toBe('propose_entry');
    expect(compiled.decide(cutOf(observation({ premiumPct: -1.5 })), empty, 'policy_auto', () => passed).disposition).toBe('hold');
    expect(compiled.needs).toEqual([]);
    expect(compiled.rules.map(({ side, type }) => `${side} ${type}`)).toEqual(['entry premium_below', 'exit premium_above']);
  });
});
