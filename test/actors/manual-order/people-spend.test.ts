// A person's dollar payments cannot use what armed Takes need: one rule over all ways to spend.
import { createHash } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { createMarketOrderHandler, type MarketPreTrade } from '../../../actors/market-order/commands.ts';
import type { PreparedTransactionInput } from '../../../actors/prepared-transaction/machine.ts';
import { ROUTES } from '../../../api/v1/index.ts';
import { createReserveStore } from '../../../src/adapters/store/vaults/reserve-store.ts';
import { ACTOR_KINDS } from '../../../src/boot/capabilities/index.ts';
import { compareReserves, exchangePlace, walletPlace } from '../../../src/domain/books/reserves.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import { TRANSACTION_PURPOSES, type TransactionPurpose } from '../../../src/domain/solana/lifecycle.ts';
import { USDC_LEG } from '../../../src/domain/solana/swap.ts';
import { DollarsBound } from '../../../src/domain/take/live-capital.ts';
import { readTakeFields } from '../../../src/domain/take/read-take.ts';
import { BTC, ORG, type TradingFixture, tradingFixture } from '../proposal/trading-fixture.ts';

let fixture: TradingFixture;
beforeEach(async () => {
  fixture = await tradingFixture({ connections: 4 });
  fixture.funding.isSimulated = false;
  return () => fixture.close();
});

const [WALLET, ANOTHER, OF_NOBODY] = ['W', 'V', 'X'].map((letter) => letter.repeat(40)) as [string, string, string];
const READING = { thesis: null, understood: [], assumed: [], notUnderstood: [], open: [] };

/** Says for each kind of actor whether it pays for a person. Add a new kind here, and one that pays to the cases below. */
const SPENDING: Readonly<Record<string, 'its step binds the dollars' | 'pays by transactions' | 'none of a person'>> = {
  market_order: 'its step binds the dollars',
  prepared_transaction: 'its step binds the dollars',
  bridge_transfer: 'its step binds the dollars',
  prediction_order: 'pays by transactions',
  checkout: 'pays by transactions',
  launch: 'pays by transactions',
  launcher_launch: 'pays by transactions',
  agent: 'none of a person',
  take: 'none of a person',
  proposal: 'none of a person',
  evaluation: 'none of a person',
};

test('every kind of actor declares whether it spends people’s dollars', () => {
  expect(Object.keys(SPENDING).sort()).toEqual(ACTOR_KINDS.map(({ kind }) => kind).sort());
});

test.each([
  '/v1/market-orders/spotexchange/live',
  '/v1/spotchain/orders/prepare',
  '/v1/prediction-orders/prepare',
  '/v1/marketplace/:id/checkout',
  '/v1/launches/dbc/prepare',
  '/v1/bridge/quote',
  '/v1/bridge/submission',
])('%s declares that dollars may be reserved', (url) => {
  const route = ROUTES.find((one) => one.url === url);
  expect(route?.refusals).toContain('blocked_by_risk');
});

/** Promises of transactions that pay so many millionths of a dollar. */
const PAYING: Readonly<Record<TransactionPurpose, ((raw: string) => PreparedTransactionInput['subject']) | null>> = {
  swap: (inAmount) => ({ promise: { side: 'buy', input: USDC_LEG as never, inAmount } }),
  prediction_order: (depositRaw) => ({ depositRaw }),
  checkout: (amount) => ({ payment: { amount } }),
  launch: (raw) => ({ launchId: 'l', part: 0, mint: 'm', dollarsPaid: String(Number(raw) / 1e6) }),
  // Paid in the chain's native coin; a claim pays nothing.
  launcher_payment: null,
  launch_claim: null,
};

async function prepared(
  purpose: TransactionPurpose,
  subject: PreparedTransactionInput['subject'],
  more: Partial<PreparedTransactionInput> = {},
) {
  const id = fixture.newId();
  const messageBase64 = Buffer.from(id).toString('base64');
  const digest = createHash('sha256').update(Buffer.from(messageBase64, 'base64')).digest('hex');
  const input: PreparedTransactionInput = {
    purpose,
    subject,
    wallet: WALLET,
    prepared: { messageBase64, digest, requiredSigners: [WALLET], blockhash: 'b', lastValidBlockHeight: 150 },
    unsignedBase64: 'AA==',
    lookups: [],
    reservation: null,
    executor: 'user',
    preparedBy: 'ann',
    epoch: 0,
    createdAt: fixture.clock.now(),
    ...more,
  };
  return fixture.runtime.start('prepared_transaction', id, ORG, input as never, { cause: 'ann r', also: () => [] });
}

/** Records a comparison with a thousand dollars each in the Take's wallet, in a second one, and at the exchange. */
async function compared(): Promise<void> {
  const wallets = [WALLET, ANOTHER].map(
    (address) => ({ place: walletPlace(address), venue: 'spotchain', known: true, dollars: '1000', assets: new Map() }) as const,
  );
  const places = [...wallets, exchangePlace('7', [{ asset: 'USDT', free: '1000', locked: '0' }])];
  const claims = {
    cashUsd: '0',
    cashAt: { spotexchange: '0', spotchain: '0' },
    holdings: [],
    depositedUsd: '0',
    books: { cashUsd: '0', capitalUsd: '0' },
  };
  await createReserveStore(fixture.sql).keep(ORG, compareReserves(claims, places, fixture.clock.now()), null);
}

/** Creates a draft that trades with so many dollars, from the wallet or at the exchange. */
async function draft(allocationUsd: string, symbol = 'AAPLx'): Promise<string> {
  const fields = { symbol, target: { kind: 'price', direction: 'below', value: '200' }, conditions: { exit: [] }, allocationUsd };
  const read = readTakeFields(fields, { catalog: CATALOG, now: fixture.clock.now() });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const created = await fixture.takes.create(fixture.context(), read.take, READING);
  if (!created.ok) throw new Error(created.refusal.detail);
  const { id } = created.value;
  if (symbol === 'BTCUSDT') return id;
  await fixture.sql`
    insert into delegations (id, org_id, trader, agent_id, wallet, signer_wallet, max_notional_usd, expires_at, issued_at, nonce, challenge, owner_signature, granted_by, granted_at)
    values (gen_random_uuid(), ${ORG}, 'take', ${id}, ${WALLET}, 's', 5000, ${fixture.clock.now() + 9e8}, ${fixture.clock.now()}, ${id}, ${id}, ${`${'A'.repeat(86)}==`}, 'ann', ${fixture.clock.now()})`;
  return id;
}
const arm = (id: string) => fixture.takes.arm(fixture.context(), id, 'live', []);

test.each(TRANSACTION_PURPOSES)('a transaction for %s can only spend what no armed Take needs', async (purpose) => {
  await compared();
  const subjectOf = PAYING[purpose];
  expect(await arm(await draft('700'))).toMatchObject({ ok: true });
  if (subjectOf === null) {
    await prepared(purpose, { launchId: 'l', payTo: 'p', lamports: '900000000000' });
    expect(await arm(await draft('300'))).toMatchObject({ ok: true });
    return;
  }
  await expect(prepared(purpose, subjectOf('300000001'))).rejects.toThrow(DollarsBound);
  // Another wallet, one without a comparison, and payments of an agent or Take.
  await prepared(purpose, subjectOf('400000000'), { wallet: ANOTHER });
  await prepared(purpose, subjectOf('9000000000'), { wallet: OF_NOBODY });
  await prepared(purpose, subjectOf('700000000'), { executor: 'delegated' });
  await prepared(purpose, subjectOf('200000000'));
  await expect(prepared(purpose, subjectOf('100000001'))).rejects.toThrow('100 of 2000 US dollars are free');
  // What waits for a signature is reserved for the next arming too.
  expect(await arm(await draft('101'))).toMatchObject({
    ok: false,
    refusal: { code: 'blocked_by_risk', rejections: [{ code: 'insufficient_balance' }] },
  });
  expect(await arm(await draft('100'))).toMatchObject({ ok: true });
});

test('if an arming and a person want the same dollars at the same moment, one gets them', async () => {
  await compared();
  for (let round = 0; round < 12; round++) {
    const id = await draft('1000');
    const [arming, bought] = await Promise.allSettled([arm(id), prepared('checkout', { payment: { amount: '600000000' } })]);
    const isArmed = arming.status === 'fulfilled' && arming.value.ok;
    const isBought = bought.status === 'fulfilled';
    expect([isArmed, isBought]).toContain(true);
    expect(isArmed && isBought).toBe(false);
    if (isArmed) await fixture.takes.disarm(fixture.context(), id);
    await fixture.sql`update prepared_transactions set state = 'expired', expired_at_height = 151 where state = 'prepared'`;
  }
});

test('an order at the exchange that was assessed before an arming is refused by its own step', async () => {
  await compared();
  fixture.price('60000', '60010');
  const market = fixture.preTrade as unknown as MarketPreTrade;
  const orders = (assessed: () => Promise<unknown>) =>
    createMarketOrderHandler({
      runtime: fixture.runtime,
      orders: { find: async () => null },
      preTrade: {
        ...market,
        async validateInTurn(...asked) {
          await market.validateInTurn(...asked);
          await assessed();
        },
      },
      lacks: () => null,
      isOverrun: () => false,
      isOutage: () => false,
      clock: fixture.clock,
      newId: fixture.newId,
    });
  const request = { instrument: BTC, side: 'buy', notionalUsd: '300', quantity: null, limitPrice: null, maxSlippageBps: null } as const;
  const place = (assessed: () => Promise<unknown> = async () => {}) => orders(assessed).place(fixture.context(), 'live', request);
  expect(await place()).toMatchObject({ ok: true, value: { state: 'approved' } });
  // The arming sees the order, which the exchange does not know yet.
  expect(await arm(await draft('710', 'BTCUSDT'))).toMatchObject({ ok: false, refusal: { code: 'blocked_by_risk' } });
  const id = await draft('600', 'BTCUSDT');
  const refused = await place(async () => expect(await arm(id)).toMatchObject({ ok: true }));
  expect(refused).toMatchObject({ ok: false, refusal: { code: 'blocked_by_risk', rejections: [{ code: 'insufficient_balance' }] } });
  expect(await fixture.sql`select state from market_orders`).toEqual([{ state: 'approved' }]);
});
