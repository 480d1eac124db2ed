// Takes over HTTP: compiled from words and fields, refused with questions, armed on paper, forked, published, tokenized; foreign ones are
// not found.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { payload } from '../domain/authored.ts';
import { type ApiUnderTest, apiUnderTest, THEIRS } from './api-under-test.ts';

const THESIS =
  'Buy AAPLx when it trades more than 2% below its reference, with $500; sell when the premium is above 0.5%, because weekends overshoot';

let api: ApiUnderTest;
let trader: string;
let stranger: string;
beforeAll(async () => {
  api = await apiUnderTest();
  trader = await api.token(['market:read', 'agent:read', 'trade:execute']);
  stranger = await api.token(['market:read', 'agent:read', 'trade:execute'], THEIRS);
});
afterAll(() => api.close());

const post = (url: string, body: unknown, token = trader, headers = {}) => api.call('POST', url, { token, body, headers });
const get = (url: string, token = trader) => api.call('GET', url, { token });
async function compiled(body: unknown = { thesis: THESIS }, token = trader): Promise<string> {
  const reply = await post('/v1/takes/compile', body, token);
  expect(reply.status, reply.text).toBe(201);
  return reply.body.id;
}

test('a thesis becomes a draft that lists what was understood, assumed and set aside', async () => {
  const { status, body } = await post('/v1/takes/compile', { thesis: THESIS });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    state: 'draft',
    onDuty: false,
    symbol: 'AAPLx',
    instrument: 'spotchain:AAPLx',
    target: { kind: 'premium_pct', direction: 'below', value: '-2' },
    conditions: { entry: [{ type: 'premium_below', pct: -2 }], exit: [{ type: 'premium_above', pct: 0.5 }] },
    allocationUsd: '500',
    notUnderstood: ['because weekends overshoot'],
    lineage: [],
    published: false,
  });
  expect(body.understood).toContainEqual({ phrase: 'with $500', as: 'allocation of 500 USD' });
  expect(body.assumed.length).toBeGreaterThan(0);
  expect((await get(`/v1/takes/${body.id}`)).body).toEqual(body);
  expect((await get('/v1/takes?state=draft')).body.items.map(({ id }: { id: string }) => id)).toContain(body.id);
});

// A listing has the name of its agent's manifest.
test('names of agents and organizations never change the meaning of a thesis or a copilot question', async () => {
  const theses = [THESIS, 'Buy nvidia below $300 with $50', 'Buy Tesla when the discount is over 2%', 'Buy BTC when it is cheap'];
  const readings = async (): Promise<unknown> =>
    Promise.all(
      theses.map(async (thesis) => {
        const { body } = await post('/v1/takes/compile', { thesis });
        const asked = await post('/v1/copilot/chat', { message: `What is the price of ${thesis.split(' ')[1]}?` });
        const { instrument, conditions, allocationUsd, understood, open, questions } = body;
        return [instrument, conditions, allocationUsd, understood, open, questions, asked.body.intent];
      }),
    );
  const before = await readings();
  const words = [...new Set([...theses.join(' ').split(/[^\w$]+/), 'NVIDIA', 'WHEN', '$NVIDIA', 'Apple xStock', 'spotchain:AAPLx'])].filter(
    (word) => word !== '',
  );
  const admin = await api.token(['market:read', 'agent:read', 'trade:execute', 'risk:manage'], THEIRS);
  for (const name of words) {
    expect((await post('/v1/agents', { ...payload(), name }, admin)).status).toBe(201);
    expect((await post('/v1/agents', { ...payload(), name })).status).toBe(201);
  }
  await api.sql`insert into organizations (id, name) values ('00000000-0000-7000-8000-00000000000c', 'NVIDIA when')`;
  expect(await readings()).toEqual(before);
});

test('an ambiguous thesis is refused with the questions that would settle it, and nothing is stored', async () => {
  const before = (await get('/v1/takes?limit=200')).body.items.length;
  const reply = await post('/v1/takes/compile', { thesis: 'Buy BTC when it is cheap' });
  expect([reply.status, reply.body.code]).toEqual([422, 'thesis_ambiguous']);
  expect(reply.body.questions.length).toBeGreaterThan(1);
  expect((await get('/v1/takes?limit=200')).body.items.length).toBe(before);
});

test.each<[string, unknown, string]>([
  ['contradictory conditions', { thesis: 'Buy AAPLx when the price is below $100 and the price is above $200' }, 'at the same time'],
  ['a thesis that is too long', { thesis: 'buy '.repeat(5_000) }, '20000 characters'],
  ['an empty thesis', { thesis: '  ' }, 'is empty'],
  ['a thesis that is no text', { thesis: 5 }, 'not a text'],
  ['fields beside a thesis', { thesis: THESIS, allocationUsd: '1000000' }, 'cannot be combined with a thesis'],
  ['an unknown symbol', { symbol: 'NOPEx', target: { kind: 'price', direction: 'below', value: '5' } }, 'unknown symbol'],
  [
    'an unknown field',
    { symbol: 'AAPLx', riskLimits: { maxTradeNotionalUsd: '1' }, target: { kind: 'price', direction: 'below', value: '5' } },
    'unknown field',
  ],
  ['nothing', {}, 'missing'],
])('%s: one clear problem', async (_, body, says) => {
  const reply = await post('/v1/takes/compile', body);
  expect([reply.status, reply.body.code]).toEqual([422, 'take_invalid']);
  expect(reply.text).toContain(says);
});

test('a body of more than 64 KiB is refused unread', async () => {
  const reply = await post('/v1/takes/compile', { thesis: 'x'.repeat(70_000) });
  expect([reply.status, reply.body.code]).toEqual([413, 'body_too_large']);
});

test('arming, disarming, history, chart and decisions', async () => {
  const id = await compiled();
  const { open } = (await get(`/v1/takes/${id}`)).body;
  const armed = await post('/v1/takes/arm', { takeId: id, mode: 'paper', confirm: open });
  expect([armed.status, armed.body.state, armed.body.mode, armed.body.onDuty]).toEqual([200, 'armed', 'paper', true]);
  expect((await post('/v1/takes/arm', { takeId: id, mode: 'paper' })).status).toBe(409);
  const decisions = await get(`/v1/takes/${id}/decisions`);
  expect(decisions.body).toEqual({ items: [], nextCursor: null });
  const disarmed = await post(`/v1/takes/${id}/disarm`, {});
  expect([disarmed.status, disarmed.body.state]).toEqual([200, 'disarmed']);
  const history = await get(`/v1/takes/${id}/history`);
  expect(history.body.items.map(({ event }: { event: { type: string } }) => event.type)).toEqual(['disarm', 'arm', 'started']);
  const chart = await get(`/v1/takes/${id}/chart`);
  expect(chart.body).toMatchObject({ machine: 'take@2', value: { life: 'disarmed', feed: 'live' } });
});

test('the same Idempotency-Key is one Take', async () => {
  const key = { 'idempotency-key': 'take-1' };
  const [first, second] = [
    await post('/v1/takes/compile', { thesis: THESIS }, trader, key),
    await post('/v1/takes/compile', { thesis: THESIS }, trader, key),
  ];
  expect(second.body).toEqual(first.body);
  expect((await post('/v1/takes/compile', { thesis: 'Buy TSLAx below $200' }, trader, key)).body.code).toBe('idempotency_mismatch');
});

test('open readings are confirmed word for word before it is armed', async () => {
  const id = await compiled({ thesis: 'Buy Tesla when the discount is over 2%, because weekends overshoot' });
  const { open } = (await get(`/v1/takes/${id}`)).body;
  expect(open).toEqual([
    'because weekends overshoot',
    '"Tesla" means TSLAx on spotchain',
    'the allocation is 100 USD',
    expect.stringContaining('there is no exit condition'),
  ]);
  const refused = await post('/v1/takes/arm', { takeId: id, mode: 'paper' });
  expect([refused.status, refused.body.code, refused.body.questions]).toEqual([409, 'take_unsettled', open]);
  const partly = await post('/v1/takes/arm', { takeId: id, mode: 'paper', confirm: open.slice(1) });
  expect([partly.body.code, partly.body.questions]).toEqual(['take_unsettled', open.slice(0, 1)]);
  expect((await get(`/v1/takes/${id}`)).body.state).toBe('draft');
  expect((await post('/v1/takes/arm', { takeId: id, mode: 'paper', confirm: open })).body.state).toBe('armed');
  const settled = await compiled({ thesis: 'Buy AAPLx when the discount is over 2%, with $500; sell when the premium is above 0.5%' });
  expect((await post('/v1/takes/arm', { takeId: settled, mode: 'paper' })).body.state).toBe('armed');
});

test('the mandate sets the limits, not the body, and a token is not armed live without a delegated wallet', async () => {
  const id = await compiled({ thesis: 'Buy AAPLx below $180 with $5m; sell above $200' });
  const refused = await post('/v1/takes/arm', { takeId: id, mode: 'paper' });
  expect([refused.status, refused.body.code]).toEqual([422, 'blocked_by_risk']);
  expect(refused.body.rejections[0].code).toBe('notional_limit_breach');
  const extra = await post('/v1/takes/arm', { takeId: id, mode: 'paper', limits: { maxTradeNotionalUsd: '9000000' } });
  expect([extra.status, extra.body.code]).toEqual([400, 'malformed']);
  const confirm = ['because weekends overshoot'];
  expect((await post('/v1/takes/arm', { takeId: await compiled(), mode: 'live', confirm })).body.code).toBe('state_conflict');
});

test('a foreign Take is not found until it is published; then it can be forked but never armed by others', async () => {
  const id = await compiled();
  for (const [method, url, body] of [
    ['GET', `/v1/takes/${id}`, undefined],
    ['GET', `/v1/takes/${id}/decisions`, undefined],
    ['GET', `/v1/takes/${id}/history`, undefined],
    ['GET', `/v1/takes/${id}/chart`, undefined],
    ['POST', `/v1/takes/${id}/disarm`, {}],
    ['POST', `/v1/takes/${id}/publish`, {}],
    ['POST', '/v1/takes/arm', { takeId: id, mode: 'paper' }],
    ['POST', '/v1/takes/fork', { takeId: id }],
    ['POST', '/v1/takes/tokenize', { takeId: id, as: 'agent' }],
  ] as const) {
    const reply = await api.call(method, url, { token: stranger, ...(body === undefined ? {} : { body }) });
    expect([method, url, reply.status, reply.body.code]).toEqual([method, url, 404, 'not_found']);
  }
  expect((await post(`/v1/takes/${id}/publish`, {})).body.published).toBe(true);
  expect((await post(`/v1/takes/${id}/publish`, {})).status).toBe(409);
  expect((await get('/v1/takes/published', stranger)).body.items.map((one: { id: string }) => one.id)).toContain(id);
  expect((await get('/v1/takes', stranger)).body.items).toEqual([]);
  const fork = await post('/v1/takes/fork', { takeId: id, allocationUsd: '50', thresholds: { 'entry[0].pct': -4 } }, stranger);
  expect([fork.status, fork.body.allocationUsd, fork.body.conditions.entry, fork.body.lineage]).toEqual([
    201,
    '50',
    [{ type: 'premium_below', pct: -4 }],
    [id],
  ]);
  // A fork shows its own thresholds, never the original's words.
  expect([fork.body.thesis, fork.body.open]).toEqual([null, []]);
  expect(fork.body.understood).toContainEqual({ phrase: 'entry[0]', as: 'entry: premium_below pct=-4' });
  expect(JSON.stringify(fork.body.understood)).not.toContain('pct=-2');
  expect((await post('/v1/takes/arm', { takeId: id, mode: 'paper' }, stranger)).status).toBe(404);
  expect((await post('/v1/takes/fork', { takeId: id, thresholds: { 'entry[0].pct': 9 } }, stranger)).body.code).toBe('take_invalid');
});

test('a Take becomes a draft agent with the same rules, or a launch draft', async () => {
  const id = await compiled();
  const confirm = (await get(`/v1/takes/${id}`)).body.open;
  const { body } = await post('/v1/takes/tokenize', { takeId: id, as: 'agent', confirm });
  expect(body).toMatchObject({ as: 'agent', takeId: id, launch: null, agent: { stage: 'draft', autonomy: 'research' } });
  const agent = await get(`/v1/agents/${body.agent.id}`);
  expect(agent.body.manifest).toMatchObject({ entry: [{ type: 'premium_below', pct: -2 }], exit: [{ type: 'premium_above', pct: 0.5 }] });
  const launch = await post('/v1/takes/tokenize', { takeId: id, as: 'launch', confirm });
  expect(launch.body).toMatchObject({
    as: 'launch',
    agent: null,
    launch: { takeId: id, quoteMint: 'XsbEhLAtcf6HdfpFZ5xEMdqW8nfAvcsP5bdudRLJzJp' },
  });
  const spot = await compiled({ thesis: 'Buy BTCUSDT below $50,000 with $500; sell above $60,000' });
  expect((await post('/v1/takes/tokenize', { takeId: spot, as: 'launch' })).body.code).toBe('take_invalid');
});

test.each(['agent', 'launch'])('a Take with an open reading becomes no %s until its author has confirmed it', async (as) => {
  const id = await compiled();
  const { open } = (await get(`/v1/takes/${id}`)).body;
  expect(open).not.toEqual([]);
  const refused = await post('/v1/takes/tokenize', { takeId: id, as });
  expect([refused.status, refused.body.code, refused.body.questions]).toEqual([409, 'take_unsettled', open]);
  expect((await post('/v1/takes/arm', { takeId: id, mode: 'paper', confirm: open })).body.state).toBe('armed');
  expect((await post('/v1/takes/tokenize', { takeId: id, as })).status).toBe(201);
});
