/** Replay sessions of the API under test, run by the service's own host and worker. */
import { expect } from 'vitest';
import { createLog } from '../../src/adapters/log/log.ts';
import { createCandleStore } from '../../src/adapters/store/candles/candle-store.ts';
import { createEvidenceWriter } from '../../src/adapters/store/gates/evidence-store.ts';
import { openEvaluations } from '../../src/boot/capabilities/evaluation.ts';
import { openSessionRunners } from '../../src/boot/wiring/evaluation-runners.ts';
import { sha256Hex } from '../../src/domain/values/canonical-json.ts';
import { createReplayHost, type ReplayHost } from '../../src/simulation/blind/replay-host.ts';
import type { BacktestResult } from '../../src/simulation/backtest/run.ts';
import { clockFrom } from '../harness/clock-from.ts';
import { waitFor } from '../harness/wait-for.ts';
import { draws, walk } from '../simulation/backtest/random-histories.ts';
import { actorsOn } from '../world/actor-world.ts';
import { type ApiUnderTest, newId, NOW, payload } from './api-under-test.ts';

const DAY = 86_400_000;
const TO = Date.UTC(2026, 2, 1);
export const BARS = 30;

export interface OpenedSession {
  readonly id: string;
  readonly sessionId: string;
  readonly url: string;
}

/** Stores 30 daily bars and starts serving sessions over them. Requests use the trader's `token`. */
export async function serveSessions(api: ApiUnderTest, token: string) {
  const { sql } = api;
  const fail = (error: unknown): void => void api.defects.push(error);
  const host = createReplayHost(api.clock, fail);
  const clock = clockFrom(NOW);
  const { runtime } = actorsOn(sql, clock, newId);
  const runners = openSessionRunners(
    { sql, databaseUrl: api.databaseUrl, histories: {}, archives: null, clock, log: createLog('silent') },
    { host, seedOf: (runId) => sha256Hex(`seed ${runId}`) },
  );
  const evaluations = openEvaluations({ sql, runtime, evidence: createEvidenceWriter(sql, newId), clock, newId });
  const of = { kind: 'candles', venue: 'spotexchange', instrument: 'BTCUSDT', timeframe: '24h', source: 'test', receivedAt: 1 } as const;
  await createCandleStore(sql).save({ ...of, candles: walk(draws(11), TO - BARS * DAY, DAY, BARS, 30_000) });
  const replays = api.ports as { replays: ReplayHost | null };
  replays.replays = host;
  const worker = evaluations.carrySessions(runners, 'worker-1', fail);
  const ask = (method: 'GET' | 'POST', url: string, body?: unknown) => api.call(method, url, { token, body });

  return {
    ask,

    /** Opens a session over all bars for a new agent with outside code. */
    async open(release: string): Promise<OpenedSession> {
      const { entryConditions: _entry, exitConditions: _exit, ...rules } = payload({ universe: ['BTCUSDT'], timeframe: '24h' });
      const agent = await ask('POST', '/v1/agents', { ...rules, maxSlippageBps: 500, strategy: 'external', release });
      const id = agent.body.id as string;
      const [from, to] = [TO - BARS * DAY, TO].map((at) => new Date(at).toISOString());
      const session = await ask('POST', `/v1/agents/${id}/replay-sessions`, { kind: 'backtest', from, to, look: true });
      expect([session.status, session.body.state], session.text).toEqual([202, 'queued']);
      return { id, sessionId: session.body.id, url: `/v1/agents/${id}/replay-sessions/${session.body.id}` };
    },

    /** Waits until the session has loaded its history and returns its first step. */
    firstStep: (url: string) =>
      waitFor(
        async () => {
          const shown = await ask('POST', `${url}/steps`, {});
          return shown.status === 200 && shown.body;
        },
        { what: 'the session shows its first step' },
      ),

    /** Returns the complete result of a session that finishes. */
    async resultOf({ id, sessionId, url }: OpenedSession) {
      const run = await waitFor(
        async () => {
          const { body } = await ask('GET', url);
          return body.endedAt !== null && body;
        },
        { what: 'the session ends' },
      );
      expect(run).toMatchObject({ state: 'finished', ending: null });
      return (await ask('GET', `/v1/agents/${id}/evaluations/${sessionId}`)).body.result as BacktestResult;
    },

    async stop(): Promise<void> {
      await worker.stop();
      await host.stop();
      replays.replays = null;
    },
  };
}
