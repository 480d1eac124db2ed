/** Agents that trade in every slot, for journeys that need load. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Service } from './running-service.ts';

/** Manifest that buys at one slot and sells at the next, at any price. */
const manifest = (name: string) => ({
  name,
  universe: ['BTCUSDT'],
  timeframe: '1m',
  entryConditions: [{ type: 'price_above', price: '1' }],
  exitConditions: [{ type: 'price_above', price: '1' }],
  maxCapitalUsd: 1_000,
  maxTradeNotionalUsd: 50,
  stopLossPct: 50,
  takeProfitPct: 50,
  maxDailyDrawdownPct: 50,
  maxOpenPositions: 1,
  maxSlippageBps: 300,
  algorithm: 'taker_immediate',
});

/** Creates agents that trade autonomously, as fast as the API's limits allow. Returns their ids. */
export async function tradingAgents({ ask }: Service, name: string, count: number): Promise<string[]> {
  const patient = async (path: string, body: unknown, as: string) => {
    const headers = { 'idempotency-key': randomUUID() };
    for (;;) {
      // An idle connection may be closed just as it is used: the request is repeated with the same key.
      const answer = await ask('POST', path, { as, body, headers }).catch((error: Error) =>
        error instanceof TypeError ? null : Promise.reject(error),
      );
      if (answer === null) continue;
      if (answer.status < 300) return answer.body;
      expect([answer.status, answer.text]).toEqual([429, expect.anything()]);
      await pause(1_000 * Number(answer.headers.get('retry-after') ?? 1));
    }
  };
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const { id } = await patient('/v1/agents', manifest(`${name} ${index}`), 'operator');
    await patient(`/v1/agents/${id}/autonomy`, { autonomy: 'policy_auto' }, 'risk-manager');
    ids.push(id);
  }
  return ids;
}
