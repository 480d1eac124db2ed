// Python client: its own tests, then a strategy author's session with the running service.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { joinService, type SharedService } from '../journeys/shared-service.ts';
import { PYTHON, PYTHON_CLIENT, python } from './run-python.ts';

describe.skipIf(PYTHON === null)('the Python client', () => {
  let service: SharedService;
  let home: string;

  /** Runs a script with the service's state folder. Returns the JSON values that it prints, one per line. */
  async function script(text: string): Promise<unknown[]> {
    const { code, stdout, stderr } = await python(['-'], { input: text, home });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  }

  beforeAll(async () => {
    service = await joinService('python-client');
    home = mkdtempSync(join(tmpdir(), 'sevengate-python-'));
    mkdirSync(join(home, 'tokens'));
    for (const member of ['operator', 'viewer', 'risk-manager'])
      writeFileSync(join(home, 'tokens', `${member}.token`), `${service.token(member)}\n`, { mode: 0o600 });
    writeFileSync(join(home, 'service.json'), readFileSync(join(service.home, 'service.json')));
  });

  afterAll(async () => {
    if (home !== undefined) rmSync(home, { recursive: true, force: true });
    await service?.leave();
  });

  test('passes its own tests', async () => {
    const document = join(home, 'openapi.json');
    writeFileSync(document, JSON.stringify((await service.get('/v1/openapi.json')).body));
    const { code, stderr } = await python(['-m', 'unittest'], { document });
    expect(stderr).toMatch(/Ran \d{2,} tests/);
    expect(stderr).not.toMatch(/skipped/);
    expect({ code, stderr }).toMatchObject({ code: 0 });
  });

  test('runs the samples of its README', async () => {
    const readme = readFileSync(join(PYTHON_CLIENT, 'README.md'), 'utf8');
    const samples = [...readme.matchAll(/^```python\n(.*?)^```/gms)].map(([, sample]) => sample as string);
    expect(samples.length).toBeGreaterThanOrEqual(4);
    const { code, stdout, stderr } = await python(['-'], { input: samples.join('\n'), home });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/My first agent draft \d{4}-.*\nsnapshot .*\nnot_found there is no such agent/s);
  });

  test('finds the service, makes an agent, walks through lists, follows a feed over a cut and reads an error', async () => {
    const [me, agent, walked, frames, refused] = await script(AUTHOR);
    expect(me).toEqual({ orgId: service.orgId, isAware: true });
    expect(agent).toEqual({ name: 'Made in Python', stage: 'draft', sameUnderItsKey: true });
    const { items } = (await service.get('/v1/agents')).body as { items: { id: string }[] };
    expect(walked).toEqual(items.map(({ id }) => id));
    expect(items.length).toBeGreaterThanOrEqual(3);
    // The second feed resumes where the first ended: events in between come once.
    expect(frames).toEqual({ first: ['snapshot', 'paused'], between: ['resumed', 'paused'], orders: 'ascending' });
    expect(refused).toEqual({
      missing: ['NotFound', 'not_found', 404],
      viewer: ['Forbidden', 'permission_missing', 403],
      fields: ['$.stopLossPct'],
      wayOut: true,
    });
  });
});

const AUTHOR = String.raw`
import json
from decimal import Decimal
import sevengate
from sevengate import Client

def tell(value): print(json.dumps(value))

client, risk = Client(), Client(member="risk-manager")
me = client.get_me()
tell({"orgId": me.org_id, "isAware": me.expires_at.utcoffset() is not None})

manifest = {
    "name": "Made in Python", "universe": ["BTCUSDT"], "timeframe": "5m",
    "entryConditions": [{"type": "price_below", "price": Decimal("0.10")}],
    "exitConditions": [{"type": "rsi_above", "period": 14, "value": 70}],
    "maxCapitalUsd": Decimal("10000.50"), "maxTradeNotionalUsd": "1000", "maxOpenPositions": 2,
    "maxSlippageBps": 60, "stopLossPct": 4.5, "takeProfitPct": 6, "maxDailyDrawdownPct": 3,
}
agent = client.create_agent(manifest, idempotency_key="from-python")
again = client.create_agent(manifest, idempotency_key="from-python")
client.create_agent({**manifest, "name": "Another one"})
tell({"name": agent.name, "stage": agent.stage, "sameUnderItsKey": again.id == agent.id})

client.create_agent({**manifest, "name": "A third one"})
tell([one.id for one in client.list_agents(limit=1)])

with client.feed("agents", agent_id=agent.id) as feed:
    first = [next(feed).type]
    client.pause_agent(agent.id)
    frame = next(feed)
    first.append(frame.data.what)
risk.resume_agent(agent.id)
client.pause_agent(agent.id)
between, cursors = [], [frame.cursor]
with Client().feed("agents", from_=feed.cursor, agent_id=agent.id) as later:
    for frame in later:
        between.append(frame.data.what)
        cursors.append(frame.cursor)
        if len(between) == 1:
            later._stream[0].sock.shutdown(2)  # A cut of the network.
        if len(between) == 2:
            break
tell({"first": first, "between": between, "orders": "ascending" if len(set(cursors)) == 3 else cursors})

def refused(call):
    try:
        call()
    except sevengate.ApiError as error:
        return error
missing = refused(lambda: client.get_agent("00000000-0000-7000-8000-000000000000"))
viewer = refused(lambda: Client(member="viewer").create_agent(manifest))
wrong = refused(lambda: client.create_agent({**manifest, "stopLossPct": -1}))
tell({
    "missing": [type(missing).__name__, missing.code, missing.status],
    "viewer": [type(viewer).__name__, viewer.code, viewer.status],
    "fields": [one.path for one in wrong.fields],
    "wayOut": any("stopLossPct" in one for one in wrong.way_out),
})
`;
