/** liquidity_above: the pools of a primary-chain token hold more than an amount of US dollars. */
import { decimalCondition } from './condition.ts';

export const LIQUIDITY_ABOVE = decimalCondition({
  type: 'liquidity_above',
  description: "The token's pools hold more than this liquidity.",
  direction: 'above',
  field: 'usd',
  fieldDescription: 'US dollars of both sides of the pools together; passes strictly above it.',
  live: 'none',
  inputs: ['pool'],
  kinds: ['tokenized_equity', 'pre_ipo', 'agent_token'],
  read: (observation) => observation.liquidityUsd,
});
