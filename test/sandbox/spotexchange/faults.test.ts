/** The fault switch follows its settings, and does nothing while it is off. */
import { describe, expect, test } from 'vitest';
import { bendPrices, createFaultSwitch, createFramePipe, FAULT_NAMES, NO_FAULTS } from '../../../src/sandbox/faults.ts';

function piped(change: Parameters<ReturnType<typeof createFaultSwitch>['set']>[0], count = 1_000): string[] {
  const faults = createFaultSwitch(5);
  faults.set(change);
  const sent: string[] = [];
  const pipe = createFramePipe(faults, (frame) => sent.push(frame.length > 100 ? 'big' : frame));
  for (let index = 0; index < count; index++) pipe.frame(String(index));
  return sent;
}
const all = Array.from({ length: 1_000 }, (_, index) => String(index));

describe('frames', () => {
  test('pass untouched while every fault is off', () => {
    expect(piped({})).toEqual(all);
  });
  test('all stop while frozen', () => {
    expect(piped({ freeze: true })).toEqual([]);
  });
  test('are lost, doubled and polluted about as often as asked, and otherwise kept in order', () => {
    const lost = piped({ gap: 0.1 });
    expect(lost.length).toBeGreaterThan(850);
    expect(lost.length).toBeLessThan(950);
    expect(lost).toEqual(all.filter((frame) => lost.includes(frame)));
    const doubled = piped({ duplicate: 0.1 });
    expect(doubled.length).toBeGreaterThan(1_050);
    expect([...new Set(doubled)]).toEqual(all);
    const polluted = piped({ garbage: 0.1 });
    expect(polluted.length).toBeGreaterThan(1_050);
    expect(polluted.filter((frame) => /^\d+$/.test(frame))).toEqual(all);
  });
  test('swap places without loss', () => {
    const swapped = piped({ reorder: 0.3 });
    expect(swapped).not.toEqual(all);
    expect([...swapped].sort((a, b) => Number(a) - Number(b))).toEqual(all.slice(0, swapped.length));
    expect(swapped.length).toBeGreaterThanOrEqual(999);
  });
  test('may be preceded by ten megabytes', () => {
    expect(piped({ bigFrame: 1 }, 2)).toEqual(['big', '0', 'big', '1']);
  });
});

test.each([
  [{}, { bid: '10.00', ask: '11.00' }],
  [{ crossed: 1 }, { bid: '11.01', ask: '10.00' }],
  [{ zeroPrice: 1 }, { bid: '0.00', ask: '11.00' }],
  [{ negativePrice: 1 }, { bid: '-10.00', ask: '11.00' }],
  [{ nanPrice: 1 }, { bid: 'NaN', ask: '11.00' }],
  [{ priceJump: 1 }, { bid: '1000.00', ask: '1100.00' }],
])('%j makes 10/11 into %j', (change, expected) => {
  const faults = createFaultSwitch();
  faults.set(change);
  expect(bendPrices(faults, 10, 11, (price) => price.toFixed(2))).toEqual(expected);
});

test('an unknown or out-of-range setting is refused with what would be right, and changes nothing', () => {
  const faults = createFaultSwitch();
  expect(() => faults.set({ gap: 0.5, frieze: true } as never)).toThrow('unknown fault "frieze"; known are freeze, garbage');
  expect(() => faults.set({ gap: 2 })).toThrow('fault "gap" must be a number from 0 to 1, not 2');
  expect(() => faults.set({ freeze: 1 as never })).toThrow('fault "freeze" must be true or false, not 1');
  expect(() => faults.set({ slowMs: Number.NaN })).toThrow(/slowMs/);
  expect(faults.settings).toEqual(NO_FAULTS);
  faults.set({ gap: 0.5 });
  faults.reset();
  expect(faults.settings).toEqual(NO_FAULTS);
  expect(FAULT_NAMES).toContain('disconnectLoop');
});
