/** Quotes, prices and bars of launched tokens, through their own curve or pool and the price of their quote token. */
import type { Clock } from '../../../streams/clock/clock.ts';
import { priceOfSqrt } from '../../domain/launch/curve/curve-config.ts';
import type { CurveDirection } from '../../domain/launch/curve/curve-swap.ts';
import { NATIVE_MINT } from '../../domain/launch/quote-tokens.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { Market } from '../market/market.ts';
import type { LaunchedMarket, LaunchedTick, LaunchedToken } from './launched-market.ts';
import { poolAddress } from './pool.ts';
import type { SwapQuote } from './swap-builder.ts';

const NATIVE_SYMBOL = 'SOL';
const NATIVE_DECIMALS = 9;
/** Market maker's spread on the native coin, as a fraction of its price. */
const MAKER_SPREAD = 0.000_2;
/** Range of bars: their length in milliseconds, and aligned start and end. */
export interface BarRange {
  readonly length: number;
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** Builds closed bars from trades, newest first. A period without trades has no bar. @param dollars price of a whole quote token */
function barsOfTicks(ticks: readonly LaunchedTick[], dollars: number, { length, from, to }: BarRange): readonly (readonly number[])[] {
  const bars = new Map<number, { open: number; high: number; low: number; close: number; volume: number }>();
  for (const { at, price, volume } of ticks) {
    const open = Math.floor(at / length) * length;
    if (open < from || open >= to) continue;
    const usd = price * dollars;
    const bar = bars.get(open) ?? { open: usd, high: usd, low: usd, close: usd, volume: 0 };
    bars.set(open, {
      open: bar.open,
      high: Math.max(bar.high, usd),
      low: Math.min(bar.low, usd),
      close: usd,
      volume: bar.volume + volume * dollars,
    });
  }
  return [...bars].sort(([a], [b]) => b - a).map(([at, { open, high, low, close, volume }]) => [at / 1000, open, high, low, close, volume]);
}

interface LaunchedQuotesOptions {
  /** Market of launched tokens, or null if the aggregator has no chain. */
  readonly launched: LaunchedMarket | null;
  readonly market: Market;
  readonly clock: Clock;
  readonly stable: { readonly mint: string; readonly decimals: number };
  /**
   * Returns a token that has its own pool against the stablecoin, or null. `dollars` is the price of a whole token; `swap` converts raw
   * units.
   */
  share(mint: string): { readonly dollars: number; swap(buying: boolean, amount: bigint): bigint } | null;
}

/** Creates the prices of quote tokens against the stablecoin. */
function createQuoteTokens({ market, clock, stable, share }: Omit<LaunchedQuotesOptions, 'launched'>) {
  /** Converts raw units of the stablecoin to the quote token (`buy`) or back. Null if there is no price. */
  function converted(mint: string, direction: CurveDirection, amount: bigint): bigint | null {
    if (mint === stable.mint) return amount;
    const traded = share(mint);
    if (traded !== null) return traded.swap(direction === 'buy', amount);
    const price = nativePrice(mint, direction);
    if (price === null) return null;
    const [from, to] = direction === 'buy' ? [stable.decimals, NATIVE_DECIMALS] : [NATIVE_DECIMALS, stable.decimals];
    const whole = Number(amount) / 10 ** from;
    return BigInt(Math.floor((direction === 'buy' ? whole / price : whole * price) * 10 ** to));
  }

  /** Returns the maker's price of the native coin, or null for any other mint or if the market has no price. */
  function nativePrice(mint: string, direction: CurveDirection): number | null {
    if (mint !== NATIVE_MINT || !market.assets.some(({ symbol }) => symbol === NATIVE_SYMBOL)) return null;
    return market.value(NATIVE_SYMBOL, clock.now()) * (direction === 'buy' ? 1 + MAKER_SPREAD : 1 - MAKER_SPREAD);
  }

  /** Returns the dollar price of a whole quote token, or zero if there is none. */
  function priceInDollars(mint: string): number {
    if (mint === stable.mint) return 1;
    const traded = share(mint);
    if (traded !== null) return traded.dollars;
    return mint === NATIVE_MINT ? market.value(NATIVE_SYMBOL, clock.now()) : 0;
  }

  return { converted, dollarsOf: priceInDollars };
}

export function createLaunchedQuotes({ launched, ...outside }: LaunchedQuotesOptions) {
  const { stable } = outside;
  const { converted, dollarsOf } = createQuoteTokens(outside);

  /** Quotes a swap through the token's own curve or pool, exactly as the chain would execute it now. */
  function quote(
    token: LaunchedToken,
    asked: Pick<SwapQuote, 'inputMint' | 'outputMint' | 'inAmount' | 'slippageBps'>,
  ): (SwapQuote & { readonly impact: number }) | null {
    const direction: CurveDirection = asked.inputMint === stable.mint ? 'buy' : 'sell';
    const { quoteMint } = token.keys;
    const given = direction === 'buy' ? converted(quoteMint, 'buy', asked.inAmount) : asked.inAmount;
    const done = given === null || given <= 0n ? null : token.swap(direction, given);
    const out = done === null ? null : direction === 'buy' ? done.amountOut : converted(quoteMint, 'sell', done.amountOut);
    if (given === null || done === null || out === null || out <= 0n) return null;
    const priced = direction === 'buy' ? { given: asked.inAmount, got: given } : { given: done.amountOut, got: out };
    const moved = Number(done.nextSqrtPrice) / Number(token.sqrtPrice);
    return {
      ...asked,
      outAmount: out,
      sentAmount: out,
      threshold: (out * BigInt(10_000 - asked.slippageBps)) / 10_000n,
      impact: Math.abs(moved * moved - 1),
      launched: { token, direction, maker: quoteMint === stable.mint ? null : priced },
    };
  }

  /** Returns the price of the last trade. Liquidity counts both reserves. */
  function price({ sqrtPrice, decimals, quoteDecimals, baseReserve, quoteReserve, keys }: LaunchedToken): object {
    const usdPrice = Number(priceOfSqrt(sqrtPrice, decimals, quoteDecimals)) * dollarsOf(keys.quoteMint);
    const quoteUsd = (Number(quoteReserve) / 10 ** quoteDecimals) * dollarsOf(keys.quoteMint);
    const liquidity = (Number(baseReserve) / 10 ** decimals) * usdPrice + quoteUsd;
    return { liquidity, usdPrice, blockId: Math.floor(outside.clock.now() / 400), decimals, priceChange24h: null };
  }

  /** Returns a launched token's bars from its trades on the chain, or null if the pool is unknown. */
  function bars(pool: string, range: BarRange): readonly (readonly number[])[] | null {
    const mint = launched?.mintOf(pool) ?? launched?.mints().find((one) => poolAddress(one) === pool) ?? null;
    const token = mint === null ? null : launched?.token(mint);
    return mint === null || token == null ? null : barsOfTicks(launched?.ticks(mint) ?? [], dollarsOf(token.keys.quoteMint), range);
  }

  return { token: (mint: string): LaunchedToken | null => launched?.token(mint) ?? null, quote, price, bars };
}
