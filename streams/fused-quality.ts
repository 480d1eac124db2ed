/** The quality rules in one pass over each message: for bulk replay, if the operators of the live path cost too much. */
import type { MonoTypeOperatorFunction } from 'rxjs';
import type { FeedMessage } from '../src/domain/market/market-event.ts';
import { carriedForwardRule } from './operators/carried-forward.ts';
import { type ClockSkewOptions, clockSkewRule } from './operators/clock-skew.ts';
import { crossedRule } from './operators/crossed.ts';
import { degradedRule } from './operators/degraded.ts';
import { gapRule } from './operators/gap.ts';
import { outOfOrderRule } from './operators/out-of-order.ts';
import { priceJumpRule } from './operators/price-jump.ts';
import { type QualityRule, type RunRules, rulesOperator, runRules } from './operators/rule.ts';

/** The rules of `composedQuality` (`market-pipeline.ts`) in the same order. */
function rulesInOrder(options: ClockSkewOptions): readonly QualityRule[] {
  const makers = [clockSkewRule, outOfOrderRule, gapRule, crossedRule, degradedRule, carriedForwardRule, priceJumpRule];
  return makers.map((make) => make(options));
}

/**
 * All rules as one: one look-up per quote, and one copy at most. Returns null if the message is dropped.
 * Deterministic in the sequence of messages; knows no clock (`stale` adds what time does).
 */
export function createFusedQuality(options: ClockSkewOptions = {}): RunRules {
  return runRules(rulesInOrder(options), options);
}

/** `createFusedQuality` as an operator. */
export function fusedQuality(options: ClockSkewOptions = {}): MonoTypeOperatorFunction<FeedMessage> {
  return rulesOperator(rulesInOrder(options), options);
}
