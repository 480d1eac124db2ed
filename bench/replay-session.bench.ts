/**
 * Slots per second of a blind replay session on one connection, answered by the TypeScript client with a strategy that holds. The API and
 * the worker are separate processes, so each step passes over Redis; `--together` runs both in one. Five years of bars, 21 slots per
 * step. `node --import tsx bench/replay-session.bench.ts [--timeframe 4h] [--together]`
 */
import { cpus, loadavg } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createClient } from '../clients/typescript/src/index.ts';
import { runReplay } from '../clients/typescript/src/replay.ts';
import { type OwnDatabase, withDatabase } from './database.ts';
import { openService } from './role-processes.ts';
import { processSeconds } from './server-cost.ts';

const { values: given } = parseArgs({
  options: { timeframe: { type: 'string', default: '4h' }, together: { type: 'boolean', default: false } },
});

await withDatabase(measure);

async function measure(own: OwnDatabase): Promise<void> {
  const service = await openService(own);
  await service.start('sandbox');
  await service.start('feed');
  const api = await (given.together ? service.start('api', 'worker') : service.start('api'));
  const worker = given.together ? api : await service.start('worker');
  const token = service.token('market:read,agent:read,trade:execute', 'coder', 'replays');
  const client = createClient({ baseUrl: `http://127.0.0.1:${api.port}`, token });
  const { id } = await client.createAgent({
    body: {
      name: 'holds',
      strategy: 'external',
      release: '1',
      universe: ['BTCUSDT'],
      timeframe: given.timeframe,
      maxCapitalUsd: 1_000,
      maxTradeNotionalUsd: 200,
      stopLossPct: 4,
      takeProfitPct: 6,
      maxDailyDrawdownPct: 3,
      maxOpenPositions: 1,
      maxSlippageBps: 60,
    },
  });
  const session = { id, sessionId: (await client.openReplaySession({ id, body: { kind: 'backtest' } })).id };
  const isReady = (): Promise<boolean> =>
    client.answerReplayStep({ ...session, body: {} }).then(
      () => true,
      () => false,
    );
  while (!(await isReady())) await pause(500);
  const spent = (): readonly number[] => [api.pid, worker.pid, process.pid].map(processSeconds);
  const [began, before] = [performance.now(), spent()];
  let [slots, steps] = [0, 0];
  await runReplay({ answerReplayStep: (input) => (steps++, client.answerReplayStep(input)) }, session, () => () => {
    slots++;
    return null;
  });
  const seconds = (performance.now() - began) / 1_000;
  const [ofApi = 0, ofWorker = 0, ofClient = 0] = spent().map((total, place) => ((total - (before[place] as number)) / seconds) * 100);
  process.stdout.write(
    `${slots} slots of ${given.timeframe} in ${steps} steps, ${seconds.toFixed(1)} s: ${Math.round(slots / seconds)} slots a second, ` +
      `${((1_000 * seconds) / steps).toFixed(2)} ms a step (${given.together ? 'one process' : 'over Redis'}; load ${loadavg()[0]?.toFixed(1)} on ${cpus().length} processors; ` +
      `of one processor the API had ${ofApi.toFixed(0)} %, the worker ${ofWorker.toFixed(0)} %, the client ${ofClient.toFixed(0)} %)\n`,
  );
}
