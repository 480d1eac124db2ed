/** Launched tokens as the aggregator reads them from the chain: the curve or pool that trades each, its price and its trades. */

import { address } from '@solana/kit';
import { priceOfSqrt } from '../../domain/launch/curve/curve-config.ts';
import {
  type PoolKeys,
  readCurvePoints,
  readPoolConfig,
  readVirtualPool,
  storedBaseFee,
  storedDynamicFee,
  successorPoolAddress,
} from '../../domain/launch/curve/program.ts';
import { type CurveDirection, type CurveShape, type CurveSwap, swapIn } from '../../domain/launch/curve/curve-swap.ts';
import { baseFeeAt, referencesAt, totalFee } from '../../domain/launch/fees.ts';
import { readSuccessorPool, successorFee, successorShape } from '../../domain/launch/successor-pool.ts';
import { CURVE_PROGRAM } from '../../domain/solana/programs.ts';
import { readMint } from '../../domain/solana/token-layout.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { SolanaChain } from '../solana/chain.ts';

/** Launched token that currently trades. */
export interface LaunchedToken {
  readonly mint: string;
  readonly decimals: number;
  readonly quoteDecimals: number;
  readonly keys: PoolKeys;
  readonly venue: 'curve' | 'successor';
  /** Address of the curve's pool, or of the successor pool. */
  readonly pool: string;
  readonly sqrtPrice: bigint;
  /** Reserves of both sides, in raw units. */
  readonly baseReserve: bigint;
  readonly quoteReserve: bigint;
  /** Returns the result of a swap, or null if the pool cannot fill all of it. */
  swap(direction: CurveDirection, amount: bigint): CurveSwap | null;
}

/** Trade of a launched token: the price after it, and the quote amount, both in whole quote tokens. */
export interface LaunchedTick {
  readonly at: EpochMs;
  readonly price: number;
  readonly volume: number;
}

export type LaunchedMarket = ReturnType<typeof createLaunchedMarket>;

const MOST_TICKS = 20_000;

interface Listed {
  readonly keys: PoolKeys;
  readonly pool: string;
  readonly successor: string;
  readonly decimals: number;
  readonly quoteDecimals: number;
}

/** Creates the market, which follows the chain as long as it exists. */
export function createLaunchedMarket(chain: Pick<SolanaChain, 'account' | 'owned' | 'now' | 'onChange'>) {
  const listed = new Map<string, Listed>();
  const ticks = new Map<string, { list: LaunchedTick[]; sqrtPrice: bigint; reserve: bigint }>();
  const readBytes = (at: string): Uint8Array | null => (chain.account(address(at), 'processed')?.data as Uint8Array | undefined) ?? null;

  /** Finds new curves. Curves are never closed, so known ones are kept. */
  function discover(): void {
    for (const account of chain.owned(address(CURVE_PROGRAM), 'processed')) {
      const pool = readVirtualPool(account.data as Uint8Array);
      if (pool === null || listed.has(pool.baseMint)) continue;
      const config = readPoolConfig(readBytes(pool.config) ?? new Uint8Array());
      const quote = config === null ? null : chain.account(address(config.quoteMint), 'processed');
      const [facts, quoteFacts] = [
        readMint(readBytes(pool.baseMint) ?? new Uint8Array()),
        quote === null ? null : readMint(quote.data as Uint8Array),
      ];
      if (config === null || quote === null || facts === null || quoteFacts === null) continue;
      const keys = { config: pool.config, baseMint: pool.baseMint, quoteMint: config.quoteMint, quoteProgram: quote.programAddress };
      const { decimals } = facts;
      const successor = successorPoolAddress(pool.baseMint, config.quoteMint);
      listed.set(pool.baseMint, { keys, pool: account.address, successor, decimals, quoteDecimals: quoteFacts.decimals });
    }
  }

  function tradingToken(mint: string): LaunchedToken | null {
    const known = listed.get(mint);
    if (known === undefined) return null;
    const now = BigInt(Math.floor(chain.now() / 1_000));
    return onCurve(known, readBytes(known.pool), readBytes(known.keys.config), now) ?? inSuccessor(known, readBytes(known.successor), now);
  }

  function record(): void {
    discover();
    for (const [mint, { decimals, quoteDecimals }] of listed) {
      const token = tradingToken(mint);
      const before = ticks.get(mint);
      if (token === null || before?.sqrtPrice === token.sqrtPrice) continue;
      const moved = before === undefined ? 0n : token.quoteReserve - before.reserve;
      const volume = Number(moved < 0n ? -moved : moved) / 10 ** quoteDecimals;
      const list = [
        ...(before?.list ?? []),
        { at: chain.now(), price: Number(priceOfSqrt(token.sqrtPrice, decimals, quoteDecimals)), volume },
      ];
      ticks.set(mint, { list: list.slice(-MOST_TICKS), sqrtPrice: token.sqrtPrice, reserve: token.quoteReserve });
    }
  }

  chain.onChange(record);
  return {
    /** Returns a launched token, or null if no curve has the mint or a complete curve waits for its successor. */
    token: tradingToken,
    /** Returns the mint that a pool trades, by the address of the curve or the successor. */
    mintOf: (pool: string): string | null => [...listed].find(([, one]) => one.pool === pool || one.successor === pool)?.[0] ?? null,
    mints: (): readonly string[] => [...listed.keys()],
    /** Returns the most recent trades, oldest first. */
    ticks: (mint: string): readonly LaunchedTick[] => ticks.get(mint)?.list ?? [],
  };
}

const facts = ({ keys, decimals, quoteDecimals }: Listed) => ({ mint: keys.baseMint, keys, decimals, quoteDecimals });

/** Returns a swap only if it fills completely, like aggregators do. */
function whole(shape: CurveShape, sqrtPrice: bigint, numerator: bigint): LaunchedToken['swap'] {
  return (direction, amount) => {
    const done = swapIn(shape, sqrtPrice, direction, amount, { numerator, hasReferral: false });
    return done.left > 0n || done.amountOut <= 0n ? null : done;
  };
}

function onCurve(known: Listed, bytes: Uint8Array | null, terms: Uint8Array | null, now: bigint): LaunchedToken | null {
  const pool = bytes === null ? null : readVirtualPool(bytes);
  const config = terms === null ? null : readPoolConfig(terms);
  if (pool === null || config === null || pool.quoteReserve >= config.migrationQuoteThreshold) return null;
  const dynamic = storedDynamicFee(config);
  const stored = {
    lastUpdateAt: pool.lastUpdateAt,
    sqrtPriceReference: pool.sqrtPriceReference,
    accumulator: pool.volatilityAccumulator,
    reference: pool.volatilityReference,
  };
  const tracker = dynamic === null ? stored : referencesAt(stored, dynamic, pool.sqrtPrice, now);
  const numerator = totalFee(baseFeeAt(storedBaseFee(config), now, pool.activationPoint), dynamic, tracker.accumulator);
  const shape: CurveShape = {
    sqrtStartPrice: config.sqrtStartPrice,
    migrationSqrtPrice: config.migrationSqrtPrice,
    curve: readCurvePoints(config),
    collectFeeIn: config.collectFeeMode === 0 ? 'quote' : 'output',
  };
  const { sqrtPrice, baseReserve, quoteReserve } = pool;
  return {
    ...facts(known),
    venue: 'curve',
    pool: known.pool,
    sqrtPrice,
    baseReserve,
    quoteReserve,
    swap: whole(shape, sqrtPrice, numerator),
  };
}

function inSuccessor(known: Listed, bytes: Uint8Array | null, now: bigint): LaunchedToken | null {
  const pool = bytes === null ? null : readSuccessorPool(bytes);
  if (pool === null) return null;
  const { sqrtPrice, tokenAAmount: baseReserve, tokenBAmount: quoteReserve } = pool;
  const swap = whole(successorShape(pool), sqrtPrice, successorFee(pool, now).numerator);
  return { ...facts(known), venue: 'successor', pool: known.successor, sqrtPrice, baseReserve, quoteReserve, swap };
}
