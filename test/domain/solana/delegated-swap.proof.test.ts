// A million generated messages: none that moves value out of a delegated wallet except by the order is passed for signing.
import { afterAll, expect, test } from 'vitest';
import { assessedMessages } from './delegated-messages.ts';

const BATCH = 50_000;
const BATCHES = 20;
const all = { passed: 0, hostile: 0, short: 0 };

afterAll(() => console.log(`${BATCH * BATCHES} messages, seeds of 7919 to ${BATCHES * 7_919}: ${JSON.stringify(all)}`));

test.each(Array.from({ length: BATCHES }, (_, index) => index + 1))('batch %i of 50,000 messages', (batch) => {
  const { passed, hostile, short } = assessedMessages(BATCH, batch * 7_919);
  all.passed += passed;
  all.hostile += hostile;
  all.short += short;
  expect(passed + hostile + short).toBe(BATCH);
  expect([passed > BATCH / 50, hostile > BATCH / 10]).toEqual([true, true]);
});
