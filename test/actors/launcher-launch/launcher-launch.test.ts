// A launch by the external launcher: one payment, one token, whatever the launcher does.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { launcherContext } from '../../../actors/launcher-launch/effects.ts';
import { sandboxKey } from '../../../src/sandbox/solana/keys.ts';
import { rounds } from '../../harness/rounds.ts';
import { must, signedBy } from '../launch/launch-fixture.ts';
import { type LauncherFixture, launcherFixture } from './launcher-fixture.ts';

const PRICE = '7510000';
/** Distance between flipped bits. It is coprime to eight, so that every bit position occurs. */
const STRIDE = rounds({ suite: 7, proof: 1 });
let fixture: LauncherFixture;
beforeAll(async () => {
  fixture = await launcherFixture();
});
afterEach(() => {
  fixture.simulator.script.trouble(null);
  fixture.simulator.faults.reset();
});
afterAll(() => fixture.close());

const refused = async (outcome: Promise<{ ok: boolean; refusal?: { code: string; detail: string } }>) => {
  const { refusal } = await outcome;
  return refusal === undefined ? null : [refusal.code, refusal.detail];
};

async function quoted(symbol: string) {
  const payer = fixture.payer(`payer of ${symbol}`);
  const { launch, transaction } = must(await fixture.commands.quote(fixture.context(), fixture.wishOf(payer, symbol)));
  return { payer, id: launch.id, launch, transaction, payment: signedBy(payer, transaction) };
}

describe('a launch', () => {
  test('is quoted, paid once, followed to finality and launched; the mint is listed with its creator', async () => {
    const { payer, id, launch, payment } = await quoted('PLAIN');
    expect(launch).toMatchObject({ state: 'prepared', lamports: PRICE, creatorFeeBps: 150, pairedStock: 'spotchain:AAPLx', mint: null });
    expect(must(await fixture.commands.submit(fixture.context(), id, payment)).state).toBe('payment_submitted');
    const launched = await fixture.until(id, ['launched']);
    expect(launched.state, JSON.stringify([launched, fixture.errors])).toBe('launched');
    expect(await fixture.listed('PLAIN')).toMatchObject([
      { mint: launched.mint, launcher: 'agentlaunch', paired_stock: 'spotchain:AAPLx', origin: { creator: payer.address, pool: null } },
    ]);
    expect(fixture.paymentsOf(payer)).toHaveLength(1);
    const announced = await fixture.sql<{ state: string }[]>`
      select body->>'state' as state from announcements where channel = 'launches' and body->>'launchId' = ${id} order by 1`;
    expect(announced.map(({ state }) => state)).toEqual(
      expect.arrayContaining(['quoted', 'prepared', 'payment_submitted', 'launching', 'launched']),
    );
    // Another session submits the same payment again.
    expect(must(await fixture.commands.submit(fixture.context('bob'), id, payment))).toMatchObject({
      state: 'launched',
      mint: launched.mint,
    });
    expect(fixture.paymentsOf(payer)).toHaveLength(1);
  });

  test('waits for a launcher that is late, out of money, silent or lost its answer, and asks again with the same payment', async () => {
    for (const [symbol, trouble] of [
      ['LATE', 'late'],
      ['POOR', 'treasury_low'],
    ] as const) {
      fixture.simulator.script.trouble(trouble);
      const { payer, id, payment } = await quoted(symbol);
      must(await fixture.commands.submit(fixture.context(), id, payment));
      expect((await fixture.until(id, ['launched'])).state).toBe('launched');
      expect(fixture.paymentsOf(payer)).toHaveLength(1);
    }
    fixture.simulator.script.trouble(null);
    const { payer, id, payment } = await quoted('ASTRAY');
    must(await fixture.commands.submit(fixture.context(), id, payment));
    await fixture.until(id, ['payment_confirmed', 'launching']);
    const before = fixture.simulator.launches();
    // The launcher launches, but its answer is lost.
    fixture.simulator.faults.set({ lostAnswer: 1 });
    for (let round = 0; round < 40 && fixture.simulator.launches() === before; round++) await fixture.pass(2_100);
    expect((await fixture.find(id)).state).toBe('launching');
    fixture.simulator.faults.reset();
    expect((await fixture.until(id, ['launched'])).state).toBe('launched');
    expect(fixture.simulator.launches()).toBe(before + 1);
    expect(fixture.paymentsOf(payer)).toHaveLength(1);
  });

  test('that was paid and declined says what the payer can do, and is requested once more with the same payment', async () => {
    fixture.simulator.script.trouble('declines');
    const { payer, id, payment } = await quoted('DECLINED');
    must(await fixture.commands.submit(fixture.context(), id, payment));
    const declined = await fixture.until(id, ['failed_paid']);
    expect(declined).toMatchObject({ state: 'failed_paid', reason: 'rejected', mint: null });
    expect(declined.detail).toContain(declined.signatures[0]);
    expect(declined.detail).toContain('Submit the same payment again');
    const alerts = await fixture.sql`select 1 from announcements where channel = 'alerts' and body->>'launchId' = ${id}`;
    expect(alerts).toHaveLength(1);
    fixture.simulator.script.trouble(null);
    expect(must(await fixture.commands.submit(fixture.context(), id, payment)).state).toBe('launching');
    expect((await fixture.until(id, ['launched'])).state).toBe('launched');
    expect(fixture.paymentsOf(payer)).toHaveLength(1);
  });

  test('whose payment conflicts with another session’s says so, launches nothing, and is requested once more', async () => {
    fixture.simulator.script.trouble('conflict');
    const { payer, id, payment } = await quoted('CONFLICT');
    const before = fixture.simulator.launches();
    must(await fixture.commands.submit(fixture.context(), id, payment));
    const refusedByLauncher = await fixture.until(id, ['failed_paid']);
    expect(refusedByLauncher).toMatchObject({ state: 'failed_paid', reason: 'agent_has_token', mint: null });
    expect(refusedByLauncher.detail).toContain(refusedByLauncher.signatures[0]);
    expect(fixture.simulator.launches()).toBe(before);
    fixture.simulator.script.trouble(null);
    must(await fixture.commands.submit(fixture.context('bob'), id, payment));
    const launched = await fixture.until(id, ['launched']);
    expect(fixture.simulator.launches()).toBe(before + 1);
    expect(fixture.paymentsOf(payer)).toHaveLength(1);

    // Two sessions with one payment get one token, and the payment launches no other.
    const { intent, offer } = launcherContext((await fixture.store.load([id])).get(id)?.state as never);
    const signature = launched.signatures[0] as string;
    const words = await Promise.all([1, 2].map(() => fixture.launcher.complete(intent, offer, signature)));
    expect(words).toMatchObject([1, 2].map(() => ({ said: 'launched', mint: launched.mint })));
    expect(await fixture.launcher.complete({ ...intent, name: 'Another' }, offer, signature)).toMatchObject({
      said: 'declined',
      code: 'signature_used',
    });
    expect(fixture.simulator.launches()).toBe(before + 1);
  });

  test('whose offer ends before the payment is submitted sends nothing and expires', async () => {
    fixture.simulator.script.trouble('brief');
    const { payer, id, payment } = await quoted('TOOLATE');
    fixture.simulator.script.trouble(null);
    await fixture.pass(5_000);
    expect(await refused(fixture.commands.submit(fixture.context(), id, payment))).toEqual([
      'state_conflict',
      'the offer of the launcher has expired: ask for a new quote',
    ]);
    for (let round = 0; round < 12; round++) await fixture.pass(16_000);
    expect((await fixture.find(id)).state).toBe('expired');
    expect(fixture.paymentsOf(payer)).toEqual([]);
  });

  test('whose payment lands after the end of the offer was paid, and says what to do about it', async () => {
    fixture.simulator.script.trouble('brief');
    const { payer, id, payment } = await quoted('ONTHEWAY');
    fixture.simulator.script.trouble(null);
    await fixture.pass(4_000);
    must(await fixture.commands.submit(fixture.context(), id, payment));
    const late = await fixture.until(id, ['failed_paid']);
    expect(late).toMatchObject({ state: 'failed_paid', reason: 'payment_invalid', mint: null });
    expect(late.detail).toContain('after the end of the preflight');
    expect(late.detail).toContain(late.signatures[0]);
    expect(fixture.paymentsOf(payer)).toHaveLength(1);
  });

  test('does not count as launched while the chain does not show the launcher’s token', async () => {
    fixture.simulator.script.trouble('names_nothing');
    const { id, payment } = await quoted('UNSEEN');
    must(await fixture.commands.submit(fixture.context(), id, payment));
    await fixture.until(id, ['launching']);
    for (let round = 0; round < 5; round++) await fixture.pass(10_000);
    expect((await fixture.find(id)).state).toBe('launching');
    expect(await fixture.listed('UNSEEN')).toEqual([]);
    fixture.simulator.script.trouble(null);
    expect((await fixture.until(id, ['launched'])).state).toBe('launched');
  });

  test('that is never paid expires, and accepts no payment any more', async () => {
    const { payer, id, payment } = await quoted('UNPAID');
    for (let round = 0; round < 12; round++) await fixture.pass(16_000);
    expect((await fixture.find(id)).state).toBe('expired');
    expect(await refused(fixture.commands.submit(fixture.context(), id, payment))).toEqual([
      'state_conflict',
      'the launch is expired: ask for a new quote',
    ]);
    expect(fixture.paymentsOf(payer)).toEqual([]);
  });
});

describe('refused is', () => {
  test('any single bit of a payment that differs from the prepared one, another wallet, and a payment of one lamport less', async () => {
    const { id, payment, transaction } = await quoted('BITS');
    const bytes = Buffer.from(payment, 'base64');
    let tried = 0;
    for (let bit = 0; bit < bytes.length * 8; bit += STRIDE) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      const outcome = await fixture.commands.submit(fixture.context(), id, changed.toString('base64'));
      expect(outcome.ok, `bit ${bit}`).toBe(false);
      tried++;
    }
    console.log(`${tried} single-bit changes of a payment were tried`);
    expect(tried).toBe(Math.ceil((bytes.length * 8) / STRIDE));
    expect((await refused(fixture.commands.submit(fixture.context(), id, signedBy(sandboxKey('stranger'), transaction))))?.[0]).toBe(
      'signature_invalid',
    );
    const less = Buffer.from(payment, 'base64');
    const amount = Buffer.alloc(8);
    amount.writeBigUInt64LE(BigInt(PRICE));
    const at = less.indexOf(amount);
    less.writeBigUInt64LE(BigInt(PRICE) - 1n, at);
    expect((await refused(fixture.commands.submit(fixture.context(), id, less.toString('base64'))))?.[0]).toBe('signed_bytes_differ');
    expect((await fixture.find(id)).state).toBe('prepared');
    expect((await refused(fixture.commands.submit(fixture.context('ann', '00000000-0000-7000-8000-000000000002'), id, payment)))?.[0]).toBe(
      'not_found',
    );
  });

  test("another launch's payment", async () => {
    const [one, other] = [await quoted('PAYER'), await quoted('RIVAL')];
    expect((await refused(fixture.commands.submit(fixture.context(), one.id, other.payment)))?.[0]).toBe('signed_bytes_differ');
  });

  test.each([
    ['a pair that the launcher does not have', { pairMint: 'XsDoVfqeBukxuZHWhdvWHBhgEHjGNst4MLodqsJHzoB' }, 'launch_refused'],
    ['a fee below what it takes', { creatorFeeBps: 99 }, 'malformed'],
    ['a fee above what it takes', { creatorFeeBps: 301 }, 'malformed'],
    ['a symbol of a share', { symbol: 'AAPL' }, 'launch_refused'],
    ['a description that is too short', { description: 'short' }, 'malformed'],
    ['a link that is none', { imageUrl: 'http://example.com/a.png' }, 'malformed'],
  ])('%s', async (_, over, code) => {
    const payer = fixture.payer('payer of nothing');
    expect((await refused(fixture.commands.quote(fixture.context(), fixture.wishOf(payer, 'UNPAID', over))))?.[0]).toBe(code);
  });

  test('an offer that asks for more than anybody should pay, a wallet that cannot pay, and a launcher that does not answer', async () => {
    fixture.simulator.script.trouble('greedy');
    const payer = fixture.payer('payer of nothing');
    expect((await refused(fixture.commands.quote(fixture.context(), fixture.wishOf(payer, 'GREEDY'))))?.[0]).toBe('route_refused');
    fixture.simulator.script.trouble(null);
    const poor = sandboxKey('poor');
    expect((await refused(fixture.commands.quote(fixture.context(), fixture.wishOf(poor, 'POORER'))))?.[0]).toBe('launch_refused');
    fixture.simulator.faults.set({ status5xx: 1 });
    expect((await refused(fixture.commands.quote(fixture.context(), fixture.wishOf(payer, 'SILENT'))))?.[0]).toBe('unavailable');
    expect(fixture.failures).toContain('http_503');
  });
});
