/** Quality rules in one pass per message, for bulk replay, where the live path's operators cost too much. */
import type { MonoTypeOperatorFunction } from 'rxjs';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import { carriedForwardRule } from '../operators/carried-forward.ts';
import { type ClockSkewOptions, clockSkewRule } from '../operators/clock-skew.ts';
import { crossedRule } from '../operators/crossed.ts';
import { degradedRule } from '../operators/degraded.ts';
import { gapRule } from '../operators/gap.ts';
import { outOfOrderRule } from '../operators/out-of-order.ts';
import { priceJumpRule } from '../operators/price-jump.ts';
import { type QualityRule, type RunRules, rulesOperator, runRules } from '../operators/rule.ts';

/** Returns the rules of `composedQuality` (`market-pipeline.ts`) in the same order. */
function rulesInOrder(options: ClockSkewOptions): readonly QualityRule[] {
  const makers = [clockSkewRule, outOfOrderRule, gapRule, crossedRule, degradedRule, carriedForwardRule, priceJumpRule];
  return makers.map((make) => make(options));
}

/**
 * Combines all rules: one look-up and at most one copy per message. Returns null if the message is dropped. Deterministic in the sequence
 * of messages, without a clock (`stale` adds the effects of time).
 */
export function createFusedQuality(options: ClockSkewOptions = {}): RunRules {
  return runRules(rulesInOrder(options), options);
}

/** Returns `createFusedQuality` as an operator. */
export function fusedQuality(options: ClockSkewOptions = {}): MonoTypeOperatorFunction<FeedMessage> {
  return rulesOperator(rulesInOrder(options), options);
}
