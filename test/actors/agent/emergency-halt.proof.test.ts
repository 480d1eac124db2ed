// A halt is one row, however many agents there are: with 100,000 of them it answers at once, the first time and
// again while they are being paused.
import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/adapters/store/database.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { measured, percentile } from '../../harness/measured.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { actorsOn } from '../../world/actor-world.ts';
import { copyAgent } from './many-agents.ts';
import { sampleManifest } from './sample.ts';

const ORG = '00000000-0000-7000-8000-000000000001';
const AGENTS = 100_000;
const HALTS = 100;
/** Goal with 100,000 agents for the 99th percentile, in milliseconds. */
const PROMISED_MS = 250;
const context = { orgId: ORG, subject: 'ann', permissions: ['trade:execute', 'risk:manage'], requestId: 'r' } as const;

test(`${AGENTS} agents: ${HALTS} halts in sequence are durable and answered in time`, async () => {
  // The owner has no statement timeout: one statement writes more rows than the service's may.
  const url = await testDatabase();
  const owner = openDatabase({ url, role: null, connections: 1, name: 'test owner' });
  const sql = openDatabase({ url, name: 'test' });
  await owner`insert into organizations (id, name) values (${ORG}, 'ours')`;
  const { commands } = actorsOn(sql, createLiveClock());
  await commands.create(context, sampleManifest());
  await copyAgent(owner, AGENTS);
  await owner`analyze`;
  const took: number[] = [];
  for (let n = 1; n <= HALTS; n++) {
    const began = performance.now();
    const halted = await commands.emergencyHalt(context);
    took.push(performance.now() - began);
    if (!halted.ok) throw new Error(halted.refusal.detail);
    expect(halted.value.epoch).toBe(n);
    expect(await owner`select epoch::int as epoch from control where org_id = ${ORG}`).toEqual([{ epoch: n }]);
    expect(halted.value.pausing + halted.value.paused.length).toBeGreaterThan(0);
  }
  console.info(`first to last of ${HALTS} halts: ${took.map((ms) => Math.round(ms)).join(' ')} ms`);
  measured(`a halt of ${AGENTS} agents, 99 in 100`, percentile(took, 0.99), PROMISED_MS);
  await Promise.all([sql.end({ timeout: 1 }), owner.end({ timeout: 1 })]);
});
