/** Messages and their intents. Words that try to trigger an action choose nothing. */
import { describe, expect, it } from 'vitest';
import { CATALOG, type CatalogEntry } from '../../../src/domain/catalog/catalog.ts';
import { classify } from '../../../src/domain/copilot/classify.ts';
import { INJECTIONS } from './injections.ts';

const AAPL = CATALOG.bySymbol('AAPLx') as CatalogEntry;
const ID = '019a5b1e-7c00-7000-8000-000000000001';
const OTHER = '019a5b1e-7c00-7000-8000-000000000002';

describe('intents', () => {
  it.each([
    ['What is the price of AAPLx?', { intent: 'look_up', topic: 'price', entry: AAPL }],
    ['show me the discount of AAPLx', { intent: 'look_up', topic: 'price', entry: AAPL }],
    ['Which is the cheapest liquid equity against its reference?', { intent: 'rank', mode: 'deepest_discount', liquidOnly: true }],
    ['rank by highest premium', { intent: 'rank', mode: 'highest_premium', liquidOnly: false }],
    ['Which are the most liquid tokens?', { intent: 'rank', mode: 'liquidity', liquidOnly: false }],
    ['what has the most news?', { intent: 'rank', mode: 'event_intensity', liquidOnly: false }],
    ['rank the private markets by momentum', { intent: 'rank', privateMode: 'momentum' }],
    ['Which private market has the deepest discount to its mark?', { intent: 'rank', privateMode: 'deepest_discount' }],
    ['which pre-IPO token fits my portfolio best?', { intent: 'rank', privateMode: 'portfolio_fit' }],
    ['top pre-IPO tokens by gap', { intent: 'rank', privateMode: 'gap_to_mark' }],
    ['which private markets are in the news?', { intent: 'rank', privateMode: 'news_intensity' }],
    ['list the most liquid private markets', { intent: 'rank', privateMode: 'liquidity' }],
    ['show the private markets', { intent: 'out_of_scope', act: false }],
    ['any news on AAPLx?', { intent: 'look_up', topic: 'events', entry: AAPL }],
    ['What happened today?', { intent: 'look_up', topic: 'events', entry: null }],
    ['what is the funding of AAPLx', { intent: 'look_up', topic: 'funding', entry: AAPL }],
    ['Explain funding', { intent: 'look_up', topic: 'funding', entry: null }],
    ['what is the basis of AAPLx?', { intent: 'look_up', topic: 'basis', entry: AAPL }],
    ['best arbitrage', { intent: 'look_up', topic: 'basis', entry: null }],
    ['is the market open?', { intent: 'look_up', topic: 'session', entry: null }],
    ['when does the exchange close', { intent: 'look_up', topic: 'session', entry: null }],
    ['what is the macro regime', { intent: 'look_up', topic: 'macro', entry: null }],
    ['How much is the total value locked?', { intent: 'look_up', topic: 'chains', entry: null }],
    ['list my agents', { intent: 'look_up', topic: 'agents', entry: null }],
    ['why did my agent not trade?', { intent: 'look_up', topic: 'agents', entry: null }],
    ['pause all agents', { intent: 'out_of_scope', act: true }],
    ['sell everything', { intent: 'out_of_scope', act: true }],
    ['draft a take: buy AAPLx when the discount is over 2%', { intent: 'compile_take', thesis: 'buy AAPLx when the discount is over 2%' }],
    ['assess AAPLx', { intent: 'assess', entry: AAPL }],
    ['Give me the bull case for AAPLx', { intent: 'assess', entry: AAPL }],
    ['my portfolio', { intent: 'portfolio' }],
    ['How are my sectors?', { intent: 'portfolio' }],
    ['What if I put $500 into AAPLx?', { intent: 'impact', entry: AAPL, notionalUsd: '500' }],
    [`explain decision ${ID} of ${OTHER}`, { intent: 'explain', ids: [ID, OTHER] }],
    ['help', { intent: 'help' }],
    ['Buy AAPLx when the discount is over 2%', { intent: 'compile_take', thesis: 'Buy AAPLx when the discount is over 2%' }],
    ['Please buy AAPLx when the discount is over 2%', { intent: 'compile_take', thesis: 'buy AAPLx when the discount is over 2%' }],
    [
      'basis policy for AAPLx: enter at 2%, exit at 0.5%, with $500',
      {
        intent: 'compile_policy',
        entry: AAPL,
        enterDiscountPct: 2,
        exitDiscountPct: 0.5,
        notionalUsd: '500',
        understood: [
          { phrase: 'AAPLx', as: 'asset spotchain:AAPLx' },
          { phrase: 'enter at 2%', as: 'entry at a discount of 2%' },
          { phrase: 'exit at 0.5%', as: 'exit at a discount of 0.5%' },
          { phrase: 'amount', as: 'allocation of 500 USD' },
        ],
      },
    ],
    ['How is the weather?', { intent: 'out_of_scope', act: false }],
    [
      'basis policy for AAPLx: enter when the discount is over 2%, exit when the discount is under 0.5%, with $500',
      {
        intent: 'compile_policy',
        entry: AAPL,
        enterDiscountPct: 2,
        exitDiscountPct: 0.5,
        notionalUsd: '500',
        understood: [
          { phrase: 'AAPLx', as: 'asset spotchain:AAPLx' },
          { phrase: 'enter when the discount is over 2%', as: 'entry at a discount of 2%' },
          { phrase: 'exit when the discount is under 0.5%', as: 'exit at a discount of 0.5%' },
          { phrase: 'amount', as: 'allocation of 500 USD' },
        ],
      },
    ],
    ['Compare the price of AAPLx and TSLAx', { intent: 'out_of_scope', act: false }],
  ] as const)('%s', (message, expected) => {
    expect(classify(message, CATALOG, null)).toEqual(expected);
  });

  it.each([
    ['$1,000', '1000'],
    ['$1k', '1000'],
    ['$10k', '10000'],
    ['1.5k dollars', '1500'],
    ['five hundred dollars', '500'],
  ])('reads an amount as the thesis grammar does: %s', (amount, notionalUsd) => {
    expect(classify(`What if I put ${amount} into AAPLx?`, CATALOG, null)).toMatchObject({ intent: 'impact', notionalUsd });
    expect(classify(`basis policy for AAPLx: enter at 2%, exit at 0.5%, with ${amount}`, CATALOG, null)).toMatchObject({ notionalUsd });
  });

  it.each([
    'basis policy for AAPLx: do not enter at 2%, exit at 0.5%, with $500',
    'basis policy for AAPLx: enter at 2%, exit at 0.5%, with $1.000',
    'basis policy for AAPLx: enter at 2⁰%, exit at 0.5%, with $500',
    'basis policy for AAPLx: enter at 2%, enter at 3%, exit at 0.5%, with $500',
    'basis policy for AAPLx: enter when the discount is under 2%, exit at 0.5%, with $500',
    'basis policy for AAPLx: enter below 2%, exit at 0.5%, with $500',
    'basis policy for AAPLx: enter at 2%, exit when the discount is over 0.5%, with $500',
    'basis policy for AAPLx: enter at 2%, exit above 0.5%, with $500',
    'basis policy for AAPLx: enter at 2% premium, exit at 0.5%, with $500',
    'basis policy for AAPLx: enter at a 2% discount, exit at a premium of 0.5%, with $500',
  ])('drafts nothing from a negated or ambiguous message: %s', (message) => {
    expect(classify(message, CATALOG, null).intent).not.toBe('compile_policy');
  });

  it('resolves "it" from the conversation, and not without one', () => {
    expect(classify('assess it', CATALOG, AAPL)).toEqual({ intent: 'assess', entry: AAPL });
    expect(classify('assess it', CATALOG, null)).toEqual({ intent: 'out_of_scope', act: false });
  });

  it.each(INJECTIONS)('chooses nothing beyond reading: %s', (message) => {
    expect(['out_of_scope', 'look_up', 'rank', 'portfolio']).toContain(classify(message, CATALOG, AAPL).intent);
  });
});
