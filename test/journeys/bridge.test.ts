// A person moves money between the chains as in the guide: one transfer each way, one delayed, one refunded, and each alert once.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPublicClient, erc20Abi, type Hex, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { USDC_MINT } from '../../src/domain/catalog/catalog.ts';
import { EVM_TOKENS } from '../../src/domain/identity/evm-chain.ts';
import { signedBy } from '../actors/prepared-transaction/swap-fixture.ts';
import { keyOf } from '../domain/solana/honest-transactions.ts';
import { testInProof } from '../harness/rounds.ts';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import { joinService, type SharedService } from './shared-service.ts';

const solana = keyOf(31);
const evm = privateKeyToAccount(`0x${'3a'.repeat(32)}`);
const TOKEN = EVM_TOKENS[0]?.contract as Hex;
let service: SharedService;
let control: string;
let node: string;

async function chain(verb: string, body: object): Promise<void> {
  const answer = await fetch(`${control}/chain/${verb}`, { method: 'POST', body: JSON.stringify(body) });
  expect(answer.status, await answer.text()).toBe(200);
}

beforeAll(async () => {
  service = await joinService('bridge');
  const noted = JSON.parse(readFileSync(join(service.home, 'sandbox.json'), 'utf8')) as {
    control: string;
    simulators: Record<string, string>;
  };
  control = noted.control;
  node = noted.simulators['evmchain'] as string;
  await chain('fund', { owner: solana.publicKey.toBase58(), mint: 'SOL', amount: '1000000000' });
  await chain('fund', { owner: solana.publicKey.toBase58(), mint: USDC_MINT, amount: '1000000000' });
  await chain('evm_fund', { owner: evm.address, amount: '1000000000' });
}, 60_000 * PATIENCE);
afterAll(() => service?.leave());

interface Call {
  readonly chainId: number;
  readonly to: Hex;
  readonly data: Hex;
  readonly value: string;
}

const client = () => createPublicClient({ transport: http(node) });

async function signEvm({ chainId, to, data, value }: Call): Promise<Hex> {
  const nonce = await client().getTransactionCount({ address: evm.address });
  return evm.signTransaction({
    type: 'eip1559',
    chainId,
    to,
    data,
    value: BigInt(value),
    nonce,
    gas: 300_000n,
    maxFeePerGas: 20_000_000n,
    maxPriorityFeePerGas: 0n,
  });
}

/** Quotes a transfer, signs it as a wallet does, and submits the transaction. */
async function transfer(from: 'spotchain' | 'evmvenue', provider: 'relay' | 'cctp', amount: string) {
  const [sender, recipient] =
    from === 'spotchain' ? [solana.publicKey.toBase58(), evm.address] : [evm.address, solana.publicKey.toBase58()];
  const to = from === 'spotchain' ? 'evmvenue' : 'spotchain';
  const quote = await waitFor(
    async () => {
      const answer = await service.post('/v1/bridge/quote', { from, to, token: 'USDC', amount, sender, recipient, provider }, 'operator');
      return answer.status === 201 ? answer.body : null;
    },
    { what: `a quote of ${provider} from ${from}` },
  );
  const { transaction } = quote;
  if (transaction.approval) await client().sendRawTransaction({ serializedTransaction: await signEvm(transaction.approval) });
  const signedTransaction = transaction.kind === 'evm' ? await signEvm(transaction) : signedBy(solana, transaction.unsigned);
  const submitted = await service.post('/v1/bridge/submission', { quoteId: quote.id, signedTransaction }, 'operator');
  expect(submitted.status, submitted.text).toBe(202);
  return quote;
}

const status = async (id: string) => (await service.get(`/v1/bridge/status?id=${id}`, 'operator')).body;
const ended = (id: string, state: string) =>
  waitFor(
    async () => {
      const found = await status(id);
      return found.state === state ? found : null;
    },
    { what: `transfer ${id} to be ${state}`, deadlineMs: 90_000 },
  );
/** On a busy machine a transfer may really take more than two minutes: then its delay alert comes before its end. */
const delayOf = async (id: string): Promise<string[]> => ((await status(id)).delayed ? ['bridge_transfer_delayed'] : []);
async function alertsOf(id: string): Promise<string[]> {
  const sql = service.database();
  try {
    const rows = await sql<
      { what: string }[]
    >`select body->>'what' as what from announcements where actor_id = ${id} and channel = 'alerts' order by seq`;
    return rows.map(({ what }) => what);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

test('a transfer in each direction completes with at least the promised amount', { timeout: 240_000 * PATIENCE }, async () => {
  const before = await client().readContract({ address: TOKEN, abi: erc20Abi, functionName: 'balanceOf', args: [evm.address] });
  const outward = await transfer('spotchain', 'cctp', '40');
  const out = await ended(outward.id, 'completed');
  expect(Number(out.axes.destination.amountUsd)).toBeGreaterThanOrEqual(Number(outward.minimumReceived));
  const after = await client().readContract({ address: TOKEN, abi: erc20Abi, functionName: 'balanceOf', args: [evm.address] });
  expect(Number(after - before) / 1e6).toBeCloseTo(Number(out.axes.destination.amountUsd), 6);
  const inward = await transfer('evmvenue', 'relay', '30');
  const back = await ended(inward.id, 'completed');
  expect(back.axes).toMatchObject({ source: { state: 'final' }, destination: { state: 'final', amountUsd: inward.expectedReceived } });
  for (const { id } of [outward, inward]) expect(await alertsOf(id)).toEqual([...(await delayOf(id)), 'bridge_transfer_completed']);
  const listed = await service.get('/v1/bridge/transfers', 'operator');
  expect(listed.body.items.map(({ id }: { id: string }) => id)).toEqual([inward.id, outward.id]);
});

testInProof(
  'a delayed transfer is alerted once, counts as in transit, and completes when released',
  {
    timeout: 240_000 * PATIENCE,
  },
  async () => {
    await chain('bridge_trouble', { provider: 'relay', how: 'holds' });
    const held = await transfer('evmvenue', 'relay', '20');
    await chain('bridge_trouble', { provider: 'relay', how: null });
    await waitFor(async () => ((await status(held.id)).axes.source.state === 'final' ? true : null), {
      what: 'its source to be final',
      deadlineMs: 60_000,
    });
    const portfolio = await service.get('/v1/portfolio?mode=live', 'operator');
    expect(portfolio.body.places).toContainEqual(
      expect.objectContaining({ id: `bridge:${held.id}`, quality: 'in_transit', cashUsd: '20' }),
    );
    // Two minutes later, by its durable timer.
    const sql = service.database();
    await sql`update timers set due_at = 0 where actor_id = ${held.id} and timer_id like '%delayAfter%'`;
    await sql.end({ timeout: 1 });
    await waitFor(async () => ((await status(held.id)).delayed ? true : null), { what: 'it to be told late', deadlineMs: 30_000 });
    await chain('bridge_release', { provider: 'relay' });
    await ended(held.id, 'completed');
    expect(await alertsOf(held.id)).toEqual(['bridge_transfer_delayed', 'bridge_transfer_completed']);
    const after = await service.get('/v1/portfolio?mode=live', 'operator');
    expect(after.body.places.map(({ id }: { id: string }) => id)).not.toContain(`bridge:${held.id}`);
  },
);

testInProof('a transfer that the solver cannot pay is refunded on the source chain', { timeout: 240_000 * PATIENCE }, async () => {
  await chain('bridge_trouble', { provider: 'relay', how: 'fails_then_refunds' });
  const quote = await transfer('evmvenue', 'relay', '15');
  await chain('bridge_trouble', { provider: 'relay', how: null });
  const found = await ended(quote.id, 'refunded');
  expect(found.axes.refund).toMatchObject({ state: 'final', amountUsd: '15' });
  expect(await alertsOf(quote.id)).toEqual([...(await delayOf(quote.id)), 'bridge_transfer_refunded']);
});
