// A service with a heap of 200 MB runs five-year backtests of every agent at once, and still answers and decides.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../harness/wait-for.ts';
import { nextSlot, type Service, startService } from './running-service.ts';

const HEAP_MB = 200;
/** Timeout for backtests of five years on two shared cores. */
const RUNS_MS = 600_000;
const FIVE_YEARS_DAYS = 5 * 365;

let service: Service;
beforeAll(async () => {
  service = await startService({ first: true, env: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` } });
});
afterAll(async () => service.discard());

/** Returns the process's peak memory in megabytes: its heap, those of its threads, and native memory. */
const peakMb = (): number => Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1024;

/** Starts a backtest of each agent at the same time. */
async function beginAll(agents: readonly { readonly id: string }[]): Promise<{ readonly agentId: string; readonly runId: string }[]> {
  return Promise.all(
    agents.map(async ({ id }) => {
      const { status, text, body } = await service.post(`/v1/agents/${id}/backtest`);
      expect(status, text).toBe(202);
      return { agentId: id, runId: body.id };
    }),
  );
}

test(`a service with a heap of ${HEAP_MB} MB completes every five-year backtest, and answers and decides meanwhile`, async () => {
  const agents = (await service.get('/v1/agents')).body.items as { readonly id: string; readonly name: string }[];
  expect(agents.length).toBeGreaterThanOrEqual(3);
  const slot = nextSlot(0);
  const asked = await beginAll(agents);
  const answers: number[] = [];
  const runs = await waitFor(
    async () => {
      answers.push((await service.get('/healthz', null)).status, (await service.get('/readyz', null)).status);
      const found = await Promise.all(
        asked.map(async ({ agentId, runId }) => (await service.get(`/v1/agents/${agentId}/evaluations/${runId}`)).body),
      );
      return found.every(({ endedAt }) => endedAt !== null) ? found : null;
    },
    { what: 'every backtest ends', deadlineMs: RUNS_MS },
  );
  for (const { state, ending, result, attempts } of runs) {
    expect({ state, ending, attempts }).toEqual({ state: 'finished', ending: null, attempts: 1 });
    expect(result.daily.length).toBeGreaterThan(FIVE_YEARS_DAYS);
  }
  expect(new Set(answers)).toEqual(new Set([200]));
  await waitFor(
    async () => {
      const decided = await Promise.all(agents.map(({ id }) => service.get(`/v1/agents/${id}/decisions?limit=1`)));
      return decided.every(({ body }) => Date.parse(body.items[0]?.slot) >= slot);
    },
    { what: 'every agent decides in a slot after the backtests were asked for', deadlineMs: 150_000 },
  );
  expect(service.log().filter(({ level }) => level >= 50)).toEqual([]);
  expect(service.stderr()).not.toMatch(/heap|ERR_WORKER_OUT_OF_MEMORY/);
  console.log(`${runs.length} backtests of five years with a heap of ${HEAP_MB} MB: ${Math.round(peakMb())} MB at most in the process`);
});
