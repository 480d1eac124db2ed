/** Compares the risk function with the oracle, and checks its suggestions. */

import { Decimal, plainDecimal } from '../../../src/domain/values/decimal.ts';
import { findMarketStep } from '../../../src/domain/market/market-step.ts';
import { resized } from '../../../src/domain/orders/order.ts';
import { assessOrder } from '../../../src/domain/risk/index.ts';
import { oracleBreaches } from './oracle.ts';
import type { RiskCase } from './random-cases.ts';

/** Returns the difference between the product and the oracle on a case; null if they agree. */
export function difference({ order, context }: RiskCase): string | null {
  const verdict = assessOrder(order, context);
  const expected = oracleBreaches(order, context);
  const found = verdict.attribution.rejections;
  const codes = found.map(({ code }) => code).join(' ');
  const expectedCodes = expected.map(({ code }) => code).join(' ');
  if (codes !== expectedCodes) return `codes [${codes}] instead of [${expectedCodes}]`;
  if (verdict.ok !== (expected.length === 0)) return `ok is ${verdict.ok} for ${expected.length} breaches`;
  for (const [index, { code, ...numbers }] of expected.entries()) {
    const rejection = found[index];
    for (const field of ['limit', 'before', 'after'] as const) {
      if (numbers[field] !== null && rejection?.[field] !== numbers[field])
        return `${code}: ${field} ${rejection?.[field]} instead of ${numbers[field]}`;
    }
  }
  return null;
}

/** Breaches that a smaller quantity resolves. */
const BY_SIZE = new Set([
  'position_weight_breach',
  'duplicate_underlying_breach',
  'pool_liquidity_breach',
  'notional_limit_breach',
  'capital_limit_breach',
  'insufficient_balance',
  'leverage_breach',
]);

/**
 * Returns the broken promise of a case's suggestions, or null. At the suggested quantity the code is gone, and one lot more brings it
 * back. If capacity must become free, not even one lot passes. At the headroom the order passes, and one lot more fails.
 */
export function brokenPromise({ order, context }: RiskCase): string | null {
  const { lot } = findMarketStep(order.instrument);
  const { rejections, headroom } = assessOrder(order, context).attribution;
  const codesAt = (quantity: string): string[] =>
    assessOrder(resized(order, quantity), context).attribution.rejections.map(({ code }) => code);
  const more = (quantity: string): string => plainDecimal(new Decimal(quantity).plus(lot));
  for (const { code, change } of rejections) {
    const bySize = BY_SIZE.has(code) || (code === 'reduce_only' && order.side === 'sell');
    if (change?.kind === 'quantity') {
      if (codesAt(change.quantity).includes(code)) return `${code} at the suggested ${change.quantity}`;
      if (!codesAt(more(change.quantity)).includes(code)) return `no ${code} at one lot more than ${change.quantity}`;
    } else if (change?.kind === 'free_capacity' || (bySize && change === null)) {
      if (!codesAt(lot).includes(code)) return `${code} asks for capacity, but one lot passes`;
    } else if (change?.kind === 'limit_price') {
      const { tick } = findMarketStep(order.instrument);
      const at = (limitPrice: string): boolean =>
        assessOrder(resized({ ...order, limitPrice }, order.quantity), context).attribution.rejections.some((each) => each.code === code);
      const worse = plainDecimal(new Decimal(change.limitPrice).plus(order.side === 'buy' ? tick : `-${tick}`));
      if (at(change.limitPrice)) return `${code} at the suggested price ${change.limitPrice}`;
      if (new Decimal(worse).gt(0) && !at(worse)) return `no ${code} at ${worse}, beyond the suggested price`;
    } else if (bySize && change?.kind !== 'wait_for') return `${code} suggests nothing`;
  }
  if (headroom === undefined) return 'no headroom is told';
  if (headroom.quantity === '0') return codesAt(lot).length === 0 ? 'there is no headroom, but one lot passes' : null;
  if (codesAt(headroom.quantity).length > 0) return `the headroom of ${headroom.quantity} does not pass`;
  return codesAt(more(headroom.quantity)).includes(headroom.code) ? null : `one lot beyond the headroom breaches no ${headroom.code}`;
}
