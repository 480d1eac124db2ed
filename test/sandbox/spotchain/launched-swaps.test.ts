// The aggregator routes through curves and successor pools: its quote equals the chain's result, to the raw unit.
import { getAssociatedTokenAddressSync, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { Keypair, PublicKey } from '@solana/web3.js';
import { filter, firstValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKeyedClient } from '../../../src/adapters/venues/reference/keyed-client.ts';
import { createSpotchainFeed } from '../../../src/adapters/venues/spotchain/feed.ts';
import { fixedMultiplier } from '../../../src/adapters/venues/spotchain/multiplier.ts';
import { planCurve } from '../../../src/domain/launch/curve/curve-config.ts';
import { associatedAccount, badgeAddress } from '../../../src/domain/launch/curve/program.ts';
import { findPreset } from '../../../src/domain/launch/presets.ts';
import { delegatedSwapObjection } from '../../../src/domain/solana/delegated-swap.ts';
import { readTransaction } from '../../../src/domain/solana/message.ts';
import { TOKEN_2022, TOKEN_PROGRAM } from '../../../src/domain/solana/programs.ts';
import { decodeTransaction } from '../../../src/sandbox/solana/decode-transaction.ts';
import { sandboxKey } from '../../../src/sandbox/solana/keys.ts';
import { startKeeper } from '../../../src/sandbox/solana/launch-programs/keeper.ts';
import { SANDBOX_MAKER } from '../../../src/sandbox/spotchain/pool.ts';
import { type ChainFixture, chainFixture, type Json, KEY, type Route, SHARE, STABLE, signed } from '../solana/chain-fixture.ts';
import { buildCurveConfig, enrich, landOn, launchCast, launchScript, WRAPPED_SOL, wireOf } from '../solana/launch-fixture.ts';

let fixture: ChainFixture;
let stopKeeper: () => void;
beforeAll(async () => {
  fixture = await chainFixture();
  stopKeeper = startKeeper(fixture.chain);
});
afterAll(async () => {
  stopKeeper();
  await fixture.close();
});

const QUOTES = {
  SOL: { mint: WRAPPED_SOL, program: TOKEN_PROGRAM, decimals: 9, fdv: '30' },
  USDC: { mint: STABLE.mint, program: TOKEN_PROGRAM, decimals: 6, fdv: '4000' },
  TSLAx: { mint: SHARE.mint, program: TOKEN_2022, decimals: 8, fdv: '20' },
} as const;

/** Puts a curve on the chain and returns its script. */
function launch(name: string, quote: (typeof QUOTES)[keyof typeof QUOTES]) {
  const cast = launchCast(name);
  const script = launchScript(cast, quote, quote.program === TOKEN_2022 ? badgeAddress(quote.mint) : null);
  const config = buildCurveConfig(
    planCurve({
      preset: findPreset('price_discovery'),
      startingFdv: quote.fdv,
      totalSupply: '1000000000',
      decimals: 6,
      quoteDecimals: quote.decimals,
    }),
  );
  for (const who of [cast.creator, cast.trader]) enrich(fixture.chain, who, quote.mint, 10_000_000_000_000n);
  const land = (instructions: Parameters<typeof wireOf>[1], signers: Parameters<typeof wireOf>[2]) =>
    expect(landOn(fixture.chain, decodeTransaction(wireOf(fixture.chain, instructions, signers))).run.error).toBeNull();
  land([script.createConfig(config)], [cast.creator, cast.config]);
  land([script.createPool()], [cast.creator, cast.mint]);
  return {
    mint: cast.mint.address as string,
    script,
    finish: () =>
      land([script.holding(cast.trader), script.swap('buy', 'partialFill', config.migrationQuoteThreshold * 2n, 0n)], [cast.trader]),
  };
}

async function amount(owner: PublicKey, mint: string): Promise<bigint> {
  const account = getAssociatedTokenAddressSync(new PublicKey(mint), owner, false, TOKEN_PROGRAM_ID);
  const { result } = await fixture.ask('getTokenAccountBalance', account.toBase58(), { commitment: 'processed' });
  return BigInt(result?.value.amount ?? 0);
}
const send = (bytes: Uint8Array) =>
  fixture.ask('sendTransaction', Buffer.from(bytes).toString('base64'), { encoding: 'base64', preflightCommitment: 'confirmed' });

/** Signs an order, lands it, and compares both balances with the quote. */
async function carryOut(order: Route, taker: Keypair, inputMint: string, outputMint: string, given: bigint): Promise<bigint> {
  expect(order.transaction, JSON.stringify(order)).not.toBe('');
  expect(Buffer.from(order.transaction, 'base64').length).toBeLessThanOrEqual(1_232);
  const [hadIn, hadOut] = [await amount(taker.publicKey, inputMint), await amount(taker.publicKey, outputMint)];
  const answer = await send(signed(order.transaction, taker));
  expect(answer.error).toBeUndefined();
  expect(hadIn - (await amount(taker.publicKey, inputMint))).toBe(given);
  const got = (await amount(taker.publicKey, outputMint)) - hadOut;
  expect(got).toBe(BigInt(order.outAmount));
  return got;
}

describe.each(Object.entries(QUOTES))('a token on a curve quoted in %s', (symbol, quote) => {
  test('is bought, sold, priced and charted on its curve, graduates, and is sold in the pool that follows', async () => {
    const { mint, finish } = launch(`quoted in ${symbol}`, quote);
    const taker = fixture.rich();
    const wallet = taker.publicKey.toBase58();
    const buy = await fixture.order({ inputMint: STABLE.mint, outputMint: mint, amount: '250000000', taker: wallet, slippageBps: '100' });
    expect(buy['routePlan']).toMatchObject([{ swapInfo: { label: 'Dynamic Bonding Curve' } }]);
    const bought = await carryOut(buy, taker, STABLE.mint, mint, 250_000_000n);

    const prices: Json = await (await fetch(`${fixture.aggregator.url}/price/v3?ids=${mint}`)).json();
    const paid = 250 / (Number(bought) / 1e6);
    expect(Math.abs(prices[mint].usdPrice / paid - 1)).toBeLessThan(0.2);
    expect(prices[mint].liquidity).toBeGreaterThan(0);

    const half = bought / 2n;
    const sell = await fixture.order({ inputMint: mint, outputMint: STABLE.mint, amount: String(half), taker: wallet, slippageBps: '100' });
    await carryOut(sell, taker, mint, STABLE.mint, half);

    fixture.clock.advanceTo(fixture.clock.now() + 120_000);
    const bars: Json = await (
      await fetch(`${fixture.aggregator.url}/api/v2/networks/solana/pools/${fixture.launched.token(mint)?.pool}/ohlcv/minute?limit=10`)
    ).json();
    const [bar] = bars.data.attributes.ohlcv_list as number[][];
    expect(bar?.[2]).toBeGreaterThanOrEqual(bar?.[3] ?? Number.NaN);
    expect(bar?.[5]).toBeGreaterThan(0);

    // There is no route for more than the curve still takes.
    expect(await fixture.order({ inputMint: STABLE.mint, outputMint: mint, amount: '5000000000000' })).toMatchObject({
      errorCode: 'COULD_NOT_FIND_ANY_ROUTE',
    });
    finish();
    expect(fixture.launched.token(mint)?.venue).toBe('successor');
    const last = await fixture.order({ inputMint: mint, outputMint: STABLE.mint, amount: String(bought - half), taker: wallet });
    expect(last['routePlan']).toMatchObject([{ swapInfo: { label: 'Meteora DAMM v2' } }]);
    await carryOut(last, taker, mint, STABLE.mint, bought - half);
    expect(await amount(taker.publicKey, mint)).toBe(0n);
    const again = await fixture.order({ inputMint: STABLE.mint, outputMint: mint, amount: '10000000', taker: wallet });
    await carryOut(again, taker, STABLE.mint, mint, 10_000_000n);
  });
});

test.each(['SOL', 'USDC'] as const)('a route through a curve quoted in %s may be signed by a delegated wallet', async (name) => {
  const { mint } = launch(`delegated ${name}`, QUOTES[name]);
  const wallet = fixture.rich().publicKey.toBase58();
  const order = await fixture.order({ inputMint: STABLE.mint, outputMint: mint, amount: '100000000', taker: wallet, slippageBps: '100' });
  const read = readTransaction(new Uint8Array(Buffer.from(order.transaction, 'base64')));
  if (!read.ok) throw new Error(read.refusal.detail);
  const found = await Promise.all(
    read.value.lookups.map(async ({ table }) => [table, (await fixture.rpc.lookupTable(table)) as readonly string[]] as const),
  );
  const swap = (leastOut: bigint) => ({
    wallet,
    input: { mint: STABLE.mint, program: TOKEN_PROGRAM },
    output: { mint, program: TOKEN_PROGRAM },
    mostIn: 100_000_000n,
    leastOut: () => leastOut,
    makers: new Set([SANDBOX_MAKER]),
    tables: new Map(found),
    accountOf: associatedAccount,
  });
  expect(delegatedSwapObjection(read.value, swap(BigInt(order.otherAmountThreshold)))).toBeNull();
  expect(delegatedSwapObjection(read.value, swap(BigInt(order.outAmount)))).not.toBeNull();
});

test('a price beyond the slippage fails on the chain, and the taker keeps everything', async () => {
  const { mint, script } = launch('moved meanwhile', QUOTES.USDC);
  const [taker, other] = [fixture.rich(), sandboxKey('moved meanwhile trader')];
  const wallet = taker.publicKey.toBase58();
  const order = await fixture.order({ inputMint: STABLE.mint, outputMint: mint, amount: '100000000', taker: wallet, slippageBps: '50' });
  const before = await amount(taker.publicKey, STABLE.mint);
  const swap = script.swap('buy', 'exactIn', 2_000_000_000n, 0n);
  expect(landOn(fixture.chain, decodeTransaction(wireOf(fixture.chain, [script.holding(other), swap], [other]))).run.error).toBeNull();
  const answer = await send(signed(order.transaction, taker));
  expect(answer.error).toMatchObject({ data: { err: { InstructionError: [3, { Custom: 6001 }] } } });
  expect(await amount(taker.publicKey, STABLE.mint)).toBe(before);
});

test('a curve too full for the feed’s usual probe is quoted by a smaller one', async () => {
  const { mint, script } = launch('nearly full', QUOTES.USDC);
  const whale = sandboxKey('nearly full trader');
  const buy = (amount: bigint) => wireOf(fixture.chain, [script.holding(whale), script.swap('buy', 'exactIn', amount, 0n)], [whale]);
  // Buys the largest power of two that fits until less than a hundred dollars are left.
  for (let amount = 2n ** 40n; amount > 2n ** 25n; amount /= 2n)
    while (fixture.launched.token(mint)?.swap('buy', amount + 20_000_000n) != null) {
      fixture.chain.advance(1);
      expect(landOn(fixture.chain, decodeTransaction(buy(amount))).run.error).toBeNull();
    }
  const wish = { inputMint: STABLE.mint, outputMint: mint };
  expect(await fixture.order({ ...wish, amount: '100000000' })).toMatchObject({ errorCode: 'COULD_NOT_FIND_ANY_ROUTE' });
  const { clock } = fixture;
  const headers = { 'x-api-key': KEY };
  const client = createKeyedClient({
    venue: 'spotchain',
    baseUrl: fixture.aggregator.url,
    headers,
    clock,
    random: () => 0.5,
    perMinute: 600,
  });
  const token = { symbol: 'FULL', mint, decimals: 6, scaledUi: fixedMultiplier('1') };
  const feed = createSpotchainFeed({ client, tokens: [token], stable: STABLE, clock, random: () => 0.5 });
  const quote = await firstValueFrom(feed.messages.pipe(filter((message) => message.kind === 'quote')));
  expect(quote).toMatchObject({ instrument: 'FULL', quality: 'live', flags: [] });
  expect(Number(quote.askSize) * Number(quote.ask)).toBeCloseTo(10, 4);
});

test.each(['other_recipient', 'takes_all'] as const)('a simulation shows the effect of a cheating aggregator (%s)', async (how) => {
  const { mint } = launch(`cheated ${how}`, QUOTES.SOL);
  const taker = fixture.rich();
  fixture.aggregator.cheat(how);
  const order = await fixture.order({ inputMint: STABLE.mint, outputMint: mint, amount: '100000000', taker: taker.publicKey.toBase58() });
  fixture.aggregator.cheat(null);
  const { error, changes } = await fixture.rpc.simulate(Buffer.from(order.transaction, 'base64'));
  expect(error).toBeNull();
  const moved = (of: string): bigint =>
    changes.tokens
      .filter(({ owner, mint: one }) => owner === taker.publicKey.toBase58() && one === of)
      .reduce((sum, { before, after }) => sum + BigInt(after) - BigInt(before), 0n);
  expect(moved(mint) >= BigInt(order.otherAmountThreshold) && moved(STABLE.mint) === -100_000_000n).toBe(false);
});
