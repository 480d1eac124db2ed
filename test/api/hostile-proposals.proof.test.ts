// Ten thousand hostile proposals over every route: none gets beyond the mandate, none delays another tenant's slot.
import { expect, test } from 'vitest';
import { apiUnderTest } from './api-under-test.ts';
import { attack } from './hostile-proposals.ts';

test('of ten thousand none gets beyond the mandate, and no neighbour waits', async () => {
  const api = await apiUnderTest();
  try {
    const found = await attack(api, 10_000);
    expect(found).toMatchObject({ sent: 10_000, outside: 0, delayed: 0, defects: 0 });
    expect(found.received).toBeGreaterThan(100);
  } finally {
    await api.close();
  }
});
