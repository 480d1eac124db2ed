/**
 * Backtests the outside duplicate of Discount hunter in a blind replay session. Arguments: agent id, token file, days (default: the gate's
 * five years).
 */
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { createClient } from '../clients/typescript/src/index.ts';
import { localService } from '../clients/typescript/src/local.ts';
import { runReplay } from '../clients/typescript/src/replay.ts';
import { hunt } from './hunt.ts';

const [id = '', tokenFile = '', days] = process.argv.slice(2);
const api = createClient({ baseUrl: localService().baseUrl, token: readFileSync(tokenFile, 'utf8').trim() });

const look = days === undefined ? {} : { from: new Date(Date.now() - Number(days) * 86_400_000).toISOString(), look: true };
const opened = await api.openReplaySession({ id, body: { kind: 'backtest', ...look } });
const session = { id, sessionId: opened.id };
// The session loads its history first and answers `unavailable` until then.
const isReady = async (): Promise<boolean> => {
  try {
    await api.answerReplayStep({ ...session, body: {} });
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== 'unavailable') throw error;
    return false;
  }
};
while (!(await isReady())) await setTimeout(500);
await runReplay(api, session, () => hunt);
let run = opened;
while (run.endedAt === null) {
  await setTimeout(500);
  run = await api.getReplaySession(session);
}
const { closedTrades, returnPct, verdict } = (run.summary ?? {}) as Record<string, number | string>;
console.log(
  run.ending === null
    ? `${closedTrades} trades, return ${Number(returnPct).toFixed(2)} %. ${verdict}`
    : `${run.ending.code}: ${run.ending.detail}`,
);
