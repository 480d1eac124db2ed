// The README's way from a draft towards capital, word for word: five years and four scenarios, two weeks on paper and two days
// in shadow of the sandbox's market, up to limited_live, and what it holds closed by hand.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newHome, type Service, sevengate, startService } from './running-service.ts';

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const SECTION = /## From a draft towards capital[\s\S]*?```sh\n([\s\S]*?)```/.exec(README)?.[1] ?? '';
/** The function that the README asks with. */
const SG = /^sg\(\) .*$/m.exec(README)?.[0] ?? '';
/** What is typed in the second terminal, between the lines that tell to stop and to move on. */
const PARTS = SECTION.split(/^#.*npx sevengate sandbox advance.*$/m);
const MOVES = [...SECTION.matchAll(/npx sevengate (sandbox advance --days [\d.]+) && npm start/g)].map(([, words]) =>
  String(words).split(' '),
);

const home = newHome();
let service: Service;
beforeAll(async () => {
  service = await startService({ home, first: true });
});
afterAll(async () => service.discard());

function typed(script: string): string {
  const names = PARTS[0]?.split('\n').slice(0, 2).join('\n') ?? '';
  const before = `U=${service.url}\n${SG.replace('.sevengate/', `${home}/`)}\n${script.startsWith(names) ? '' : names}\n`;
  return execFileSync('bash', ['--norc', '-eu', '-c', before + script], { encoding: 'utf8', env: { ...process.env, AS: 'operator' } });
}

const agent = async (): Promise<{ readonly id: string; readonly stage: string; readonly paused: boolean }> =>
  (await service.get('/v1/agents')).body.items.find(({ name }: { name: string }) => name === 'Discount hunter');

async function movedOn(words: readonly string[]): Promise<void> {
  await service.stop();
  const moved = await sevengate([...words, '--json'], { SEVENGATE_HOME: home });
  expect(moved.code, moved.stderr).toBe(0);
  expect(JSON.parse(moved.stdout)).toMatchObject({ simulated: true });
  service = await startService({ home });
}

test('an agent climbs from draft to limited_live by what the README says', async () => {
  expect([PARTS.length, MOVES.length]).toEqual([3, 2]);
  typed(PARTS[0] as string);
  expect(await agent()).toMatchObject({ stage: 'paper' });

  await movedOn(MOVES[0] as string[]);
  expect(typed(PARTS[1] as string)).toMatch(
    /"progress":"day 14 of 14, 14 of 14 days with a price for everything held, 5 of 5 closed trades"/,
  );
  expect(await agent()).toMatchObject({ stage: 'shadow' });

  await movedOn(MOVES[1] as string[]);
  const [promoted, closed] = (PARTS[2] as string).trim().split('\n') as [string, string];
  typed(promoted);
  const { id, stage } = await agent();
  expect(stage).toBe('limited_live');
  typed(closed);
  const { body } = await service.get(`/v1/agents/${id}/evidence?limit=50`);
  expect(body.items.filter(({ simulated }: { simulated: boolean }) => simulated).map(({ kind }: { kind: string }) => kind)).toEqual(
    expect.arrayContaining(['paper', 'shadow']),
  );
  expect((await service.get(`/v1/agents/${id}/gates`)).body).toMatchObject({ stage: 'limited_live', simulated: true });

  const verified = await sevengate(['verify-trail', '--json'], { SEVENGATE_HOME: home });
  expect(JSON.parse(verified.stdout)).toMatchObject({ whole: true, breaks: [], simulatedSince: expect.stringMatching(/^20/) });
});
