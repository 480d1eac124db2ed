// Agreement of outside code with its passed session: over the slots with a trade, within the disguise's rounding.
import { expect, test } from 'vitest';
import {
  type AnsweredTrade,
  agreementInWords,
  assessAgreement,
  isSameAnswer,
  OPENING_STEPS,
  findOpening,
} from '../../../src/domain/backtest/agreement.ts';

const BUY: AnsweredTrade = { side: 'buy', instrument: 'spotexchange:BTCUSDT', notionalUsd: '1000', quantity: null, limitPrice: null };

test.each<[string, AnsweredTrade | null, AnsweredTrade | null, boolean]>([
  ['nothing and nothing', null, null, true],
  ['a trade and nothing', BUY, null, false],
  ['nothing and a trade', null, BUY, false],
  ['the same trade', BUY, { ...BUY }, true],
  ['another side', BUY, { ...BUY, side: 'sell' }, false],
  ['another instrument', BUY, { ...BUY, instrument: 'spotexchange:ETHUSDT' }, false],
  ['a size within one percent', BUY, { ...BUY, notionalUsd: '1009.9' }, true],
  ['a size beyond one percent', BUY, { ...BUY, notionalUsd: '1010.1' }, false],
  ['a size of another kind', BUY, { ...BUY, notionalUsd: null, quantity: '1' }, false],
  ['a limit that was not there', BUY, { ...BUY, limitPrice: '9' }, false],
])('%s', (_, then, now, isSame) => expect(isSameAnswer(then, now)).toBe(isSame));

test('holding does not make up for missing trades', () => {
  expect(assessAgreement({ slots: 40_000, trades: 200, agreed: 198 })).toMatchObject({ agreementPct: 99, passed: true });
  const below = assessAgreement({ slots: 40_000, trades: 200, agreed: 197 });
  expect(below).toMatchObject({ agreementPct: 98.5, passed: false });
  expect(agreementInWords(below)).toMatch(
    /^197 of 200 slots with a trade were answered as in the session that passed \(98\.5\d* %\), less than 99 %: the code is not what passed\.$/,
  );
  expect(assessAgreement({ slots: 9, trades: 0, agreed: 0 })).toMatchObject({ agreementPct: null, passed: true });
});

test('the stored beginning ends with its 200th trade, and has all steps of code that trades less', () => {
  const often = Array.from({ length: 21 }, () => Array.from({ length: 50 }, (_, n) => [n, BUY] as const));
  const opening = findOpening(often);
  expect(opening.steps).toBe(10);
  expect(opening.paths.map((path) => path.length)).toEqual(Array.from({ length: 21 }, () => 10));
  expect(findOpening([[[3, BUY]], []])).toEqual({ steps: OPENING_STEPS, paths: [[[3, BUY]], []] });
});
