// Checkouts from their preparation to the imported agent, and every payment that comes late, twice, altered or from elsewhere.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyEd25519 } from '../../../src/adapters/solana/ed25519.ts';
import { API_ROLE } from '../../../src/adapters/store/callers/as-organization.ts';
import { readTransaction } from '../../../src/domain/solana/message.ts';
import { MEMO_PROGRAM } from '../../../src/domain/solana/programs.ts';
import { type PreparedMessage, verifySigned } from '../../../src/domain/solana/verify.ts';
import { sandboxKey } from '../../../src/sandbox/solana/keys.ts';
import { must, signedBy } from '../launch/launch-fixture.ts';
import { BUYERS, type CheckoutFixture, CREATORS, checkoutFixture, OTHERS, refused } from './checkout-fixture.ts';
import { rounds } from '../../harness/rounds.ts';

let fixture: CheckoutFixture;
let commands: CheckoutFixture['checkouts']['commands'];
beforeAll(async () => {
  fixture = await checkoutFixture();
  ({ commands } = fixture.checkouts);
});
afterAll(() => fixture.close());

const begin = async (listingId: string, buyer: string | null) => must(await commands.begin(fixture.context(), listingId, buyer));
const settle = (id: string, signed: string) => commands.settle(fixture.context(), id, signed);

/** Pays for a checkout outside of the service, which lets it expire, and begins another one. */
async function paidUnseen(listingId: string, buyer: ReturnType<CheckoutFixture['wallet']>) {
  const first = await begin(listingId, buyer.address);
  const signed = signedBy(buyer, first.transaction as string);
  await fixture.node.broadcast(new Uint8Array(Buffer.from(signed, 'base64')));
  fixture.chain.advance(2);
  fixture.chain.expireBlockhashes();
  fixture.chain.finalize();
  for (let round = 0; round < 4; round++) await fixture.pass(16_000);
  return { first, signed, second: await begin(listingId, buyer.address) };
}

describe('a purchase', () => {
  test('pays the creator everything, creates the account, issues one licence, and imports a draft with the same hash', async () => {
    const listing = await fixture.listed('49.500001');
    const buyer = fixture.wallet('first buyer', 100n);
    expect(fixture.holds(fixture.payout.address)).toBeNull();
    const prepared = await begin(listing.id, buyer.address);
    expect(prepared).toMatchObject({
      state: 'prepared',
      memo: `sevengate:checkout:${prepared.id}`,
      licenceId: null,
      priceUsd: '49.500001',
    });
    const read = readTransaction(new Uint8Array(Buffer.from(prepared.transaction as string, 'base64')));
    if (!read.ok) throw new Error(read.refusal.detail);
    const memo = read.value.instructions.find(({ program }) => program === MEMO_PROGRAM);
    expect(Buffer.from(memo?.data ?? []).toString()).toBe(prepared.memo);
    expect(await refused(commands.importListing(fixture.context(), listing.id))).toEqual([
      'licence_missing',
      expect.stringContaining('checkout'),
    ]);

    const signed = signedBy(buyer, prepared.transaction as string);
    const submitted = must(await settle(prepared.id, signed));
    expect(submitted).toMatchObject({ state: 'submitted', transaction: prepared.transaction });
    await fixture.pass(2_100);
    expect(await fixture.licences()).toEqual([]);
    const done = await fixture.finished(prepared.id);
    expect(done, JSON.stringify(fixture.errors)).toMatchObject({ state: 'licensed', signature: submitted.signature });
    expect(fixture.holds(fixture.payout.address)).toBe(49_500_001n);
    expect(fixture.holds(buyer.address)).toBe(50_499_999n);
    expect(await fixture.licences()).toMatchObject([{ id: done.licenceId, listingId: listing.id, manifestHash: listing.manifestHash }]);

    const agent = must(await commands.importListing(fixture.context(), listing.id));
    expect(agent).toMatchObject({
      stage: 'draft',
      autonomy: 'research',
      manifestHash: listing.manifestHash,
      manifestVersion: 1,
      createdBy: 'bob',
    });
    const [row] = await fixture.sql`select org_id, stage, autonomy, manifest_hash from agents where id = ${agent.id}`;
    expect(row).toEqual({ org_id: BUYERS, stage: 'draft', autonomy: 'research', manifest_hash: listing.manifestHash });
    const [licence] = await fixture.licences();
    expect(licence?.agentIds).toEqual([agent.id]);
    // Submitting the same bytes again returns the present state and buys nothing twice.
    expect(must(await settle(prepared.id, signed)).state).toBe('licensed');
    expect((await refused(commands.begin(fixture.context(), listing.id, buyer.address)))?.[1]).toContain('holds licence');
    must(await fixture.listings.commands.unlist(fixture.context(CREATORS, 'ann'), listing.id));
    must(await commands.importListing(fixture.context(), listing.id));
  });

  test('of a free strategy needs no wallet, no transaction and no node', async () => {
    const listing = await fixture.listed('0');
    const free = must(await fixture.portsOn(fixture.runtime, null).checkouts.commands.begin(fixture.context(), listing.id, null));
    expect(free).toMatchObject({ state: 'licensed', transaction: null, memo: null, licenceId: expect.any(String) });
    expect((await fixture.find(free.id)).licenceId).toBe(free.licenceId);
    expect(await refused(settle(free.id, 'AAAA'))).toEqual(['state_conflict', expect.stringContaining('costs nothing')]);
    must(await commands.importListing(fixture.context(), listing.id));
    const priced = await fixture.listed('1');
    const off = fixture.portsOn(fixture.runtime, null).checkouts.commands;
    expect((await refused(off.begin(fixture.context(), priced.id, fixture.wallet('no node', 5n).address)))?.[0]).toBe('feature_disabled');
  });

  test('keeps its price and its listing, whatever happens to them before the payment', async () => {
    const listing = await fixture.listed('5');
    const buyer = fixture.wallet('buyer of a moving listing', 10n);
    const prepared = await begin(listing.id, buyer.address);
    const creator = fixture.context(CREATORS, 'ann');
    must(await fixture.listings.commands.reprice(creator, listing.id, '9'));
    must(await fixture.listings.commands.unlist(creator, listing.id));
    must(await settle(prepared.id, signedBy(buyer, prepared.transaction as string)));
    expect(await fixture.finished(prepared.id)).toMatchObject({ state: 'licensed', priceUsd: '5' });
    expect(fixture.holds(buyer.address)).toBe(5_000_000n);
    expect((await refused(commands.begin(fixture.context(OTHERS), listing.id, buyer.address)))?.[1]).toContain('unlisted');
  });
});

describe('a payment', () => {
  test('expires if never signed; signed afterwards it is not sent, and the chain does not know it', async () => {
    const listing = await fixture.listed('5');
    const buyer = fixture.wallet('idle buyer', 10n);
    const prepared = await begin(listing.id, buyer.address);
    expect((await refused(commands.begin(fixture.context(), listing.id, buyer.address)))?.[1]).toContain(
      `checkout ${prepared.id} of this listing is under way`,
    );
    fixture.chain.expireBlockhashes();
    fixture.chain.finalize();
    for (let round = 0; round < 4; round++) await fixture.pass(16_000);
    expect((await fixture.find(prepared.id)).state).toBe('expired');
    const late = must(await settle(prepared.id, signedBy(buyer, prepared.transaction as string)));
    expect(late.state).toBe('late');
    expect(await fixture.finished(prepared.id)).toMatchObject({ state: 'expired', reason: 'not_landed' });
    expect(fixture.holds(buyer.address)).toBe(10_000_000n);
    expect((await begin(listing.id, buyer.address)).id).not.toBe(prepared.id);
  });

  test('counts once its bytes are submitted if the wallet sent it itself, also after the expiry', async () => {
    const listing = await fixture.listed('6');
    const buyer = fixture.wallet('buyer who sends himself', 20n);
    const prepared = await begin(listing.id, buyer.address);
    const signed = signedBy(buyer, prepared.transaction as string);
    await fixture.node.broadcast(new Uint8Array(Buffer.from(signed, 'base64')));
    fixture.chain.advance(2);
    fixture.chain.finalize();
    fixture.chain.expireBlockhashes();
    fixture.chain.finalize();
    for (let round = 0; round < 4; round++) await fixture.pass(16_000);
    expect((await fixture.find(prepared.id)).state).toBe('expired');
    must(await settle(prepared.id, signed));
    expect(await fixture.finished(prepared.id)).toMatchObject({ state: 'licensed', licenceId: expect.any(String) });
    expect(fixture.holds(buyer.address)).toBe(14_000_000n);
  });

  test('buys nothing more if the licence was bought by another checkout meanwhile, and says who has the money', async () => {
    const listing = await fixture.listed('2');
    const buyer = fixture.wallet('buyer who pays twice', 20n);
    const { first, signed, second } = await paidUnseen(listing.id, buyer);
    must(await settle(second.id, signedBy(buyer, second.transaction as string)));
    expect((await fixture.finished(second.id)).state).toBe('licensed');
    const answer = await refused(settle(first.id, signed));
    expect(answer).toEqual(['state_conflict', expect.stringContaining('only the creator can return it')]);
    expect((await fixture.licences()).filter(({ listingId }) => listingId === listing.id)).toHaveLength(1);
  });

  test('is not sent if another checkout has brought the licence by a payment that landed late', async () => {
    const listing = await fixture.listed('2');
    const buyer = fixture.wallet('buyer who finds his first payment', 20n);
    const { first, signed, second } = await paidUnseen(listing.id, buyer);
    expect(must(await settle(first.id, signed)).state).toBe('late');
    expect((await fixture.finished(first.id)).state).toBe('licensed');
    expect(fixture.holds(buyer.address)).toBe(18_000_000n);
    const answer = await refused(settle(second.id, signedBy(buyer, second.transaction as string)));
    expect(answer).toEqual(['state_conflict', expect.stringContaining('this payment is not sent')]);
    fixture.chain.finalize();
    await fixture.pass(6_000);
    expect(fixture.holds(buyer.address)).toBe(18_000_000n);
  });

  test('is not sent while a payment of another checkout, which may have landed late, is looked for', async () => {
    const listing = await fixture.listed('2');
    const buyer = fixture.wallet('buyer who is impatient', 20n);
    const { first, signed, second } = await paidUnseen(listing.id, buyer);
    expect(must(await settle(first.id, signed)).state).toBe('late');
    const answer = await refused(settle(second.id, signedBy(buyer, second.transaction as string)));
    expect(answer).toEqual(['state_conflict', expect.stringContaining(first.id)]);
    expect((await fixture.finished(first.id)).state).toBe('licensed');
    fixture.chain.finalize();
    await fixture.pass(6_000);
    expect(fixture.holds(buyer.address)).toBe(18_000_000n);
  });

  test('that is looked for after its expiry holds up another checkout of the listing', async () => {
    const listing = await fixture.listed('2');
    const buyer = fixture.wallet('buyer in a hurry', 20n);
    const first = await begin(listing.id, buyer.address);
    fixture.chain.expireBlockhashes();
    fixture.chain.finalize();
    for (let round = 0; round < 4; round++) await fixture.pass(16_000);
    expect(must(await settle(first.id, signedBy(buyer, first.transaction as string))).state).toBe('late');
    expect((await refused(commands.begin(fixture.context(), listing.id, buyer.address)))?.[1]).toContain(first.id);
  });

  test('of another organization or checkout, unsigned or altered, is refused, and nothing is sent', async () => {
    const [one, other] = [await fixture.listed('3'), await fixture.listed('3')];
    const buyer = fixture.wallet('careful buyer', 20n);
    const [first, second] = [await begin(one.id, buyer.address), await begin(other.id, buyer.address)];
    const signed = signedBy(buyer, first.transaction as string);
    const code = async (work: Parameters<typeof refused>[0]) => (await refused(work))?.[0];
    expect(await code(settle(second.id, signed))).toBe('signed_bytes_differ');
    expect(await code(settle(first.id, signedBy(sandboxKey('somebody else'), first.transaction as string)))).toBe('signature_invalid');
    expect(await code(settle(first.id, first.transaction as string))).toBe('signature_missing');
    expect(await code(settle(first.id, 'AAAA'))).toBe('malformed_transaction');
    expect(await code(commands.settle(fixture.context(OTHERS, 'eve'), first.id, signed))).toBe('not_found');
    expect(await code(commands.importListing(fixture.context(OTHERS, 'eve'), one.id))).toBe('licence_missing');
    expect(await fixture.find(first.id)).toMatchObject({ state: 'prepared', signature: null });
    expect(fixture.holds(buyer.address)).toBe(20_000_000n);
    must(await settle(first.id, signed));
    // Once a payment is accepted, other bytes are refused, and its signature cannot pay another checkout.
    expect(await code(settle(first.id, signedBy(sandboxKey('somebody else'), first.transaction as string)))).toBe('state_conflict');
    expect(await code(settle(second.id, signed))).toBe('signed_bytes_differ');
    expect((await fixture.finished(first.id)).state).toBe('licensed');
    expect(fixture.holds(buyer.address)).toBe(17_000_000n);
  });

  test('is not prepared for a buyer who cannot pay, or who is the creator', async () => {
    const listing = await fixture.listed('30');
    const before = await fixture.sql`select count(*)::int as n from marketplace_checkouts`;
    expect(await refused(commands.begin(fixture.context(), listing.id, fixture.wallet('poor buyer', 29n).address))).toEqual([
      'payment_refused',
      expect.stringContaining('too little of the stablecoin'),
    ]);
    expect((await refused(commands.begin(fixture.context(), listing.id, fixture.wallet('no dollars', 0n).address)))?.[0]).toBe(
      'payment_refused',
    );
    expect((await refused(commands.begin(fixture.context(), listing.id, null)))?.[0]).toBe('malformed');
    expect((await refused(commands.begin(fixture.context(), listing.id, fixture.payout.address)))?.[0]).toBe('malformed');
    expect((await refused(commands.begin(fixture.context(), '019a5b1e-7c00-7000-8000-00000000ffff', null)))?.[0]).toBe('not_found');
    expect(await fixture.sql`select count(*)::int as n from marketplace_checkouts`).toEqual(before);
  });

  test('is refused for every single bit that differs from the prepared one', async () => {
    const listing = await fixture.listed('4');
    const buyer = fixture.wallet('buyer of bits', 20n);
    const prepared = await begin(listing.id, buyer.address);
    const bytes = Buffer.from(signedBy(buyer, prepared.transaction as string), 'base64');
    const [row] = await fixture.sql<
      { message: PreparedMessage }[]
    >`select message from prepared_transactions where subject->>'checkoutId' = ${prepared.id}`;
    const { message } = row as { message: PreparedMessage };
    expect(verifySigned(message, bytes, verifyEd25519).ok).toBe(true);
    const taken: number[] = [];
    for (let bit = 0; bit < bytes.length * 8; bit += rounds({ suite: 7, proof: 1 })) {
      const flip = () => {
        bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
      };
      flip();
      if (verifySigned(message, bytes, verifyEd25519).ok) taken.push(bit);
      if (bit % 98 === 0 && (await settle(prepared.id, bytes.toString('base64'))).ok) taken.push(bit);
      flip();
    }
    expect(taken).toEqual([]);
    expect(await fixture.find(prepared.id)).toMatchObject({ state: 'prepared', signature: null });
  });

  test('is accepted once from many members at the same moment, and one checkout is open at a time', async () => {
    const listing = await fixture.listed('1');
    const buyer = fixture.wallet('busy buyers', 20n);
    const begun = await Promise.all(Array.from({ length: 5 }, () => commands.begin(fixture.context(), listing.id, buyer.address)));
    expect(begun.filter(({ ok }) => ok)).toHaveLength(1);
    const prepared = must(begun.find(({ ok }) => ok) as (typeof begun)[number]);
    const signed = signedBy(buyer, prepared.transaction as string);
    const settled = await Promise.all(Array.from({ length: 6 }, () => settle(prepared.id, signed)));
    expect(settled.every(({ ok }) => ok)).toBe(true);
    expect((await fixture.finished(prepared.id)).state).toBe('licensed');
    expect(fixture.holds(buyer.address)).toBe(19_000_000n);
    expect((await fixture.licences()).filter(({ listingId }) => listingId === listing.id)).toHaveLength(1);
  });
});

test('the database issues no licence without payment, and shows rules only to licence holders', async () => {
  const listing = await fixture.listed('8');
  const prepared = await begin(listing.id, fixture.wallet('buyer without a licence', 20n).address);
  const insert = (state: string) => fixture.sql`
    insert into licences (id, org_id, listing_id, checkout_id, manifest_hash, price_usd, signature, issued_to, issued_at)
    values (${listing.id}, ${BUYERS}, ${listing.id}, ${prepared.id}, ${listing.manifestHash}, 8, ${state}, 'eve', 0)`;
  await expect(insert('none')).rejects.toThrow('does not lead to this licence');
  await expect(fixture.sql`update marketplace_checkouts set price_usd = 0 where id = ${prepared.id}`).rejects.toThrow('permission denied');
  await expect(fixture.sql`delete from licences`).rejects.toThrow();
  const seen = await fixture.sql.begin(async (transaction) => {
    await transaction.unsafe(`set local role ${API_ROLE}`);
    const rulesFor = async (orgId: string): Promise<number> => {
      await transaction`select set_config('sevengate.organization', ${orgId}, true)`;
      const [row] = await transaction<{ n: number }[]>`select count(*)::int as n from listing_rules where listing_id = ${listing.id}`;
      return row?.n as number;
    };
    return [await rulesFor(CREATORS), await rulesFor(BUYERS)];
  });
  expect(seen).toEqual([1, 0]);
});
