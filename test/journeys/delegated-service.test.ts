// Delegated signing in the running service: its own signer process, the sandbox's provider and chain, and an agent that buys on its own.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { USDC_MINT } from '../../src/domain/catalog/catalog.ts';
import { SANDBOX_SIGNER_APP } from '../../src/sandbox/identity/remote-signer.ts';
import { waitFor } from '../harness/wait-for.ts';
import { joinService, type SharedService } from './shared-service.ts';

let service: SharedService;
let places: { control: string; simulators: Record<string, string> };

beforeAll(async () => {
  service = await joinService('delegated-service');
  places = JSON.parse(readFileSync(join(service.home, 'sandbox.json'), 'utf8')) as typeof places;
});
afterAll(() => service?.leave());

async function callSandbox(url: string, method: string, body?: object) {
  const basic = Buffer.from(`${SANDBOX_SIGNER_APP.id}:${SANDBOX_SIGNER_APP.secret}`).toString('base64');
  const response = await fetch(url, {
    method,
    headers: { authorization: `Basic ${basic}`, 'privy-app-id': SANDBOX_SIGNER_APP.id, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect([url, response.status]).toEqual([url, 200]);
  return (await response.json()) as ReturnType<typeof JSON.parse>;
}

test('an agent with its owner’s delegation buys on the primary chain, signed by the signer process alone', async () => {
  const wallets = `${places.simulators['signer']}/v1/wallets/session-owner`;
  const { address } = await callSandbox(wallets, 'PATCH', { additional_signers: [{ signer_id: 'service' }] });
  for (const [mint, amount] of [
    ['SOL', '1000000000'],
    [USDC_MINT, '5000000000'],
  ])
    await callSandbox(`${places.control}/chain/fund`, 'POST', { owner: address, mint, amount });

  const created = await service.post('/v1/agents', {
    name: 'by itself',
    universe: ['AAPLx'],
    timeframe: '1h',
    entryConditions: [{ type: 'price_above', price: '1' }],
    exitConditions: [{ type: 'price_above', price: '100000' }],
    maxCapitalUsd: 10_000,
    maxTradeNotionalUsd: 100,
    stopLossPct: 50,
    takeProfitPct: 500,
    maxDailyDrawdownPct: 50,
    maxOpenPositions: 1,
    maxSlippageBps: 200,
  });
  expect(created.status).toBe(201);
  const agentId = created.body.id as string;
  await atLimitedLive(agentId);
  expect((await service.post(`/v1/agents/${agentId}/vault/deposit`, { amountUsd: '900' })).status).toBeLessThan(300);

  const wish = {
    agentId,
    wallet: address,
    signerWallet: 'session-owner',
    maxNotionalUsd: '200',
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  };
  const { text, issuedAt, nonce } = (await service.post('/v1/delegations/challenge', wish)).body;
  const message = Buffer.from(text as string).toString('base64');
  const { data } = await callSandbox(`${wallets}/rpc`, 'POST', { method: 'signMessage', params: { message, encoding: 'base64' } });
  const granted = await service.post('/v1/delegations', { ...wish, issuedAt, nonce, signature: data.signature });
  expect(granted.status).toBe(201);
  expect((await service.post(`/v1/agents/${agentId}/autonomy`, { autonomy: 'policy_auto' }, 'risk-manager')).status).toBe(200);

  const order = await waitFor(
    async () => {
      await resumeIfDataWasLost(agentId);
      const { body } = await service.get(`/v1/agent-orders?agentId=${agentId}`);
      return (body.items as { state: string; fills: object[] }[]).find(({ state }) => state === 'filled') ?? null;
    },
    // On a starved machine quotes become too old and the signer answers too late. The agent then proposes again.
    { what: 'a filled order of the agent', deadlineMs: 170_000 },
  );
  expect(order.fills).toHaveLength(1);
  const signed = service.log().filter(({ msg, outcome }) => msg === 'asked to sign' && outcome === 'signed');
  expect(signed).not.toEqual([]);
  expect(new Set(signed.map(({ orderId }) => orderId)).size, 'orders signed, each once').toBe(signed.length);
});

/** Does what only a person may: an agent with live capital that lost its data stays paused. */
async function resumeIfDataWasLost(agentId: string): Promise<void> {
  const { body } = await service.get(`/v1/agents/${agentId}`);
  if (body.pauseCause === 'data_degraded') await service.post(`/v1/agents/${agentId}/resume`, undefined, 'risk-manager');
}

/** Places the agent past the gates, where evidence would have brought it. */
async function atLimitedLive(agentId: string): Promise<void> {
  const database = service.database();
  await database.begin(async (transaction) => {
    await transaction`alter table agents disable trigger agent_stage_gate`;
    await transaction`update agents set stage = 'limited_live' where id = ${agentId}`;
    await transaction`alter table agents enable always trigger agent_stage_gate`;
    await transaction`update actors set snapshot = jsonb_set(snapshot, '{value,stage}', '"limited_live"'), version = version + 1 where id = ${agentId}`;
  });
  await database.end({ timeout: 2 });
}
