/** Cost of exiting a position that trades in a pool: its share of the pool, and the part that can be sold within the slippage budget. */
import type { PoolLiquidity } from '../risk/order-context.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import { isoTime } from '../values/time.ts';
import type { InstrumentKey } from '../market/venue.ts';
import type { PortfolioPosition } from './positions.ts';
import { MANDATE_INPUT, poolInputId } from './input-trace.ts';

/** Percentage of its pool's liquidity above which a position takes the exit haircut. */
export const LARGE_POSITION_PCT = 5;

/** Part of the mandate that pools are compared with. */
interface ExitMandate {
  readonly maxPoolSharePct: number;
  readonly maxSlippageBps: number;
}

/** Whole position of an organization in one pooled instrument, and its pool. */
export interface PoolExit {
  readonly instrument: InstrumentKey;
  readonly quantity: DecimalString;
  readonly positionUsd: DecimalString;
  /** Null if unknown. */
  readonly liquidityUsd: DecimalString | null;
  /** position / liquidity x 100, a ratio. */
  readonly sharePct: number | null;
  /** 5 % of the liquidity. */
  readonly largeAboveUsd: DecimalString | null;
  /** True if the position is strictly larger, or if that is unknown. */
  readonly large: boolean;
  readonly why: string;
  readonly limitSharePct: number;
  readonly exceedsLimit: boolean;
  readonly slippageBudgetBps: number;
  /** Slippage of selling the whole position, below its mark, in basis points, in a constant-product pool. */
  readonly exitSlippageBps: number | null;
  /** Maximum sale within the budget, valued at the mark and rounded down to a millionth. */
  readonly exitableUsd: DecimalString | null;
  readonly exitablePct: number | null;
  readonly inputs: readonly string[];
}

/** True for an instrument that trades in pools rather than on an order book. */
export function isPooled(instrument: InstrumentKey | null): instrument is InstrumentKey {
  return instrument?.startsWith('spotchain:') === true;
}

/** Returns pooled positions with a price, over all places. All of a position exits through one pool, wherever it is held. */
export function estimatePoolExits(
  holdings: readonly PortfolioPosition[],
  pools: ReadonlyMap<InstrumentKey, PoolLiquidity>,
  mandate: ExitMandate,
): readonly PoolExit[] {
  const positions = new Map<InstrumentKey, PortfolioPosition[]>();
  for (const holding of holdings) {
    if (!isPooled(holding.instrument) || holding.valueUsd === null) continue;
    const same = positions.get(holding.instrument) ?? [];
    same.push(holding);
    positions.set(holding.instrument, same);
  }
  return [...positions].map(([instrument, held]) => estimateExit(instrument, held, pools.get(instrument) ?? null, mandate));
}

function estimateExit(
  instrument: InstrumentKey,
  held: readonly PortfolioPosition[],
  pool: PoolLiquidity | null,
  mandate: ExitMandate,
): PoolExit {
  const sum = (amounts: readonly (DecimalString | null)[]): Decimal => amounts.reduce((all, each) => all.plus(each ?? '0'), new Decimal(0));
  const position = sum(held.map(({ valueUsd }) => valueUsd));
  const shared = {
    instrument,
    quantity: plainDecimal(sum(held.map(({ quantity }) => quantity))),
    positionUsd: plainDecimal(position),
    limitSharePct: mandate.maxPoolSharePct,
    slippageBudgetBps: mandate.maxSlippageBps,
    inputs: [...held.map(({ id }) => id), MANDATE_INPUT, poolInputId(instrument)],
  };
  if (pool === null) {
    const unknown = {
      liquidityUsd: null,
      sharePct: null,
      largeAboveUsd: null,
      exitSlippageBps: null,
      exitableUsd: null,
      exitablePct: null,
    };
    return {
      ...shared,
      ...unknown,
      large: true,
      exceedsLimit: true,
      why: 'its pool liquidity is unknown now, so the position counts as too large',
    };
  }
  const liquidity = new Decimal(pool.liquidityUsd);
  const large = position.times(100).gt(liquidity.times(LARGE_POSITION_PCT));
  const exitable = Decimal.min(position, sellableWithin(liquidity, mandate.maxSlippageBps)).toDecimalPlaces(6, Decimal.ROUND_FLOOR);
  const ofPosition = (amount: Decimal): number => (position.gt(0) ? amount.times(100).div(position).toDecimalPlaces(8).toNumber() : 100);
  return {
    ...shared,
    liquidityUsd: plainDecimal(liquidity),
    sharePct: liquidity.gt(0) ? position.times(100).div(liquidity).toDecimalPlaces(8).toNumber() : null,
    largeAboveUsd: plainDecimal(liquidity.times(LARGE_POSITION_PCT).div(100)),
    large,
    why: `the position is ${large ? 'larger than' : 'at most'} ${LARGE_POSITION_PCT} % of the pool liquidity at ${isoTime(pool.observedAt)}`,
    exceedsLimit: position.times(100).gt(liquidity.times(plainDecimal(mandate.maxPoolSharePct))),
    exitSlippageBps: exitSlippage(position, liquidity),
    exitableUsd: plainDecimal(exitable),
    exitablePct: ofPosition(exitable),
  };
}

/**
 * Returns the slippage of a sale. Selling N into one side U of a constant-product pool brings N x U / (U + N), which is N / (U + N) below
 * the mark.
 */
function exitSlippage(position: Decimal, liquidity: Decimal): number {
  const oneSide = liquidity.div(2);
  const depth = oneSide.plus(position);
  return depth.gt(0) ? position.times(10_000).div(depth).toDecimalPlaces(4).toNumber() : 10_000;
}

/** Returns the notional whose slippage equals the budget: U x b / (1 - b). A budget of 100 % allows everything. */
function sellableWithin(liquidity: Decimal, budgetBps: number): Decimal {
  const budget = new Decimal(budgetBps);
  if (budget.gte(10_000)) return new Decimal(Number.POSITIVE_INFINITY);
  return liquidity.div(2).times(budget).div(new Decimal(10_000).minus(budget));
}
