/**
 * A basis policy: buys a token at a discount that exceeds its costs, and exits on reversion, after a time or when the reference is lost.
 */
import type { Catalog } from '../catalog/catalog.ts';
import type { Problem } from '../values/field.ts';
import { buildTake, DEFAULT_LIFE_MS, DEFAULT_TIMEFRAME, type ReadTake } from '../take/read-take.ts';
import type { Take } from '../take/take.ts';
import type { EpochMs } from '../values/time.ts';

/** Limits set by an operator. Percentages are positive sizes of the discount. */
interface BasisPolicy {
  readonly symbol: string;
  readonly enterDiscountPct: number;
  readonly exitDiscountPct: number;
  readonly notionalUsd: string;
  readonly maxSlippageBps: number;
  readonly maxHoldHours: number;
  readonly expiresAt: EpochMs;
}

export const DEFAULT_POLICY_SLIPPAGE_BPS = 50;
export const DEFAULT_MAX_HOLD_HOURS = 72;
export { DEFAULT_LIFE_MS as DEFAULT_POLICY_LIFE_MS };

/** Turns the policy into a Take, which the same code evaluates. Adds all problems and refuses if there is one. */
export function policyTake(policy: BasisPolicy, world: { readonly catalog: Catalog; readonly now: EpochMs }): ReadTake {
  const entry = world.catalog.bySymbol(policy.symbol);
  const problems: Problem[] = [];
  if (entry !== undefined && entry.kind !== 'tokenized_equity') {
    problems.push({ path: '$.symbol', problem: `${policy.symbol} has no reference price`, allowed: 'a tokenized equity' });
  }
  if (!(policy.exitDiscountPct < policy.enterDiscountPct)) {
    problems.push({
      path: '$.exitDiscountPct',
      problem: 'must be smaller than the entry discount',
      allowed: `below ${policy.enterDiscountPct}`,
    });
  }
  if (problems.length > 0) return { ok: false, problems };
  return buildTake(
    {
      symbol: policy.symbol,
      entry: [
        { type: 'premium_below', pct: 0 - policy.enterDiscountPct },
        { type: 'net_edge_above', bps: 0, notionalUsd: policy.notionalUsd, transferFeeBps: entry?.token?.transferFeeBps ?? 0 },
      ],
      exit: [
        { type: 'premium_above', pct: 0 - policy.exitDiscountPct },
        { type: 'held_longer_than', hours: policy.maxHoldHours },
        { type: 'reference_lost' },
      ],
      allocationUsd: policy.notionalUsd,
      maxSlippageBps: policy.maxSlippageBps,
      timeframe: DEFAULT_TIMEFRAME,
      expiresAt: policy.expiresAt,
    },
    { ...world, origin: 'basis' },
  );
}

/** Returns the policy of a Take with origin `basis`. */
export function readPolicy(take: Take): Pick<BasisPolicy, 'enterDiscountPct' | 'exitDiscountPct' | 'notionalUsd' | 'maxHoldHours'> {
  const readNumber = (side: Take['entry'], type: string, field: string): number =>
    Number(side.find((one) => one.type === type)?.[field] ?? 0);
  return {
    enterDiscountPct: 0 - readNumber(take.entry, 'premium_below', 'pct'),
    exitDiscountPct: 0 - readNumber(take.exit, 'premium_above', 'pct'),
    notionalUsd: take.allocationUsd,
    maxHoldHours: readNumber(take.exit, 'held_longer_than', 'hours'),
  };
}
