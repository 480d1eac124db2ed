/** Slot table: one slot per source and instrument, up to its capacity. */
import { describe, expect, it } from 'vitest';
import { SlotTable } from '../../streams/slot-table.ts';

describe('the slot table', () => {
  it('keeps sources and instruments apart, whichever was asked for last', () => {
    const table = new SlotTable((source, instrument) => ({ name: `${source}/${instrument}` }));
    const first = table.at('a', 'x');
    expect(table.at('b', 'x').name).toBe('b/x');
    expect(table.at('a', 'y').name).toBe('a/y');
    expect(table.at('a', 'x')).toBe(first);
    const names: string[] = [];
    table.each((slot) => names.push(slot.name));
    expect(names).toEqual(['a/x', 'a/y', 'b/x']);
  });

  it('evicts the oldest slot of a source beyond its capacity', () => {
    let made = 0;
    const table = new SlotTable(() => ++made, 2);
    for (const instrument of ['x', 'y', 'z', 'z', 'y', 'x']) table.at('a', instrument);
    expect(made).toBe(4);
  });
});
