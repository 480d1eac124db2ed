// Subscriptions of the terminal over its one connection, as pages open and close.
import { expect, test } from 'vitest';

interface Subscriptions {
  take(message: object): void;
  subscribe(subscriber: { readonly channel: string; readonly begin?: () => void; readonly receive: () => void }): () => void;
}
/** Module of the pages, whose types are in comments that this type check does not read. */
const { Subscriptions }: { Subscriptions: new (send: (operation: object) => void) => Subscriptions } = await import(
  new URL('../../web/subscriptions.js', import.meta.url).href
);

const AT = '2026-03-02T14:31:00.000Z';
const update = (cursor: string) => ({ type: 'update', channel: 'proposals', at: AT, seq: 1, cursor, data: { state: 'filled' } });
const acknowledged = (id: number, cursor: string) => ({ type: 'subscribed', id, channel: 'proposals', at: AT, seq: 0, cursor });

test('messages still in flight for the previous page start nothing on the next one', () => {
  const sent: { op: string; id: number; from?: string }[] = [];
  const subscriptions = new Subscriptions((operation: object) => void sent.push(operation as never));
  const leave = subscriptions.subscribe({ channel: 'proposals', receive: () => {} });
  subscriptions.take(acknowledged(1, '5.1'));
  leave();
  const told: string[] = [];
  subscriptions.subscribe({ channel: 'proposals', begin: () => told.push('begin'), receive: () => told.push('update') });
  expect(sent.map(({ op, id, from }) => [op, id, from])).toEqual([
    ['subscribe', 1, undefined],
    ['unsubscribe', 1, undefined],
    ['subscribe', 2, undefined],
  ]);
  subscriptions.take(update('6.1'));
  expect(told).toEqual([]);
  subscriptions.take(acknowledged(2, '6.1'));
  subscriptions.take(update('7.1'));
  expect(told).toEqual(['begin', 'update']);
});
