/**
 * Searches the largest trade whose cost stays within a slippage budget: growing sizes, then bisection, within a request budget. A
 * generator, so that the same search runs on a pool formula at once or on an aggregator's quotes one by one.
 */
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';

/** Next question of the search: the cost of a trade of this many US dollars. */
interface DepthQuestion {
  readonly sizeUsd: DecimalString;
}

/** Effective price of a size over that of the smallest size, in basis points, or null if there is no route. */
export type DepthAnswer = number | null;

interface DepthFound {
  /** Largest tried size up to which every size stays within the budget, or null if the smallest does not. */
  readonly maxUsd: DecimalString | null;
  /** Cost at that size in basis points. */
  readonly costBps: number | null;
  readonly requests: number;
  /** Reason why the search ended: the slippage budget, the request budget, no route, or the largest size. */
  readonly bound: 'slippage' | 'requests' | 'no_route' | 'largest_size';
}

interface DepthLimits {
  readonly budgetBps: number;
  readonly smallestUsd: DecimalString;
  readonly largestUsd: DecimalString;
  /** Maximum number of sizes to query. */
  readonly maxRequests: number;
}

/** Default limits. The smallest size is the baseline. The impact that an aggregator reports is not used. */
export const DEFAULT_DEPTH_LIMITS: Omit<DepthLimits, 'budgetBps'> = { smallestUsd: '100', largestUsd: '100000000', maxRequests: 14 };

/** Factor between growing sizes. */
const GROWTH = 4;
/** Relative distance of the bounds at which bisection ends. */
const PRECISION = 0.02;

/**
 * Yields questions, receives answers, and returns the result. A size that fails bounds all larger ones, because routers are not monotonic.
 */
export function* searchDepth(limits: DepthLimits): Generator<DepthQuestion, DepthFound, DepthAnswer> {
  const largest = new Decimal(limits.largestUsd);
  let requests = 0;
  let good: { size: Decimal; cost: number } | null = null;
  let bad: Decimal | null = null;
  let noRoute = false;
  let size = new Decimal(limits.smallestUsd);
  while (requests < limits.maxRequests) {
    const cost: DepthAnswer = yield { sizeUsd: plainDecimal(size) };
    requests += 1;
    if (cost === null || cost > limits.budgetBps) {
      noRoute = cost === null;
      bad = size;
    } else good = { size, cost };
    if (good === null) break;
    if (bad === null) {
      if (size.gte(largest)) return found(good, requests, 'largest_size');
      size = Decimal.min(size.times(GROWTH), largest);
    } else {
      if (bad.minus(good.size).lte(good.size.times(PRECISION))) break;
      // About the geometric mean, in whole cents. It only determines the next size to ask about.
      size = new Decimal(Math.sqrt(bad.toNumber() * good.size.toNumber()).toFixed(2));
    }
  }
  const bound =
    bad === null || (requests >= limits.maxRequests && good !== null && bad.minus(good.size).gt(good.size.times(PRECISION)))
      ? 'requests'
      : noRoute
        ? 'no_route'
        : 'slippage';
  return found(good, requests, bound);
}

function found(good: { size: Decimal; cost: number } | null, requests: number, bound: DepthFound['bound']): DepthFound {
  return { maxUsd: good === null ? null : plainDecimal(good.size), costBps: good?.cost ?? null, requests, bound };
}

/** Runs the search on a cost function. */
export function findDepth(costBps: (sizeUsd: DecimalString) => DepthAnswer, limits: DepthLimits): DepthFound {
  const search = searchDepth(limits);
  let step = search.next();
  while (!step.done) step = search.next(costBps(step.value.sizeUsd));
  return step.value;
}
