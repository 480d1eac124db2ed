// Between a start and its first full minute: an unknown pool buys nothing and says why, and one that was received buys at once.
import { expect, test } from 'vitest';
import { keepPoolLiquidity } from '../../../src/adapters/store/catalog/pool-liquidity-store.ts';
import { AAPLX, swapFixture } from './swap-fixture.ts';

test('a swap before the first minute is refused for its true reason, and passes as soon as the pool was received', async () => {
  const stage = await swapFixture();
  try {
    // What the last cut before the restart said is too old.
    stage.clock.advanceTo(stage.clock.now() + 310_000);
    stage.chain.advance(8);
    await stage.receive();
    const unknown = await stage.swaps.prepare(stage.context(), stage.wish());
    expect(unknown).toMatchObject({
      ok: false,
      refusal: {
        code: 'blocked_by_risk',
        detail: `risk does not let it pass: pool_liquidity_breach (wait until the liquidity of ${AAPLX} is known)`,
        rejections: [
          { code: 'pool_liquidity_breach', limit: null, change: { kind: 'wait_for', what: 'pool_liquidity', instrument: AAPLX } },
        ],
      },
    });
    await keepPoolLiquidity(stage.sql, { instrument: AAPLX, liquidityUsd: '50000000', observedAt: stage.clock.now() });
    expect(await stage.swaps.prepare(stage.context(), stage.wish())).toMatchObject({ ok: true, value: { state: 'prepared' } });
  } finally {
    await stage.close();
  }
});
