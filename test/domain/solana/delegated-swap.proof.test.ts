// A million generated messages: none that moves value out of a delegated wallet other than the order's is passed for signing.
import { expect, test } from 'vitest';
import { assessedMessages } from './delegated-messages.ts';

const BATCH = 50_000;

test.each(Array.from({ length: 20 }, (_, index) => index + 1))(
  'batch %i of 50,000 messages',
  (batch) => {
    const { passed, hostile } = assessedMessages(BATCH, batch * 7_919);
    expect([passed > BATCH / 50, hostile > BATCH / 10]).toEqual([true, true]);
  },
  600_000,
);
