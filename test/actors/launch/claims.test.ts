// Claims of creator and partner: each kind by its own prepared transaction, paid to the right wallet, once.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ClaimWish } from '../../../actors/launch/claim-handler.ts';
import type { AddressBalances } from '../../../src/adapters/solana/rpc.ts';
import { associatedAccount, swapInstruction } from '../../../src/domain/launch/curve/program.ts';
import { NATIVE_MINT } from '../../../src/domain/launch/quote-tokens.ts';
import { TOKEN_PROGRAM } from '../../../src/domain/solana/programs.ts';
import { DAY_MS } from '../../../src/domain/values/time.ts';
import { type SandboxKey, sandboxKey } from '../../../src/sandbox/solana/keys.ts';
import { decodeTransaction } from '../../../src/sandbox/solana/decode-transaction.ts';
import { holdingOf, landOn, wireOf } from '../../sandbox/solana/launch-fixture.ts';
import { type LaunchFixture, launchFixture, must, ORG, signedBy } from './launch-fixture.ts';

let fixture: LaunchFixture;
beforeAll(async () => {
  fixture = await launchFixture();
});
afterAll(() => fixture.close());

const trader = sandboxKey('claims trader');

async function held(who: SandboxKey, mint: string): Promise<bigint> {
  const balances = (await fixture.node.balancesOf(who.address)) as { ok: true; value: AddressBalances };
  return balances.value.tokens.find((one) => one.mint === mint)?.amount ?? 0n;
}

async function refused(id: string, wish: ClaimWish): Promise<string> {
  const outcome = await fixture.claims.prepare(fixture.context(), id, wish);
  return outcome.ok ? 'prepared' : `${outcome.refusal.code}: ${outcome.refusal.detail}`;
}

/** Prepares a claim, signs it as the payee, and follows it to its end. Returns the received amount. */
async function claimed(id: string, wish: ClaimWish, who: SandboxKey, mint: string): Promise<bigint> {
  const claim = must(await fixture.claims.prepare(fixture.context(), id, wish));
  expect(claim).toMatchObject({ wallet: who.address, subject: { launchId: id, ...wish } });
  const before = await held(who, mint);
  const stranger = signedBy(sandboxKey('claims stranger'), claim.unsigned);
  expect(await fixture.claims.submit(fixture.context(), claim.id, stranger)).toMatchObject({
    ok: false,
    refusal: { code: 'signature_invalid' },
  });
  must(await fixture.claims.submit(fixture.context(), claim.id, signedBy(who, claim.unsigned)));
  for (let round = 0; round < 12; round++) await fixture.pass(2_100);
  fixture.chain.finalize();
  for (let round = 0; round < 4; round++) await fixture.pass(2_100);
  expect((await fixture.claims.find(ORG, claim.id))?.state).toBe('finalized');
  const got = (await held(who, mint)) - before;
  expect(got).toBe(BigInt(claim.subject[wish.kind === 'unlocked' ? 'baseAmount' : 'quoteAmount'] as string));
  return got;
}

test('fees go to creator and partner, unlocked tokens only to the creator, and nothing is paid twice or too early', async () => {
  const wish = fixture.wish({
    preset: 'agent_treasury',
    firstBuy: '2',
    names: { name: 'Claims', symbol: 'CLAIMS', uri: 'https://example.com/c.json' },
  });
  const { launch, transactions } = must(await fixture.commands.prepare(fixture.context(), wish));
  const { id, mint, config } = launch;
  expect(await refused(id, { kind: 'fees', as: 'creator' })).toBe('state_conflict: the launch has no pool on the chain yet');
  must(
    await fixture.commands.submit(
      fixture.context(),
      id,
      transactions.map((one) => signedBy(fixture.creator, one)),
    ),
  );
  for (let round = 0; round < 12 && (await fixture.find(id)).state !== 'trading'; round++) {
    await fixture.pass(2_100);
    fixture.chain.finalize();
  }
  fixture.fund(fixture.partner, 'SOL', 1_000_000_000n);
  expect(await claimed(id, { kind: 'fees', as: 'partner' }, fixture.partner, NATIVE_MINT)).toBeGreaterThan(0n);
  expect(await claimed(id, { kind: 'fees', as: 'creator' }, fixture.creator, NATIVE_MINT)).toBeGreaterThan(0n);
  expect(await refused(id, { kind: 'fees', as: 'partner' })).toBe('state_conflict: there are no fees for the partner to claim');
  for (const as of ['creator', 'partner'] as const) {
    expect(await refused(id, { kind: 'surplus', as })).toBe('state_conflict: the curve is not complete');
    expect(await refused(id, { kind: 'migration_fee', as })).toBe('state_conflict: the curve is not complete');
  }
  expect(await refused(id, { kind: 'unlocked', as: 'creator' })).toBe('state_conflict: the locker holds no tokens of the launch');

  fixture.fund(trader, 'SOL', 10_000_000_000n);
  fixture.fund(trader, NATIVE_MINT, 400_000_000_000n);
  const keys = { config, baseMint: mint, quoteMint: NATIVE_MINT, quoteProgram: TOKEN_PROGRAM };
  const accounts = {
    baseAccount: associatedAccount(trader.address, mint, TOKEN_PROGRAM),
    quoteAccount: associatedAccount(trader.address, NATIVE_MINT, TOKEN_PROGRAM),
  };
  const swap = swapInstruction(keys, {
    direction: 'buy',
    mode: 'partialFill',
    amount: 400_000_000_000n,
    bound: 0n,
    trader: trader.address,
    ...accounts,
  });
  const buy = decodeTransaction(wireOf(fixture.chain, [holdingOf(trader, mint, TOKEN_PROGRAM), swap], [trader]));
  expect(landOn(fixture.chain, buy).run.error).toBeNull();
  fixture.chain.finalize();
  expect(await refused(id, { kind: 'migration_fee', as: 'creator' })).toBe(
    'state_conflict: the launch has no migration fee for the creator',
  );
  expect(await refused(id, { kind: 'unlocked', as: 'partner' })).toBe('state_conflict: only the creator has tokens in the locker');
  // A tenth of the supply unlocks over 180 days in equal daily amounts; the remainder is available at once.
  await fixture.pass(10 * DAY_MS, 400);
  fixture.chain.finalize();
  const daily = (100_000_000n / 180n) * 1_000_000n;
  expect((await claimed(id, { kind: 'unlocked', as: 'creator' }, fixture.creator, mint)) / daily).toBe(10n);
  expect(await refused(id, { kind: 'unlocked', as: 'creator' })).toBe('state_conflict: no more tokens are unlocked now');
});
