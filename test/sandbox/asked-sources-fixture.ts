/** Virtual time over real sockets, for sources without prices. */

import type { Observable } from 'rxjs';
import { expect } from 'vitest';
import type { IntelligenceRecord } from '../../src/domain/intelligence/record.ts';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import { createVirtualClock, type VirtualClock } from '../../streams/clock/virtual-clock.ts';
import { OPENING, socketWatch } from './fault-fixture.ts';

export type Message = FeedMessage | IntelligenceRecord;

export interface SourceFixture {
  readonly clock: VirtualClock;
  receive(messages: Observable<Message>): Message[];
  pass(ms: number, stepMs?: number): Promise<void>;
  /** Returns the number of connections attempted so far. */
  dialled(): number;
  /** Advances virtual time until the answer arrives. */
  answer<Value>(asked: Promise<Value>, stepMs?: number): Promise<Value>;
}

/** Creates the fixture. `cleanups` receives what must be closed after the test. */
export function sourceFixture(cleanups: (() => unknown)[], at = OPENING): SourceFixture {
  const clock = createVirtualClock(at);
  const watch = socketWatch();
  cleanups.push(() => watch.close());
  async function step(to: number): Promise<void> {
    clock.advanceTo(to);
    await watch.settle();
  }
  return {
    clock,
    dialled: watch.dialled,
    receive(messages) {
      const received: Message[] = [];
      const subscription = messages.subscribe({
        next: (message) => void received.push(message),
        error: (error: unknown) => expect.unreachable(String(error)),
      });
      cleanups.push(() => subscription.unsubscribe());
      return received;
    },
    async pass(ms, stepMs = 250) {
      for (const end = clock.now() + ms; clock.now() < end; ) await step(Math.min(clock.now() + stepMs, end));
    },
    async answer(asked, stepMs = 250) {
      let over = false;
      const end = (): void => {
        over = true;
      };
      asked.then(end, end);
      await watch.settle();
      for (const late = clock.now() + 120_000; !over; await step(clock.now() + stepMs))
        if (clock.now() > late) throw new Error('no answer within two minutes');
      return asked;
    },
  };
}
