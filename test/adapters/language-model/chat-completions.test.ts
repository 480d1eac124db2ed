// Endpoint of a language model over a socket: it returns a JSON object or the reason of a failure, bounded in time and size.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ChatCompletions, createChatCompletions, MODEL_TIMEOUT_MS } from '../../../src/adapters/language-model/chat-completions.ts';
import { createModelPorts } from '../../../src/adapters/language-model/model-ports.ts';
import type { Assessment } from '../../../src/domain/assessment/assess-stock.ts';
import { checkPhrasing } from '../../../src/domain/assessment/check-phrasing.ts';
import { checkRewording } from '../../../src/domain/copilot/check-rewording.ts';
import { createModelScript, createModelSimulator, MODEL_COURSES, type ModelScript } from '../../../src/sandbox/language-model/simulator.ts';
import type { HttpSimulator } from '../../../src/sandbox/reference/http-simulator.ts';
import { createVirtualClock, type VirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { INJECTIONS } from '../../domain/copilot/injections.ts';
import { waitFor } from '../../harness/wait-for.ts';

let clock: VirtualClock;
let simulator: HttpSimulator;
let script: ModelScript;
let client: ChatCompletions;
beforeEach(async () => {
  clock = createVirtualClock(1_770_000_000_000);
  script = createModelScript();
  simulator = await createModelSimulator({ clock, key: 'k', port: 0, script });
  client = open('k');
});
afterEach(async () => {
  client.close();
  await simulator.close();
});

const open = (key: string | null, baseUrl = `${simulator.url}/v1`): ChatCompletions =>
  createChatCompletions({ baseUrl, model: 'm-1', key, clock });

const ASSESSMENT: Assessment = {
  symbol: 'AAPLx',
  at: 1,
  bull: [
    { id: 'bull.1', text: 'AAPLx trades 2% below its reference price of 102.', sources: ['quote:1', 'reference:1'] },
    { id: 'bull.2', text: 'Pools hold 250000 USD.', sources: ['pool:1'] },
  ],
  bear: [],
  valuation: { claims: [] } as never,
  catalysts: [
    { id: 'catalysts.1', text: `wire (unconfirmed): "${(INJECTIONS[0] as string).replaceAll('"', "'")}".`, sources: ['news:1'] } as never,
  ],
  thin: [],
  sources: [],
};

test('a faithful model rephrases and reorders, and its text passes the check', async () => {
  const asked = await createModelPorts(client).phrasing.phrase(ASSESSMENT);
  if (!asked.ok) throw new Error(asked.why);
  const checked = checkPhrasing(ASSESSMENT, asked.answer);
  expect(checked).toMatchObject({ ok: true, assessment: { bull: [{ id: 'bull.2' }, { id: 'bull.1' }] } });
  const reworded = await createModelPorts(client).rewording.reword('tell me something about TSLAx, friend');
  expect(reworded).toEqual({ ok: true, answer: { message: 'What is the price of TSLAx?' } });
});

test.each(MODEL_COURSES.filter((course) => course !== 'faithful'))('a model that %s does not change an assessment', async (course) => {
  script.course = course;
  const asked = await createModelPorts(client).phrasing.phrase(ASSESSMENT);
  if (course === 'chats') expect(asked).toEqual({ ok: false, why: 'no JSON' });
  else if (course === 'empty') expect(asked).toEqual({ ok: false, why: 'no completion' });
  else expect(asked.ok && checkPhrasing(ASSESSMENT, asked.answer)).toMatchObject({ ok: false });
});

test('a slow, missing, broken or endless endpoint is reported in one phrase, without an address or a key', async () => {
  const { rewording } = createModelPorts(client);
  const why = async (): Promise<string> => {
    const asked = await rewording.reword('hello');
    return asked.ok ? 'answered' : asked.why;
  };
  simulator.faults.set({ status5xx: 1 });
  expect(await why()).toBe('http_503');
  simulator.faults.reset();
  simulator.faults.set({ bigFrame: 1 });
  expect(await why()).toBe('answer_too_large');
  simulator.faults.reset();
  simulator.faults.set({ garbage: 1 });
  expect(await why()).toBe('no completion');
  simulator.faults.reset();
  simulator.faults.set({ freeze: true });
  const waiting = why();
  await waitFor(() => clock.nextAt() !== null, { what: 'the deadline of the request', deadlineMs: 5_000 });
  clock.advanceTo(clock.now() + MODEL_TIMEOUT_MS);
  expect(await waiting).toBe('timeout');
  simulator.faults.reset();
  const stranger = open('wrong');
  expect(await stranger.complete('x', {})).toEqual({ ok: false, why: 'http_401' });
  stranger.close();
  const away = open('k', 'http://127.0.0.1:1/v1');
  expect(await away.complete('x', {})).toEqual({ ok: false, why: 'connection_failed' });
  away.close();
});

test('a text that is too long is not sent, and at most four requests wait', async () => {
  expect(await client.complete('x', 'y'.repeat(60_000))).toEqual({ ok: false, why: 'the request is too large' });
  expect(simulator.requests.size).toBe(0);
  simulator.faults.set({ freeze: true });
  const waiting = Array.from({ length: 4 }, () => client.complete('x', {}));
  expect(await client.complete('x', {})).toEqual({ ok: false, why: 'busy' });
  clock.advanceTo(clock.now() + MODEL_TIMEOUT_MS);
  expect(await Promise.all(waiting)).toEqual(Array.from({ length: 4 }, () => ({ ok: false, why: 'timeout' })));
  simulator.faults.reset();
  expect((await client.complete('x', { message: 'hello' })).ok).toBe(true);
});

test.each<[unknown, string]>([
  [{ message: 'What is the price of AAPLx?', arm: true }, 'the answer holds "arm"'],
  [{ message: 'What if I buy $1000 of AAPLx?' }, 'it has other numbers'],
  [{ message: '' }, 'it is no short text'],
  [{ message: 'x'.repeat(301) }, 'it is no short text'],
  [{ message: 7 }, 'it is no short text'],
  [{ message: 'see https://evil.example' }, 'it holds an address or markup'],
  [{ message: 'price\nof AAPLx' }, 'it holds an address or markup'],
  [['What is the price of AAPLx?'], 'the answer is not an object'],
  [null, 'the answer is not an object'],
])('a rewording %j is refused', (answer, why) => {
  expect(checkRewording('tell me about AAPLx', answer)).toEqual({ ok: false, why });
});
