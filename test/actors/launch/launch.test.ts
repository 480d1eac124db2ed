// A launch from its preparation to its graduation, and everything that must not lead to it.
import { address } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyEd25519 } from '../../../src/adapters/solana/ed25519.ts';
import type { AddressBalances } from '../../../src/adapters/solana/rpc.ts';
import { CATALOG, USDC_MINT } from '../../../src/domain/catalog/catalog.ts';
import { associatedAccount, readVirtualPool, swapInstruction } from '../../../src/domain/launch/curve/program.ts';
import { NATIVE_MINT } from '../../../src/domain/launch/quote-tokens.ts';
import { TOKEN_PROGRAM } from '../../../src/domain/solana/programs.ts';
import { type PreparedMessage, verifySigned } from '../../../src/domain/solana/verify.ts';
import { sandboxKey } from '../../../src/sandbox/solana/keys.ts';
import { decodeTransaction } from '../../../src/sandbox/solana/decode-transaction.ts';
import { rounds } from '../../harness/rounds.ts';
import { holdingOf, landOn, wireOf } from '../../sandbox/solana/launch-fixture.ts';
import { type LaunchFixture, launchFixture, must, ORG, signedBy } from './launch-fixture.ts';

/** Distance between flipped bits. It is coprime to eight, so that every bit position occurs. */
const STRIDE = rounds({ suite: 7, proof: 1 });
let fixture: LaunchFixture;
beforeAll(async () => {
  fixture = await launchFixture();
});
afterAll(() => fixture.close());

const refused = async (outcome: Promise<{ ok: boolean; refusal?: { code: string; detail: string } }>) => {
  const { refusal } = await outcome;
  return refusal === undefined ? null : [refusal.code, refusal.detail];
};

/** Buys on the curve directly on the chain. */
function buy(mint: string, config: string, amount: bigint): void {
  const trader = sandboxKey('curve trader');
  fixture.fund(trader, 'SOL', 10_000_000_000n);
  fixture.fund(trader, NATIVE_MINT, amount);
  const keys = { config, baseMint: mint, quoteMint: NATIVE_MINT, quoteProgram: TOKEN_PROGRAM };
  const accounts = {
    baseAccount: associatedAccount(trader.address, mint, TOKEN_PROGRAM),
    quoteAccount: associatedAccount(trader.address, NATIVE_MINT, TOKEN_PROGRAM),
  };
  const swap = swapInstruction(keys, { direction: 'buy', mode: 'partialFill', amount, bound: 0n, trader: trader.address, ...accounts });
  fixture.chain.advance(1);
  const landed = landOn(fixture.chain, decodeTransaction(wireOf(fixture.chain, [holdingOf(trader, mint, TOKEN_PROGRAM), swap], [trader])));
  expect(landed.run.error).toBeNull();
}

describe('a launch', () => {
  test('goes from preparation to its successor pool, with a first buy, and its mint is listed once it trades', async () => {
    const prepared = must(await fixture.commands.prepare(fixture.context(), fixture.wish({ preset: 'agent_treasury', firstBuy: '1' })));
    const { id, mint, config, pool } = prepared.launch;
    fixture.quoteUsd.set(NATIVE_MINT, '150');
    expect(prepared.launch.state).toBe('prepared');
    expect(prepared.transactions.length).toBeLessThanOrEqual(2);
    const signed = prepared.transactions.map((one) => signedBy(fixture.creator, one));
    const submitted = must(await fixture.commands.submit(fixture.context(), id, signed));
    expect(submitted.state).toBe('submitted');
    expect(submitted.signatures).toHaveLength(signed.length);
    for (let round = 0; round < 12; round++) await fixture.pass(2_100);
    expect((await fixture.find(id)).state, JSON.stringify(fixture.errors)).toMatch(/confirmed|trading/);
    fixture.chain.finalize();
    for (let round = 0; round < 6; round++) await fixture.pass(2_100);
    const trading = await fixture.find(id);
    expect(trading.state).toBe('trading');
    expect(BigInt(trading.standing?.quoteReserve ?? 0)).toBe(960_000_000n);
    expect(trading.standing?.startQuoteUsd).toBe('150');
    // A later price of the quote token does not change its value at the start.
    fixture.quoteUsd.set(NATIVE_MINT, '180');
    const [listed] = await fixture.sql`select symbol, launcher, decimals from listed_tokens where mint = ${mint}`;
    expect(listed).toEqual({ symbol: 'HARBOR', launcher: 'dbc', decimals: 6 });
    const account = fixture.chain.account(address(pool), 'processed');
    expect(readVirtualPool(account?.data as Uint8Array)?.creator).toBe(fixture.creator.address);

    // The creator claims the fees of the first buy; the program pays only the creator.
    const claim = must(await fixture.claims.prepare(fixture.context(), id, { kind: 'fees', as: 'creator' }));
    expect(claim).toMatchObject({ state: 'prepared', wallet: fixture.creator.address, subject: { launchId: id } });
    const waiting = BigInt(trading.standing?.creatorQuoteFee ?? 0);
    expect(waiting).toBeGreaterThan(0n);
    expect(claim.subject['quoteAmount']).toBe(waiting.toString());
    const before = (await fixture.node.balancesOf(fixture.creator.address)) as { ok: true; value: AddressBalances };
    const held = ({ value }: typeof before): bigint => value.tokens.find((one) => one.mint === NATIVE_MINT)?.amount ?? 0n;
    const payout = signedBy(fixture.creator, claim.unsigned);
    const forged = signedBy(sandboxKey('stranger'), claim.unsigned);
    expect((await refused(fixture.claims.submit(fixture.context(), claim.id, forged)))?.[0]).toBe('signature_invalid');
    const foreign = fixture.context('ann', '00000000-0000-7000-8000-000000000002');
    expect((await refused(fixture.claims.submit(foreign, claim.id, payout)))?.[0]).toBe('not_found');
    expect((await refused(fixture.claims.prepare(foreign, id, { kind: 'fees', as: 'creator' })))?.[0]).toBe('not_found');
    must(await fixture.claims.submit(fixture.context(), claim.id, payout));
    for (let round = 0; round < 12; round++) await fixture.pass(2_100);
    fixture.chain.finalize();
    for (let round = 0; round < 4; round++) await fixture.pass(2_100);
    expect((await fixture.claims.find(ORG, claim.id))?.state).toBe('finalized');
    expect(held((await fixture.node.balancesOf(fixture.creator.address)) as typeof before) - held(before)).toBe(waiting);
    expect(await refused(fixture.claims.prepare(fixture.context(), id, { kind: 'fees', as: 'creator' }))).toEqual([
      'state_conflict',
      'there are no fees for the creator to claim',
    ]);

    buy(mint, config, 300_000_000_000n);
    for (let round = 0; round < 4; round++) await fixture.pass(61_000);
    const graduated = await fixture.find(id);
    expect(graduated.state).toBe('graduated');
    expect(graduated.standing).toMatchObject({ isMigrated: true, migrationProgress: 3, startQuoteUsd: '150' });
    const announced = await fixture.sql<{ state: string }[]>`select body->>'state' as state from announcements where channel = 'launches'`;
    expect([...new Set(announced.map(({ state }) => state))]).toEqual(
      expect.arrayContaining(['prepared', 'submitted', 'trading', 'graduated']),
    );
    // The same bytes return the present state; other bytes are refused.
    expect(must(await fixture.commands.submit(fixture.context(), id, signed)).state).toBe('graduated');
    expect(
      (
        await refused(
          fixture.commands.submit(
            fixture.context(),
            id,
            [...signed]
              .reverse()
              .map((one) => `${one}`)
              .slice(0, 1)
              .concat('AAAA'),
          ),
        )
      )?.[0],
    ).toBe('state_conflict');
  });

  test('expires if nobody signs it, and leaves nothing on the chain', async () => {
    const { launch } = must(
      await fixture.commands.prepare(
        fixture.context(),
        fixture.wish({ names: { name: 'Idle', symbol: 'IDLE', uri: 'https://example.com/i.json' } }),
      ),
    );
    fixture.chain.expireBlockhashes();
    fixture.chain.finalize();
    for (let round = 0; round < 4; round++) await fixture.pass(16_000);
    expect(await fixture.find(launch.id)).toMatchObject({ state: 'expired', signatures: [] });
    expect(fixture.chain.account(address(launch.pool), 'processed')).toBeNull();
    expect((await refused(fixture.commands.submit(fixture.context(), launch.id, ['AAAA'])))?.[0]).toBe('state_conflict');
  });

  test("is refused with the program's error in words, before anything is stored", async () => {
    const before = await fixture.sql`select count(*)::int as n from launches`;
    const prepare = (over: Parameters<typeof fixture.wish>[0]) => refused(fixture.commands.prepare(fixture.context(), fixture.wish(over)));
    const taxed = CATALOG.bySymbol('SPACEX')?.token?.mint as string;
    expect(await prepare({ quoteMint: taxed })).toEqual(['launch_refused', expect.stringContaining('6081')]);
    expect(await prepare({ names: { name: 'n'.repeat(33), symbol: 'X', uri: 'https://example.com' } })).toEqual([
      'malformed',
      expect.stringContaining('$.name'),
    ]);
    expect(await prepare({ names: { name: 'n', symbol: 'X', uri: 'http://example.com' } })).toEqual([
      'malformed',
      expect.stringContaining('$.uri'),
    ]);
    expect(await prepare({ names: { name: 'n', symbol: 'AAPLX', uri: 'https://example.com' } })).toEqual([
      'launch_refused',
      expect.stringContaining('name of an instrument'),
    ]);
    expect(await prepare({ firstBuy: '1000' })).toEqual(['launch_refused', expect.stringContaining('larger than the curve')]);
    const poor = sandboxKey('poor creator');
    expect(await prepare({ creator: poor.address })).toEqual([
      'launch_refused',
      expect.stringContaining('the chain would refuse the launch'),
    ]);
    expect(await fixture.sql`select count(*)::int as n from launches`).toEqual(before);
  });

  test('may be quoted in a tokenized share that has a badge, and is paired with it', async () => {
    const share = CATALOG.bySymbol('AAPLx')?.token?.mint as string;
    const { launch } = must(
      await fixture.commands.prepare(
        fixture.context(),
        fixture.wish({ quoteMint: share, names: { name: 'Apple Picker', symbol: 'PICKER', uri: 'https://example.com/p.json' } }),
      ),
    );
    expect(launch).toMatchObject({ quoteSymbol: 'AAPLx', pairedStock: 'spotchain:AAPLx' });
    const dollars = must(
      await fixture.commands.prepare(
        fixture.context(),
        fixture.wish({
          quoteMint: USDC_MINT,
          startingFdv: '5000',
          names: { name: 'Greenback', symbol: 'GREENBK', uri: 'https://example.com/d.json' },
        }),
      ),
    );
    expect(dollars.launch.pairedStock).toBeNull();
  });

  test('refuses the id and the signature of others', async () => {
    const { launch, transactions } = must(
      await fixture.commands.prepare(
        fixture.context(),
        fixture.wish({ names: { name: 'Mine', symbol: 'MINE', uri: 'https://example.com/m.json' } }),
      ),
    );
    const signed = transactions.map((one) => signedBy(fixture.creator, one));
    const theirs = fixture.context('eve', '00000000-0000-7000-8000-000000000002');
    expect((await refused(fixture.commands.submit(theirs, launch.id, signed)))?.[0]).toBe('not_found');
    const forged = transactions.map((one) => signedBy(sandboxKey('somebody else'), one));
    expect((await refused(fixture.commands.submit(fixture.context(), launch.id, forged)))?.[0]).toBe('signature_invalid');
    expect((await refused(fixture.commands.submit(fixture.context(), launch.id, transactions)))?.[0]).toBe('signature_missing');
    expect((await refused(fixture.commands.submit(fixture.context(), launch.id, [])))?.[0]).toBe('malformed');
    expect(await fixture.find(launch.id)).toMatchObject({ state: 'prepared', signatures: [] });
    expect((await fixture.reads.list(ORG, { limit: 10, after: null })).items[0]?.id).toBe(launch.id);
  });

  test('is refused for any single bit of its transactions that differs from the prepared one', async () => {
    const { launch, transactions } = must(
      await fixture.commands
        .prepare(
          fixture.context(),
          fixture.wish({
            preset: 'agent_treasury',
            firstBuy: '2',
            names: { name: 'Every Bit of This Is Counted', symbol: 'BITS', uri: `https://example.com/${'b'.repeat(170)}` },
          }),
        )
        .catch(() => ({ ok: false, refusal: { code: 'malformed', detail: 'threw' } }) as never),
    );
    const signed = transactions.map((one) => signedBy(fixture.creator, one));
    const rows = await fixture.sql<{ message: PreparedMessage }[]>`
      select message from prepared_transactions where subject->>'launchId' = ${launch.id} order by (subject->>'part')::int`;
    expect(rows).toHaveLength(2);
    let tried = 0;
    const taken: string[] = [];
    for (const [place, one] of signed.entries()) {
      const bytes = Buffer.from(one, 'base64');
      const { message } = rows[place] as { message: PreparedMessage };
      expect(verifySigned(message, bytes, verifyEd25519).ok).toBe(true);
      for (let bit = 0; bit < bytes.length * 8; bit += STRIDE) {
        bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
        if (verifySigned(message, bytes, verifyEd25519).ok) taken.push(`bit ${bit} of transaction ${place}`);
        if (tried % 30 === 0) {
          const altered = signed.map((each, index) => (index === place ? bytes.toString('base64') : each));
          if ((await fixture.commands.submit(fixture.context(), launch.id, altered)).ok)
            taken.push(`bit ${bit} of transaction ${place}, submitted`);
        }
        bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
        tried++;
      }
    }
    console.log(`${tried} single-bit changes of ${signed.length} transactions were tried`);
    expect(taken).toEqual([]);
    expect(tried).toBe(signed.reduce((sum, one) => sum + Math.ceil((Buffer.from(one, 'base64').length * 8) / STRIDE), 0));
    expect(await fixture.find(launch.id)).toMatchObject({ state: 'prepared', signatures: [] });
  });
});
