// Templates of signals turn a chart's alert into the fields of a proposal.
import { expect, test } from 'vitest';
import { type Alert, fillTemplate, type SignalTemplate } from '../../src/domain/outside/signal-template.ts';

const TEMPLATE = { side: '{{action}}', instrument: '{{ticker}}', notionalUsd: '{{size}}' };
const TICKERS = [{ ticker: 'BTCUSD', instrument: 'spotexchange:BTCUSDT' }];
const BUY = { side: 'buy', instrument: 'spotexchange:BTCUSDT', notionalUsd: '100.5' };

const fill = (alert: Alert, template: SignalTemplate = TEMPLATE) => {
  const filled = fillTemplate({ template, tickers: TICKERS }, alert);
  return filled.ok ? filled.value : filled.refusal.detail;
};

test.each<[string, Alert, SignalTemplate, unknown]>([
  ['fields of JSON', { json: { action: 'BUY', ticker: 'BTCUSD', size: 100.5 } }, TEMPLATE, BUY],
  ['a small number', { json: { action: 'BUY', ticker: 'BTCUSD', size: 0.00000025 } }, TEMPLATE, { ...BUY, notionalUsd: '0.00000025' }],
  [
    'fields within fields',
    { json: { strategy: { order: { action: 'sell' } } } },
    { side: '{{ strategy.order.action }}', instrument: 'BTCUSD', quantity: '1', reason: 'a {{strategy.order.action}} of the chart' },
    { side: 'sell', instrument: 'spotexchange:BTCUSDT', quantity: '1', reason: 'a sell of the chart' },
  ],
  ['words of plain text', { text: ' buy BTCUSD  100.5\n' }, { side: '{{1}}', instrument: '{{2}}', notionalUsd: '{{3}}' }, BUY],
  [
    'a ticker that nobody mapped',
    { json: { action: 'buy', ticker: 'X:Y', size: '1' } },
    TEMPLATE,
    { side: 'buy', instrument: 'X:Y', notionalUsd: '1' },
  ],
  [
    'a value that looks like a placeholder',
    { json: { action: '{{size}}', ticker: 'BTCUSD', size: 1 } },
    TEMPLATE,
    { ...BUY, side: '{{size}}', notionalUsd: '1' },
  ],
  [
    'a field that is missing',
    { json: { action: 'buy', size: '1' } },
    TEMPLATE,
    'the alert has no ticker, which instrument of the template names',
  ],
  [
    'an object where a value is named',
    { json: { action: {}, ticker: 'x', size: '1' } },
    TEMPLATE,
    'the alert has no action, which side of the template names',
  ],
  [
    'what every object inherits',
    { json: {} },
    { ...TEMPLATE, side: '{{constructor.name}}' },
    'the alert has no constructor.name, which side of the template names',
  ],
  ['words that are missing', { text: 'buy' }, { ...TEMPLATE, side: '{{2}}' }, 'the alert has no 2, which side of the template names'],
  ['a long value', { json: { action: 'b'.repeat(501), ticker: 'x', size: '1' } }, TEMPLATE, 'side would have 501 characters; at most 500'],
])('%s', (_, alert, template, expected) => {
  expect(fill(alert, template)).toEqual(expected);
});
