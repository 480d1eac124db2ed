// Both providers in both directions with their simulators and both chains: offers, signed transactions, and the state of each axis.
import { existsSync, readFileSync } from 'node:fs';
import { encodeFunctionData } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DEPOSITORY_ABI } from '../../../src/adapters/bridge/evm-calls.ts';
import { readSignedEvm } from '../../../src/adapters/bridge/evm-bridge-chain.ts';
import { createProviderHttp } from '../../../src/adapters/bridge/provider-http.ts';
import { createRelayProvider, RELAY_DEPOSITORY } from '../../../src/adapters/bridge/relay/provider.ts';
import { evmDifferences } from '../../../src/domain/bridge/evm-fields.ts';
import { offerObjection } from '../../../src/domain/bridge/quote.ts';
import { USDC_MINT } from '../../../src/domain/catalog/catalog.ts';
import { EVM_CHAIN_ID } from '../../../src/domain/identity/evm-chain.ts';
import { createFaultSwitch } from '../../../src/sandbox/faults.ts';
import { listenOnLoopback } from '../../../src/sandbox/loopback.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import {
  type BridgeWorld,
  EVM_WALLET,
  openBridgeWorld,
  SOLANA_WALLET,
  signedTransfer,
  signOther,
  TOKEN,
  wishFrom,
} from './bridge-world.ts';

let world: BridgeWorld;
beforeAll(async () => {
  world = await openBridgeWorld();
});
afterAll(() => world.close());
beforeEach(() => {
  world.relaySimulator.script.trouble(null);
  world.cctpSimulator.script.trouble(null);
  world.solana.chain.intake('land');
  world.ledger.intake('land');
});

async function offerOf(provider: 'relay' | 'cctp', from: 'spotchain' | 'evmvenue', amount = '100') {
  const wish = wishFrom(from, amount);
  const offer = await world.providers[provider].offer(wish, String(Number(amount) * 1e6));
  if (!offer.ok) throw new Error(offer.refusal.detail);
  return { wish, offer: offer.value };
}

function pass(): void {
  world.solana.chain.advance(4);
  world.mine(4);
}

function settle(): void {
  world.solana.chain.finalize();
  world.mine(50);
  world.clock.forward(3_000);
}

describe.each(['relay', 'cctp'] as const)('%s', (provider) => {
  describe.each(['spotchain', 'evmvenue'] as const)('from %s', (from) => {
    test('a transfer completes, and every axis shows it in time', async () => {
      const { wish, offer } = await offerOf(provider, from);
      expect(offerObjection(offer)).toBeNull();
      expect(offer.fees.some(({ included }) => !included)).toBe(true);
      const { signed, terms } = await signedTransfer(world, offer, wish);
      const [source, destination] = [world.chains[wish.from], world.chains[wish.to]];
      expect(await source.source(terms)).toMatchObject({ state: 'unseen' });
      expect((await world.providers[provider].word(terms)).state).toBe('unseen');
      // The lease was over when the connection was made: nothing is sent, and the chain never sees it.
      await expect(source.broadcast(signed, () => 0)).rejects.toThrow('in time');
      pass();
      expect(await source.source(terms)).toMatchObject({ state: 'unseen' });
      expect(await source.broadcast(signed, () => 1)).toEqual({ outcome: 'sent' });
      expect(await source.broadcast(signed)).toEqual({ outcome: 'sent' });
      pass();
      expect((await source.source(terms)).state).toBe('included');
      settle();
      expect((await source.source(terms)).state).toBe('final');
      await world.providers[provider].word(terms);
      world.clock.forward(3_000);
      const word = await world.providers[provider].word(terms);
      expect(word.state).toBe('filled');
      const arrived = await destination.arrival(word.fillHash as string, wish.recipient);
      expect(['none', 'included']).toContain(arrived.state);
      settle();
      const final = await destination.arrival(word.fillHash as string, wish.recipient);
      expect(final.state).toBe('final');
      expect(Number(final.amount)).toBeGreaterThanOrEqual(Number(offer.minimumOut));
      expect(Number(final.amount)).toBe(Number(offer.amountOut));
    });

    test('a fork that drops the deposit shows it unseen again', async () => {
      const { wish, offer } = await offerOf(provider, from);
      const { signed, terms } = await signedTransfer(world, offer, wish);
      await world.chains[from].broadcast(signed);
      pass();
      expect((await world.chains[from].source(terms)).state).toBe('included');
      expect(from === 'spotchain' ? world.solana.chain.drop(terms.hash as string) : world.ledger.drop(terms.hash as string)).toBe(true);
      expect((await world.chains[from].source(terms)).state).toBe('unseen');
      expect((await world.providers[provider].word(terms)).state).toBe('unseen');
    });

    test('a provider’s claim without evidence on a chain is not believed', async () => {
      const simulator = provider === 'relay' ? world.relaySimulator : world.cctpSimulator;
      simulator.script.trouble('claims_payment');
      const { wish, offer } = await offerOf(provider, from);
      const { signed, terms } = await signedTransfer(world, offer, wish);
      await world.chains[from].broadcast(signed);
      settle();
      await world.providers[provider].word(terms);
      world.clock.forward(3_000);
      const word = await world.providers[provider].word(terms);
      expect(word.state).toBe('filled');
      expect((await world.chains[wish.to].arrival(word.fillHash as string, wish.recipient)).state).toBe('none');
    });
  });
});

test('a failing solver says so and refunds; the refund is on the source chain', async () => {
  world.relaySimulator.script.trouble('fails_then_refunds');
  const { wish, offer } = await offerOf('relay', 'evmvenue');
  const { signed, terms } = await signedTransfer(world, offer, wish);
  await world.chains.evmvenue.broadcast(signed);
  settle();
  expect((await world.providers.relay.word(terms)).state).toBe('pending');
  world.clock.forward(2_000);
  expect(await world.providers.relay.word(terms)).toMatchObject({ state: 'failing', reason: 'SLIPPAGE' });
  world.clock.forward(60_000);
  const word = await world.providers.relay.word(terms);
  expect(word).toMatchObject({ state: 'refunded', fillHash: null });
  settle();
  expect(await world.chains.evmvenue.arrival(word.refundHash as string, wish.sender)).toMatchObject({
    state: 'final',
    amount: '100000000',
  });
});

test('a failed refund is reported with its reason', async () => {
  world.relaySimulator.script.trouble('refund_fails');
  const { wish, offer } = await offerOf('relay', 'spotchain');
  const { signed, terms } = await signedTransfer(world, offer, wish);
  await world.chains.spotchain.broadcast(signed);
  settle();
  await world.providers.relay.word(terms);
  world.clock.forward(60_000);
  expect(await world.providers.relay.word(terms)).toMatchObject({ state: 'refund_failed', reason: 'AMOUNT_TOO_LOW_TO_REFUND' });
});

test('a late attestation has its reason', async () => {
  world.cctpSimulator.script.trouble('attests_late');
  const { wish, offer } = await offerOf('cctp', 'spotchain');
  const { signed, terms } = await signedTransfer(world, offer, wish);
  await world.chains.spotchain.broadcast(signed);
  pass();
  expect(await world.providers.cctp.word(terms)).toMatchObject({ state: 'attesting', reason: 'insufficient_allowance_available' });
});

test('a transaction that can never land is proven so, on both chains', async () => {
  const outward = await offerOf('relay', 'spotchain');
  const lost = await signedTransfer(world, outward.offer, outward.wish);
  world.solana.chain.expireBlockhashes();
  expect((await world.chains.spotchain.source(lost.terms)).state).toBe('expired');
  const inward = await offerOf('relay', 'evmvenue');
  const replaced = await signedTransfer(world, inward.offer, inward.wish);
  world.ledger.submit(await signOther(replaced.terms.nonce as number));
  expect((await world.chains.evmvenue.source(replaced.terms)).state).toBe('unseen');
  world.mine(50);
  expect(await world.chains.evmvenue.source(replaced.terms)).toMatchObject({ state: 'expired' });
});

test('a reverted deposit has failed once final, and another transaction under the hash is named', async () => {
  const { wish, offer } = await offerOf('cctp', 'evmvenue', '50');
  const { signed, terms } = await signedTransfer(world, offer, wish);
  const held = world.ledger.balance(EVM_WALLET.address, world.ledger.history().at(-1)?.to as string);
  world.ledger.setBalance(EVM_WALLET.address, world.ledger.history().at(-1)?.to as string, 0n);
  await world.chains.evmvenue.broadcast(signed);
  expect(await world.chains.evmvenue.source(terms)).toMatchObject({ state: 'included', detail: 'it was reverted' });
  world.mine(50);
  expect((await world.chains.evmvenue.source(terms)).state).toBe('failed');
  world.ledger.setBalance(EVM_WALLET.address, world.ledger.history().at(-2)?.to as string, held);
  const other = world.ledger.submit(await signOther(world.ledger.nonce(EVM_WALLET.address)));
  expect((await world.chains.evmvenue.source({ ...terms, hash: other })).state).toBe('other');
});

test('a deposit below the height of the quote is older only if its block is: a fork may have built that height anew', async () => {
  const { wish, offer } = await offerOf('cctp', 'evmvenue', '6');
  const { signed, terms } = await signedTransfer(world, offer, wish);
  await world.chains.evmvenue.broadcast(signed);
  const { block } = world.ledger.history().at(-1) as { block: number };
  world.mine(4);
  const { height, at } = await world.chains.evmvenue.head();
  const landedAt = (at as number) - Math.ceil(((height - block) * 250) / 1_000) * 1_000;
  const quotedAt = (head: number) => ({ ...terms, heads: { ...terms.heads, evmvenue: { height: block + 2, at: head } } });
  expect((await world.chains.evmvenue.source(quotedAt(landedAt - 1_000))).state).toBe('included');
  expect(await world.chains.evmvenue.source(quotedAt(landedAt + 2_000))).toMatchObject({ state: 'other' });
});

test('signed bytes are decoded with their signer, and every changed field is named', async () => {
  const { wish, offer } = await offerOf('relay', 'evmvenue', '7');
  const { signed } = await signedTransfer(world, offer, wish);
  const read = await readSignedEvm(signed);
  if (!read.ok || offer.plan.kind !== 'evm') throw new Error('not read');
  expect(evmDifferences(offer.plan.transaction, read.value)).toEqual([]);
  const other = await offerOf('relay', 'evmvenue', '8');
  if (other.offer.plan.kind !== 'evm') throw new Error('no call');
  expect(evmDifferences(other.offer.plan.transaction, read.value)).toEqual(['data']);
  for (const broken of ['0x', '0xzz', signed.slice(0, -2), `${signed}00`, signed.toUpperCase()]) {
    const refused = await readSignedEvm(broken);
    expect(refused.ok ? null : refused.refusal.code).toBe('malformed_transaction');
  }
});

test('a provider’s refusal has its words, and its silence is distinguished', async () => {
  const low = await world.providers.relay.offer(wishFrom('spotchain', '0.5'), '500000');
  expect(low.ok ? null : low.refusal).toMatchObject({ code: 'route_refused', detail: expect.stringContaining('too low') });
  world.relaySimulator.faults.set({ status5xx: 1 });
  const away = await world.providers.relay.offer(wishFrom('spotchain'), '100000000');
  expect(away.ok ? null : away.refusal.code).toBe('unavailable');
  world.relaySimulator.faults.reset();
  const nobody = { ...wishFrom('evmvenue'), recipient: '3h1zGmCwsRJnVk5BuRNMLsPaQu1y2aqXqXDWYCgrp5UG' };
  const unopened = await world.providers.cctp.offer(nobody, '100000000');
  expect(unopened.ok ? null : unopened.refusal.detail).toContain('no USDC account');
  expect(SOLANA_WALLET.publicKey.toBase58()).not.toBe(nobody.recipient);
});

const RECORDED = new URL('../../../../shared/data/fixtures/relay/', import.meta.url);
describe.skipIf(!existsSync(RECORDED))('recorded quotes of Relay (optional test data; skipped where they are absent)', () => {
  type Recorded = {
    steps: { requestId: string; items: { data: Record<string, unknown> }[] }[];
    details: Record<string, Record<string, unknown> | string | number>;
    fees: Record<string, { amountUsd: string }>;
    protocol?: object;
  };
  const recorded = (name: string): Recorded =>
    Object.values(JSON.parse(readFileSync(new URL(`${name}.json`, RECORDED), 'utf8')) as Record<string, Recorded>)[0] as Recorded;
  const unknown: string[] = [];

  /** Returns the adapter's offer for an answer of Relay. */
  async function offeredOn(body: Recorded) {
    const clock = createLiveClock();
    const server = await listenOnLoopback({
      clock,
      faults: createFaultSwitch(1),
      port: 0,
      request: () => ({ status: 200, body }),
      socket: () => null,
    });
    const note = (_: string, field: string) => unknown.push(field);
    const http = createProviderHttp({ url: server.url, key: null, clock, random: () => 0, perMinute: 100, note });
    const terms = { http, chainId: EVM_CHAIN_ID, mint: USDC_MINT, token: TOKEN, allowance: async () => 0n, clock };
    const offer = await createRelayProvider(terms).offer(wishFrom('evmvenue'), '100000000');
    http.close();
    await server.close();
    return offer;
  }
  /** Adapts the recorded answer to the requested transfer, and keeps everything else. */
  function fitted(name: string): Recorded {
    const body = recorded(name);
    const { sender, recipient } = wishFrom('evmvenue');
    const [input, output] = [body.details['currencyIn'] as object, body.details['currencyOut'] as object];
    body.details = {
      ...body.details,
      sender,
      recipient,
      currencyIn: { ...input, amount: '100000000' },
      currencyOut: { ...output, amount: '99900000', minimumAmount: '99000000' },
      timeEstimate: 12,
    };
    return body;
  }
  const wordsOf = async (body: Recorded) => {
    const offer = await offeredOn(body);
    return offer.ok ? null : [offer.refusal.code, offer.refusal.detail];
  };

  test('a quote for another recipient, one that needs signatures and one that swaps are refused with a reason', async () => {
    expect(await wordsOf(recorded('executeBridge'))).toEqual([
      'route_refused',
      expect.stringContaining('the quote is for the sender 0x03508b'),
    ]);
    expect(await wordsOf(fitted('executeBridgeAuthorize'))).toEqual([
      'route_refused',
      expect.stringContaining('its steps are approve, authorize1, and one deposit is right'),
    ]);
    expect(await wordsOf(fitted('swapWithZeroResetApproval'))).toEqual([
      'route_refused',
      expect.stringContaining('its steps are approve, approve, swap'),
    ]);
    expect(unknown).toEqual([]);
  });

  test('a recorded deposit is accepted with its fees if it pays the requested amount to the depository for its own order', async () => {
    const order = `0x${'0a'.repeat(32)}` as const;
    const deposit = (id: `0x${string}`) => encodeFunctionData({ abi: DEPOSITORY_ABI, args: [EVM_WALLET.address, TOKEN, 100_000_000n, id] });
    const body = fitted('executeBridge');
    const [step] = body.steps;
    if (step === undefined) throw new Error('the recording has no step');
    step.requestId = `0x${'0b'.repeat(32)}`;
    const { data } = step.items[0] as { data: Record<string, unknown> };
    expect(await wordsOf(body)).toEqual(['route_refused', expect.stringContaining('orderId is missing')]);
    body.protocol = { v2: { orderId: order } };
    expect(await wordsOf(body)).toEqual(['route_refused', expect.stringContaining('not to the depository')]);
    Object.assign(data, { to: RELAY_DEPOSITORY, chainId: EVM_CHAIN_ID, data: deposit(`0x${'0c'.repeat(32)}`), value: '0' });
    expect(await wordsOf(body)).toEqual(['route_refused', expect.stringContaining(`it deposits for the order 0x0c0c`)]);
    data['data'] = deposit(order);
    const offer = await offeredOn(body);
    if (!offer.ok) throw new Error(offer.refusal.detail);
    expect(offer.value).toMatchObject({ reference: step.requestId, amountOut: '99900000', minimumOut: '99000000', estimatedSeconds: 12 });
    expect(offer.value.fees).toEqual([
      { name: 'solver gas', amountUsd: body.fees['relayerGas']?.amountUsd, included: true },
      { name: 'price difference', amountUsd: '0.094781', included: true },
      { name: 'network fee on the source chain', amountUsd: body.fees['gas']?.amountUsd, included: false },
    ]);
  });
});
