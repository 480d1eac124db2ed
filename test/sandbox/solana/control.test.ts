// Control of the chain: commitments, forks, lost and late transactions, programs of a folder, faults, and the operator's controls.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { address, getBase58Decoder } from '@solana/kit';
import { Keypair, PublicKey, SystemProgram, TransactionInstruction, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifyEd25519 } from '../../../src/adapters/solana/ed25519.ts';
import { openSandboxControl } from '../../../src/sandbox/control.ts';
import { chainStatus, chainVerbs } from '../../../src/sandbox/solana/chain-verbs.ts';
import { createMachine } from '../../../src/sandbox/solana/machine.ts';
import { createSolanaSimulator } from '../../../src/sandbox/solana/simulator.ts';
import { type ChainFixture, chainFixture, type Json, STABLE } from './chain-fixture.ts';

let fixture: ChainFixture;
const cleanups: (() => unknown)[] = [];
beforeEach(async () => {
  fixture = await chainFixture();
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  await fixture.close();
});

const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

/** Returns a signed payment, ready to send. */
async function payment(from: Keypair, to: PublicKey, lamports: number, ...more: TransactionInstruction[]) {
  const { result } = await fixture.ask('getLatestBlockhash', { commitment: 'processed' });
  const message = new TransactionMessage({
    payerKey: from.publicKey,
    recentBlockhash: result.value.blockhash,
    instructions: [SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports }), ...more],
  });
  const transaction = new VersionedTransaction(message.compileToV0Message());
  transaction.sign([from]);
  return Buffer.from(transaction.serialize()).toString('base64');
}
const send = async (base64: string): Promise<string> => {
  const { result, error } = await fixture.ask('sendTransaction', base64, { encoding: 'base64', preflightCommitment: 'processed' });
  expect(error).toBeUndefined();
  return result;
};
const balance = async (of: PublicKey, commitment: string): Promise<number> =>
  (await fixture.ask('getBalance', of.toBase58(), { commitment })).result.value;
const balances = (of: PublicKey) => Promise.all(['processed', 'confirmed', 'finalized'].map((commitment) => balance(of, commitment)));
const stateOf = async (signature: string): Promise<string | null> =>
  (await fixture.ask('getSignatureStatuses', [signature], { searchTransactionHistory: true })).result.value[0]?.confirmationStatus ?? null;

describe('commitments', () => {
  test('are reached as slots pass, and every read sees the balances of its commitment', async () => {
    const [payer, to] = [fixture.rich(), Keypair.generate().publicKey];
    const signature = await send(await payment(payer, to, 3_000_000));
    expect([await stateOf(signature), ...(await balances(to))]).toEqual(['processed', 3_000_000, 0, 0]);
    fixture.chain.advance(2);
    expect([await stateOf(signature), ...(await balances(to))]).toEqual(['confirmed', 3_000_000, 3_000_000, 0]);
    fixture.chain.advance(29);
    expect(await stateOf(signature)).toBe('confirmed');
    fixture.chain.advance(1);
    expect([await stateOf(signature), ...(await balances(to))]).toEqual(['finalized', 3_000_000, 3_000_000, 3_000_000]);
    const [status] = (await fixture.ask('getSignatureStatuses', [signature])).result.value;
    expect(status.confirmations).toBeNull();
  });

  test('can be held by the test, and continue when released', async () => {
    const [payer, to] = [fixture.rich(), Keypair.generate().publicKey];
    fixture.chain.hold('processed');
    const signature = await send(await payment(payer, to, 3_000_000));
    fixture.chain.advance(100);
    expect([await stateOf(signature), ...(await balances(to))]).toEqual(['processed', 3_000_000, 0, 0]);
    fixture.chain.hold('confirmed');
    expect(await stateOf(signature)).toBe('confirmed');
    fixture.chain.advance(100);
    expect([await stateOf(signature), ...(await balances(to))]).toEqual(['confirmed', 3_000_000, 3_000_000, 0]);
    fixture.chain.hold(null);
    expect(await stateOf(signature)).toBe('finalized');
  });

  test('advance with the clock if the chain is not controlled manually', async () => {
    const other = await createSolanaSimulator({ clock: fixture.clock, seed: 1, port: 0, mints: [], stable: STABLE });
    cleanups.push(() => other.close());
    const before = other.chain.slot('processed');
    fixture.clock.advanceTo(fixture.clock.now() + 4_000);
    expect(other.chain.slot('processed')).toBe(before + 10);
    expect(fixture.chain.slot('processed')).toBe(before);
  });
});

describe('a fork', () => {
  test('undoes one transaction and its dependents, and the same bytes land again', async () => {
    const [payer, middle, to] = [fixture.rich(), Keypair.generate(), Keypair.generate().publicKey];
    const first = await payment(payer, middle.publicKey, 50_000_000);
    const [one, two] = [await send(first), await send(await payment(middle, to, 20_000_000))];
    const other = await send(await payment(payer, to, 7_000_000));
    expect(fixture.chain.drop(one)).toBe(true);
    // Without the first, the second has nothing to spend.
    expect([await stateOf(one), await stateOf(two), await stateOf(other)]).toEqual([null, null, 'processed']);
    expect(await balance(to, 'processed')).toBe(7_000_000);
    expect(await send(first)).toBe(one);
    expect(await balance(middle.publicKey, 'processed')).toBe(50_000_000);
    fixture.chain.finalize();
    expect(fixture.chain.drop(one)).toBe(false);
    expect(await stateOf(one)).toBe('finalized');
  });

  test('leaves what an honest chain without the dropped ones would have', async () => {
    const people = Array.from({ length: 4 }, (_, index) => Keypair.fromSeed(Uint8Array.from({ length: 32 }, () => index + 1)));
    const step = fc.record({ from: fc.nat(3), to: fc.nat(3), lamports: fc.integer({ min: 1_000_000, max: 400_000_000 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), fc.array(fc.nat(7), { maxLength: 4 }), async (steps, drops) => {
        const [forked, honest] = await Promise.all([chainFixture(), chainFixture()]);
        const was = fixture;
        try {
          for (const chain of [forked, honest]) for (const one of people) chain.node.fund(one.publicKey.toBase58(), 'SOL', 600_000_000n);
          fixture = forked;
          const sent: string[] = [];
          for (const { from, to, lamports } of steps) {
            const bytes = await payment(people[from] as Keypair, (people[to] as Keypair).publicKey, lamports);
            await forked.ask('sendTransaction', bytes, { encoding: 'base64', skipPreflight: true });
            // A chain only knows the blockhashes that it issued, and equal chains have the same.
            await honest.ask('getLatestBlockhash', { commitment: 'processed' });
            sent.push(bytes);
          }
          const named = (bytes: string) => VersionedTransaction.deserialize(Buffer.from(bytes, 'base64')).signatures[0] as Uint8Array;
          const gone = new Set(drops.filter((index) => index < sent.length));
          for (const index of gone) forked.chain.drop(getBase58Decoder().decode(named(sent[index] as string)));
          for (const [index, bytes] of sent.entries())
            if (!gone.has(index)) await honest.ask('sendTransaction', bytes, { encoding: 'base64', skipPreflight: true });
          for (const { publicKey } of people)
            for (const commitment of ['processed', 'finalized'] as const)
              expect(forked.chain.account(address(publicKey.toBase58()), commitment)?.lamports).toBe(
                honest.chain.account(address(publicKey.toBase58()), commitment)?.lamports,
              );
        } finally {
          fixture = was;
          await Promise.all([forked.close(), honest.close()]);
        }
      }),
      { numRuns: 10 },
    );
  });
});

describe('what the node takes', () => {
  test('may be lost, or land late: until its blockhash expires and never after', async () => {
    const [payer, to] = [fixture.rich(), Keypair.generate().publicKey];
    fixture.chain.intake('lose');
    const lost = await send(await payment(payer, to, 1_000_000));
    fixture.chain.advance(40);
    expect(await stateOf(lost)).toBeNull();
    fixture.chain.intake('keep');
    const late = await send(await payment(payer, to, 2_000_000));
    fixture.chain.advance(140);
    expect(fixture.chain.landKept()).toBe(1);
    expect(await stateOf(late)).toBe('processed');
    const never = await send(await payment(payer, to, 4_000_000));
    fixture.chain.expireBlockhashes();
    expect(fixture.chain.landKept()).toBe(0);
    expect(await stateOf(never)).toBeNull();
    expect(await balance(to, 'processed')).toBe(2_000_000);
  });

  test('is executed although its answer is lost', async () => {
    const [payer, to] = [fixture.rich(), Keypair.generate().publicKey];
    const bytes = await payment(payer, to, 1_000_000);
    fixture.node.faults.set({ lostAnswer: 1 });
    await expect(fixture.ask('sendTransaction', bytes, { encoding: 'base64', preflightCommitment: 'processed' })).rejects.toThrow();
    fixture.node.faults.reset();
    expect(await balance(to, 'processed')).toBe(1_000_000);
  });

  test('is refused with 429 and 503 while the node is busy, and heights are wrong if a node is', async () => {
    fixture.node.faults.set({ status429: 1 });
    expect((await fetch(fixture.url, { method: 'POST', body: '{}' })).status).toBe(429);
    fixture.node.faults.set({ status429: 0, status5xx: 1 });
    expect((await fetch(fixture.url, { method: 'POST', body: '{}' })).status).toBe(503);
    fixture.node.faults.reset();
    const height = (await fixture.ask('getBlockHeight')).result as number;
    fixture.chain.misreportHeight(500);
    expect((await fixture.ask('getBlockHeight')).result).toBe(height + 500);
  });
});

describe('programs of a folder', () => {
  const folder = (): string => {
    const made = mkdtempSync(join(tmpdir(), 'programs-'));
    cleanups.push(() => rmSync(made, { recursive: true, force: true }));
    return made;
  };
  /** Returns the memo program as deployed. */
  const elf = (): Uint8Array => createMachine().account(address(MEMO))?.data as Uint8Array;

  test('run under their file names', async () => {
    const [programs, id] = [folder(), Keypair.generate().publicKey];
    writeFileSync(join(programs, `${id.toBase58()}.so`), elf());
    writeFileSync(join(programs, 'README.md'), 'not a program');
    await fixture.close();
    fixture = await chainFixture({ programs });
    const payer = fixture.rich();
    const hello = new TransactionInstruction({ programId: id, keys: [], data: Buffer.from('hello') });
    const signature = await send(await payment(payer, Keypair.generate().publicKey, 1_000_000, hello));
    fixture.chain.finalize();
    const { result } = await fixture.ask('getTransaction', signature, { maxSupportedTransactionVersion: 0 });
    expect(result.meta.logMessages.join('\n')).toContain(`Program ${id.toBase58()} success`);
    expect(result.meta.logMessages.join('\n')).toContain('Program log: hello');
  });

  test.each([
    ['a name that is not an address', 'memo.so', () => elf(), /memo\.so should be named after its program/],
    ['a program that is there already', `${MEMO}.so`, () => elf(), /is on the sandbox's chain already/],
    [
      'a file that is no program',
      `${Keypair.generate().publicKey.toBase58()}.so`,
      () => Buffer.from('hello'),
      /is no program that the virtual machine takes/,
    ],
    [
      'half a program',
      `${Keypair.generate().publicKey.toBase58()}.so`,
      () => elf().subarray(0, 900),
      /is no program that the virtual machine takes/,
    ],
  ])('stop the start: %s', async (_, name, bytes, sentence) => {
    const programs = folder();
    writeFileSync(join(programs, name), bytes());
    await expect(chainFixture({ programs })).rejects.toThrow(sentence);
    await expect(chainFixture({ programs })).rejects.toThrow(join(programs, name));
  });

  test('stop the start if the folder cannot be read', async () => {
    await expect(chainFixture({ programs: '/nowhere/at/all' })).rejects.toThrow(
      /the folder of program binaries, \/nowhere\/at\/all, cannot be read/,
    );
  });
});

test("the operator's control moves the chain, and reports invalid input", async () => {
  const faults = { primarychain: fixture.node.faults };
  const client = { status: () => chainStatus(fixture.chain), verbs: chainVerbs(fixture.chain, fixture.aggregator) };
  const control = await openSandboxControl({ faults, chain: client, port: 0 });
  cleanups.push(() => control.close());
  const post = async (verb: string, body: unknown) => {
    const response = await fetch(`${control.url}/chain/${verb}`, { method: 'POST', body: JSON.stringify(body) });
    return [response.status, await response.json()] as [number, Json];
  };
  const owner = Keypair.generate().publicKey;
  const [status, funded] = await post('fund', { owner: owner.toBase58(), mint: STABLE.mint, amount: '5000000' });
  expect(status).toBe(200);
  const before = ((await (await fetch(`${control.url}/chain`)).json()) as Json).slots.finalized as number;
  expect(await post('finalize', {})).toEqual([200, {}]);
  expect(await stateOf(funded.signature)).toBe('finalized');
  expect(((await (await fetch(`${control.url}/chain`)).json()) as Json).slots.finalized).toBe(before + 32);
  expect(await post('drop', { signature: funded.signature })).toEqual([200, { dropped: false }]);
  const [, { address: wallet }] = await post('wallet', { name: 'me' });
  const [, { signature }] = await post('sign_text', { name: 'me', text: 'Größe: mine' });
  const raw = Buffer.from(signature, 'base64');
  expect(verifyEd25519(raw, Buffer.from('Größe: mine', 'utf8'), new PublicKey(wallet).toBytes())).toBe(true);
  for (const [verb, body, words] of [
    ['fund', { owner: 'me', mint: STABLE.mint, amount: '5' }, /the owner must be an address/],
    ['fund', { owner: owner.toBase58(), mint: owner.toBase58(), amount: '5' }, /there is no mint/],
    ['fund', { owner: owner.toBase58(), mint: STABLE.mint, amount: 5 }, /amount must be a whole number of base units as text/],
    ['advance', { slots: -1 }, /slots must be a whole number/],
    ['hold', { at: 'finalized' }, /at must be one of/],
    ['intake', { way: 'eat' }, /way must be one of/],
    ['cheat', { how: 'nicely' }, /how must be one of/],
    ['height', {}, /whole number/],
    ['wallet', {}, /name must be a text/],
    ['sign', { name: 'me', transaction: 'AAAA' }, /transaction must be a transaction in base64/],
    ['sign', { name: 'me', transaction: await payment(Keypair.generate(), owner, 1) }, /does not sign this transaction/],
    ['sign_text', { name: 'me' }, /text must be a text/],
    ['buy_out', { mint: STABLE.mint }, /no curve sells/],
  ] as const) {
    const [code, answer] = await post(verb, body);
    expect([verb, code]).toEqual([verb, 400]);
    expect(answer.error).toMatch(words);
  }
  expect((await post('explode', {}))[0]).toBe(404);
});
