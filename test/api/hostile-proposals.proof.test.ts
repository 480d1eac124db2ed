// Ten thousand hostile proposals over every route: none exceeds the mandate, none delays another tenant's slot.
import { expect, test } from 'vitest';
import { createRateLimits, DEFAULT_POLICIES } from '../../api/http/rate-limits.ts';
import { apiUnderTest } from './api-under-test.ts';
import { attack } from './hostile-proposals.ts';

/** Limits use the wall clock, and would keep nine in ten of them from the mandate. */
const PLENTY = { limit: 1_000_000, windowSeconds: 1 };
const UNLIMITED = { ...DEFAULT_POLICIES, read: PLENTY, write: PLENTY, costly: PLENTY, failed_identity: PLENTY };

test('none of ten thousand exceeds the mandate, and no neighbour waits', async () => {
  const api = await apiUnderTest(() => ({ access: { limits: createRateLimits(UNLIMITED) } }));
  try {
    const found = await attack(api, 10_000);
    expect(found).toMatchObject({ sent: 10_000, outside: 0, delayed: 0, defects: 0 });
    // One in nineteen is allowed by the mandate, and one in seven of these names the neighbour.
    expect(found.received).toBeGreaterThan(400);
    console.log(`${found.received} proposals were received`);
  } finally {
    await api.close();
  }
});
