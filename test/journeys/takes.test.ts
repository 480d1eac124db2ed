// From a question to a position on a running service: copilot, assessment, thesis, a Take that triggers and fills on paper, its end, a
// fork, an agent.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testInProof } from '../harness/rounds.ts';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import { openSocket } from './feed-clients.ts';
import { joinService, type SharedService } from './shared-service.ts';
import { commandsUnder, openTerminal } from './typed-commands.ts';

/** Thesis that holds at any live price: the test is about the process, not the market. */
const THESIS = 'Buy BTCUSDT when the price is below $9,000,000, with $500; sell when the price is above $9,500,000';

let service: SharedService;
beforeAll(async () => {
  // Its simulated language model may rephrase; the journey does not depend on the wording.
  service = await joinService('takes');
});
afterAll(async () => {
  await service?.leave();
});

const say = async (message: string, conversationId?: string) =>
  (await service.post('/v1/copilot/chat', { message, ...(conversationId === undefined ? {} : { conversationId }) }, 'operator')).body;

test('from the cheapest liquid equity to a Take that triggers, fills, is disarmed, closed, forked and tokenized', {
  timeout: 400_000,
}, async () => {
  const socket = await openSocket(service.url, service.token('operator'));
  socket.send({ op: 'subscribe', id: 1, channel: 'takes', params: {} });
  await socket.frame('the subscription', ({ id, type }) => id === 1 && type === 'subscribed');

  // Pools are ranked once a cut of the sandbox's quotes exists.
  await waitFor(
    async () => {
      const { body } = await service.get('/v1/rankings/fair-value?mode=liquidity', 'operator');
      return body.items?.some(({ rank }: { rank: number | null }) => rank !== null) ? body : null;
    },
    { what: 'a ranking', deadlineMs: 90_000 },
  );
  // The third leg of a share is a builder-deployed perpetual, received under its own name.
  const basis = await waitFor(
    async () => {
      const { body } = await service.get('/v1/arbitrage/basis?symbol=AAPLx', 'operator');
      const [found] = body.items ?? [];
      // The other leg of the edge may arrive later.
      return found?.legs.perpetual?.quality === 'live' && found.edges[1].spreadBps !== null ? found : null;
    },
    { what: 'the perpetual of a share, and how far it is from the token', deadlineMs: 90_000 },
  );
  expect(basis.legs.perpetual.source).toMatch(/^hyperliquid:/);
  const perp = await service.get('/v1/perps/xyz:AAPL', 'operator');
  expect([perp.status, perp.body.instrument, perp.body.funding.items.length > 0]).toEqual([200, 'xyz:AAPL', true]);
  const cheapest = await say('Which is the cheapest liquid equity against its reference?');
  expect(cheapest).toMatchObject({ intent: 'rank', draft: null, links: ['/v1/rankings/fair-value?mode=deepest_discount'] });
  // While the share market is closed no reference is live and nothing is called cheap; the answer says so.
  const found: string | undefined = cheapest.data.items[0]?.symbol;
  if (found === undefined) expect(cheapest.reply).toMatch(/could be ranked/);
  const symbol = found ?? 'AAPLx';
  const assessed = await say(`assess ${symbol}`, cheapest.conversationId);
  expect(assessed).toMatchObject({ intent: 'assess', data: { symbol } });
  expect(['deterministic', 'model']).toContain(assessed.data.method);

  const draft = await say(THESIS, cheapest.conversationId);
  expect(draft.draft).toMatchObject({ kind: 'take', next: { path: '/v1/takes/compile' } });
  const compiled = await service.post('/v1/takes/compile', draft.draft.next.body, 'operator');
  expect([compiled.status, compiled.body.state]).toEqual([201, 'draft']);
  expect(compiled.body.understood).toContainEqual({ phrase: 'with $500', as: 'allocation of 500 USD' });
  expect(compiled.body.hash).toMatch(/^[0-9a-f]{64}$/);
  const takeId: string = compiled.body.id;

  expect((await service.post('/v1/takes/arm', { takeId, mode: 'live' }, 'operator')).body.code).toBe('feature_disabled');
  expect((await service.post('/v1/takes/arm', { takeId, mode: 'paper' }, 'viewer')).status).toBe(403);
  const armed = await service.post('/v1/takes/arm', { takeId, mode: 'paper' }, 'operator');
  expect([armed.status, armed.body.state]).toEqual([200, 'armed']);

  const received = (state: string) =>
    socket.frame(
      `the Take ${state}`,
      ({ channel, type, data }) => channel === 'takes' && type === 'update' && data.takeId === takeId && data.state === state,
      120_000,
    );
  await received('filled');
  const states = socket.updates('takes').flatMap(({ data }) => (data.takeId === takeId ? [data.state] : []));
  expect(states.slice(0, 2)).toEqual(['draft', 'armed']);
  expect(states.at(-1)).toBe('filled');
  const decisions = (await service.get(`/v1/takes/${takeId}/decisions`, 'operator')).body.items;
  const trigger = decisions.find(({ disposition }: { disposition: string }) => disposition === 'propose_entry');
  expect(Date.parse(trigger.slot) % 30_000).toBe(0);
  expect(trigger).toMatchObject({ takeId, manifestHash: compiled.body.manifestHash });
  const explained = await service.get(`/v1/takes/${takeId}/decisions/${trigger.id}/explain`, 'operator');
  expect([explained.status, explained.body.hash]).toEqual([200, trigger.hash]);

  const disarmed = await service.post(`/v1/takes/${takeId}/disarm`, undefined, 'operator');
  expect([disarmed.status, disarmed.body.state]).toEqual([200, 'disarmed']);
  expect((await service.post(`/v1/takes/${takeId}/close`, undefined, 'operator')).body.reason).toBe('closing');
  await received('closed');

  const fork = await service.post('/v1/takes/fork', { takeId, allocationUsd: '250' }, 'operator');
  expect([fork.status, fork.body.state, fork.body.lineage, fork.body.allocationUsd]).toEqual([201, 'draft', [takeId], '250']);
  const agent = (await service.post('/v1/takes/tokenize', { takeId: fork.body.id, as: 'agent' }, 'operator')).body.agent;
  expect(agent).toMatchObject({ stage: 'draft', autonomy: 'research' });
  await socket.close();

  const database = service.database();
  try {
    expect(
      await database`select f.side from fills f join books b on b.id = f.book_id
      where b.org_id = ${service.orgId} order by f.at`,
    ).toEqual([{ side: 'buy' }, { side: 'sell' }]);
    const slots = await database`select slot from decisions where agent_id = ${takeId} group by slot having count(*) > 1`;
    expect(slots).toEqual([]);
  } finally {
    await database.end();
  }
});

testInProof(
  'the guide’s commands lead from a question to a Take that fills, and to an agent',
  { timeout: 300_000 * PATIENCE },
  async () => {
    const terminal = openTerminal(service);
    const printed = await terminal.type(commandsUnder('docs/guides/first-take.md', 'Your first Take'));
    terminal.close();
    for (const words of [
      /^draft: spotexchange:BTCUSDT, 500 USD/m,
      /^armed on paper/m,
      /^filled on paper/m,
      /^draft: spotexchange:BTCUSDT, 250 USD/m,
      /^Created .* at draft/m,
    ])
      expect(printed).toMatch(words);
  },
);
