// Between a start and the first full minute, an unknown pool buys nothing and says why; a received one buys at once.
import { expect, test } from 'vitest';
import { keepPoolLiquidity } from '../../../src/adapters/store/catalog/pool-liquidity-store.ts';
import { AAPLX, swapFixture } from './swap-fixture.ts';

test('a swap before the first minute is refused with its true reason, and passes as soon as the pool is received', async () => {
  const fixture = await swapFixture();
  try {
    // The last cut before the restart is too old.
    fixture.clock.advanceTo(fixture.clock.now() + 310_000);
    fixture.chain.advance(8);
    await fixture.receive();
    const unknown = await fixture.swaps.prepare(fixture.context(), fixture.wish());
    expect(unknown).toMatchObject({
      ok: false,
      refusal: {
        code: 'blocked_by_risk',
        detail: `rejected by the risk check: pool_liquidity_breach (wait until the liquidity of ${AAPLX} is known)`,
        rejections: [
          { code: 'pool_liquidity_breach', limit: null, change: { kind: 'wait_for', what: 'pool_liquidity', instrument: AAPLX } },
        ],
      },
    });
    await keepPoolLiquidity(fixture.sql, { instrument: AAPLX, liquidityUsd: '50000000', observedAt: fixture.clock.now() });
    expect(await fixture.swaps.prepare(fixture.context(), fixture.wish())).toMatchObject({ ok: true, value: { state: 'prepared' } });
  } finally {
    await fixture.close();
  }
});
