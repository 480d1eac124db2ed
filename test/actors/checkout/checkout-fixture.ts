// Checkouts on a real PostgreSQL and the sandbox's chain over sockets, on a clock that the test moves, with a creator's and a buyer's
// organization.

import { address } from '@solana/kit';
import type { CommandContext } from '../../../src/core/command-context.ts';
import type { CheckoutView } from '../../../actors/checkout/resource.ts';
import { type Runtime } from '../../../actors/runtime/runtime.ts';
import { createSolanaRpc } from '../../../src/adapters/solana/rpc.ts';
import { checkoutCapability } from '../../../src/boot/capabilities/checkout.ts';
import { USDC_DECIMALS, USDC_MINT } from '../../../src/domain/catalog/catalog.ts';
import { readUint } from '../../../src/domain/launch/byte-struct.ts';
import { associatedAccount } from '../../../src/domain/launch/curve/program.ts';
import type { Listing } from '../../../actors/listing/resource.ts';
import { TOKEN_PROGRAM } from '../../../src/domain/solana/programs.ts';
import { sandboxKey } from '../../../src/sandbox/solana/keys.ts';
import { createSolanaSimulator } from '../../../src/sandbox/solana/simulator.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { actorWorld } from '../../world/actor-world.ts';
import { SLOT, sampleManifest } from '../agent/sample.ts';
import { must } from '../launch/launch-fixture.ts';

export const CREATORS = '00000000-0000-7000-8000-000000000001';
export const BUYERS = '00000000-0000-7000-8000-000000000002';
export const OTHERS = '00000000-0000-7000-8000-000000000003';

export async function checkoutFixture() {
  const clock = createVirtualClock(SLOT);
  const organizations = { [CREATORS]: 'creators', [BUYERS]: 'buyers', [OTHERS]: 'others' };
  const world = await actorWorld({ clock, at: SLOT, organizations });
  const { sql, runtime, newId, errors, commands: agents } = world;
  const solana = await createSolanaSimulator({
    clock,
    seed: 5,
    port: 0,
    slots: 'manual',
    mints: [],
    stable: { mint: USDC_MINT, decimals: USDC_DECIMALS },
  });
  const node = createSolanaRpc({ url: solana.url, clock });
  const portsOn = (own: Runtime = runtime, chain: typeof node | null = node) =>
    checkoutCapability.callers({ sql, runtime: own, primaryChain: chain === null ? null : { chain }, clock, newId } as never).marketplace;
  const ports = portsOn();
  const payout = sandboxKey('payout of the creator');
  const wallet = {
    id: newId(),
    org_id: CREATORS,
    chain: 'spotchain',
    address: payout.address,
    challenge: 'a text',
    signature: 'signed',
    proved_by: 'ann',
    proved_at: SLOT,
  };
  await sql`insert into linked_wallets ${sql(wallet as never)}`;
  solana.chain.finalize();

  const context = (orgId = BUYERS, subject = 'bob'): CommandContext => ({
    orgId,
    subject,
    permissions: ['trade:execute'],
    requestId: `r${world.count()}`,
  });

  /** Runs due work and timers until nothing is due. */
  async function work(own: Runtime = runtime, chain: typeof node = node): Promise<void> {
    const carrying = world.carrying(world.workersOf({ primaryChain: { chain } as never }, own), own);
    await world.settle(carrying);
    await carrying.stop();
  }

  const fixture = {
    sql,
    clock,
    chain: solana.chain,
    node,
    runtime,
    errors,
    agents,
    payout,
    context,
    portsOn,
    work,
    ...ports,
    /** Creates a wallet with lamports and so many dollars of the stablecoin. */
    wallet(name: string, dollars: bigint) {
      const key = sandboxKey(name);
      solana.fund(key.address, 'SOL', 1_000_000_000n);
      if (dollars > 0n) solana.fund(key.address, USDC_MINT, dollars * 1_000_000n);
      solana.chain.finalize();
      return key;
    },
    /** Lists a new agent of the creators. */
    async listed(priceUsd: string, name = `strategy ${world.count()}`): Promise<Listing> {
      const creator = context(CREATORS, 'ann');
      const agent = must(await agents.create(creator, sampleManifest({ name })));
      const wish = { agentId: agent.id, manifestVersion: 1, priceUsd, payoutWallet: payout.address, categories: ['a'] };
      return must(await ports.listings.commands.publish(creator, wish));
    },
    /** Returns a wallet's raw units of the stablecoin, or null if it has no account. */
    holds(wallet: string): bigint | null {
      const account = solana.chain.account(address(associatedAccount(wallet, USDC_MINT, TOKEN_PROGRAM)), 'processed');
      return account === null ? null : readUint(Uint8Array.from(account.data), 64, 8);
    },
    /** Advances time and slots of the chain, and runs due work. */
    async pass(ms: number, slots = Math.ceil(ms / 400)): Promise<void> {
      clock.advanceTo(clock.now() + ms);
      solana.chain.advance(slots);
      await work();
    },
    async find(id: string): Promise<CheckoutView> {
      const found = await ports.checkouts.reads.find(BUYERS, id);
      if (found === null) throw new Error(`there is no checkout ${id}`);
      return found;
    },
    /** Lets the chain finalize and the checkout learn of it. */
    async finished(id: string): Promise<CheckoutView> {
      for (let round = 0; round < 4; round++) await fixture.pass(2_100);
      solana.chain.finalize();
      for (let round = 0; round < 30; round++) {
        await fixture.pass(6_000, 10);
        const found = await fixture.find(id);
        if (['licensed', 'expired', 'failed'].includes(found.state)) return found;
      }
      return fixture.find(id);
    },
    licences: async () => (await ports.checkouts.reads.licences(BUYERS, { limit: 200, after: null })).items,
    async close(): Promise<void> {
      node.close();
      await solana.close();
      await world.close();
    },
  };
  return fixture;
}
export type CheckoutFixture = Awaited<ReturnType<typeof checkoutFixture>>;

/** Returns code and sentence of a refusal, or null if nothing was refused. */
export async function refused(
  outcome: Promise<{ ok: boolean; refusal?: { code: string; detail: string } }>,
): Promise<[string, string] | null> {
  const { refusal } = await outcome;
  return refusal === undefined ? null : [refusal.code, refusal.detail];
}
