// A transfer inserted by a wallet is reported alone, although it moves accounts of other instructions out of the lookup table.
import { AddressLookupTableAccount, PublicKey, SystemProgram, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { keyOf } from '../../domain/solana/honest-transactions.ts';
import { preparedSwap, swapFixture } from './swap-fixture.ts';

test('a transfer inserted by a wallet is the only instruction reported', async () => {
  const fixture = await swapFixture();
  const order = await preparedSwap(fixture);
  const transaction = VersionedTransaction.deserialize(Buffer.from(order.unsigned, 'base64'));
  const tables = await Promise.all(
    transaction.message.addressTableLookups.map(async ({ accountKey }) => {
      const addresses = ((await fixture.node.lookupTable(accountKey.toBase58())) ?? []).map((address) => new PublicKey(address));
      const state = { deactivationSlot: 0xffff_ffff_ffff_ffffn, lastExtendedSlot: 0, lastExtendedSlotStartIndex: 0, addresses };
      return new AddressLookupTableAccount({ key: accountKey, state });
    }),
  );
  // The system program is in the lookup table, but as the program of an instruction it must be among the static keys.
  expect(tables.flatMap(({ state }) => state.addresses.map(String))).toContain(SystemProgram.programId.toBase58());
  const message = TransactionMessage.decompile(transaction.message, { addressLookupTableAccounts: tables });
  const transfer = { fromPubkey: fixture.wallet.publicKey, toPubkey: keyOf(9).publicKey, lamports: 5 };
  message.instructions.push(SystemProgram.transfer(transfer));
  const changed = new VersionedTransaction(message.compileToV0Message(tables));
  changed.sign([fixture.wallet]);
  const refused = await fixture.swaps.execute(fixture.context(), order.id, Buffer.from(changed.serialize()).toString('base64'));
  expect(refused).toMatchObject({
    ok: false,
    refusal: { code: 'signed_bytes_differ', difference: { inserted: [{ name: 'System' }], removed: [], altered: [], reordered: false } },
  });
  await fixture.close();
});
