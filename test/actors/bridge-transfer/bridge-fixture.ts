// Transfers over real stores, chains and providers: quoted, signed and submitted as callers do, and followed round by round as workers do.
import type { BridgeCommands } from '../../../actors/bridge-transfer/commands.ts';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import { createBridgeTransferStore } from '../../../src/adapters/store/bridge/bridge-transfer-store.ts';
import { bridgeTransferCapability } from '../../../src/boot/capabilities/bridge-transfer.ts';
import { isEnded } from '../../../src/domain/bridge/axes.ts';
import type { BridgeTransfer } from '../../../actors/bridge-transfer/resource.ts';
import { EVM_WALLET, openBridgeOver, openBridgeWorld, signEvm, signSolana, wishFrom } from '../../adapters/bridge/bridge-world.ts';
import { actorWorld } from '../../world/actor-world.ts';

export const ORG = '00000000-0000-7000-8000-00000000000a';
export const STRANGER = '00000000-0000-7000-8000-00000000000b';

export async function openBridgeFixture() {
  const world = await openBridgeWorld();
  const actors = await actorWorld({
    clock: world.clock,
    at: world.clock.now(),
    organizations: { [ORG]: 'ours', [STRANGER]: 'theirs' },
  });
  const { sql, runtime, newId } = actors;
  const bridge = openBridgeOver(world);
  const callers = bridgeTransferCapability.callers({ sql, runtime, bridge, clock: world.clock, newId } as never);
  const commands: BridgeCommands = callers.bridge.commands;
  const transfers = createBridgeTransferStore(sql);

  /** Runs one round of a worker process: due work, then timers. */
  async function round(own: Runtime = runtime): Promise<void> {
    await sql`update activities set due_at = 0 where state = 'pending'`;
    await sql`update execution_leases set held_until = clock_timestamp() - interval '1 millisecond'`;
    await actors.carrying(actors.workersOf({ bridge }, own), own).carryDue();
    await actors
      .timersOf(own)
      .fireDue()
      .catch(() => {});
  }

  /** Mines blocks of both chains, and advances four seconds. */
  function pass(): void {
    world.solana.chain.advance(10);
    world.mine(16);
    world.clock.forward(4_000);
    world.catchUp();
  }

  const contextOf = () => ({ orgId: ORG, subject: 'ann', permissions: ['trade:execute' as const], requestId: `r${actors.count()}` });

  /** Quotes a fixed amount and mines a block, so that the signed transaction lands after the quote's block. */
  async function quoted(from: 'spotchain' | 'evmvenue', provider: 'relay' | 'cctp'): Promise<BridgeTransfer> {
    world.catchUp();
    const outcome = await commands.quote(contextOf(), { ...wishFrom(from, '25'), preference: 'received', provider });
    if (!outcome.ok) throw new Error(outcome.refusal.detail);
    world.mine(1);
    world.solana.chain.advance(1);
    return outcome.value;
  }

  async function signedAndSubmitted({ id, transaction }: BridgeTransfer): Promise<BridgeTransfer> {
    const context = contextOf();
    let signedTransaction: string;
    if (transaction.kind === 'evm') {
      let nonce = world.ledger.nonce(EVM_WALLET.address);
      if (transaction.approval !== null) world.ledger.submit(await signEvm(transaction.approval, nonce++));
      signedTransaction = await signEvm(transaction, nonce);
    } else signedTransaction = signSolana(transaction.unsignedBase64);
    const taken = await commands.submit(context, id, { signedTransaction });
    if (!taken.ok) throw new Error(taken.refusal.detail);
    return taken.value;
  }

  const submitted = async (from: 'spotchain' | 'evmvenue', provider: 'relay' | 'cctp'): Promise<BridgeTransfer> =>
    signedAndSubmitted(await quoted(from, provider));

  const view = async (id: string): Promise<BridgeTransfer> => (await transfers.find(ORG, id)) as BridgeTransfer;

  /** Follows a transfer with live workers until it has ended. */
  async function followed(id: string, own: Runtime = runtime): Promise<BridgeTransfer> {
    for (let look = 0; look < 60; look++) {
      pass();
      await round(own);
      const found = await view(id);
      if (isEnded(found.state)) return found;
    }
    throw new Error(`it is still ${JSON.stringify(await view(id))}`);
  }

  /** Returns the alerts about a transfer, in order. */
  async function alertsOf(id: string): Promise<string[]> {
    const rows = await sql<
      { what: string }[]
    >`select body->>'what' as what from announcements where actor_id = ${id} and channel = 'alerts' order by seq`;
    return rows.map(({ what }) => what);
  }

  return {
    world,
    sql,
    bridge,
    runtime,
    round,
    pass,
    quoted,
    signedAndSubmitted,
    submitted,
    commands,
    contextOf,
    view,
    followed,
    alertsOf,
    async close() {
      bridge.close();
      await actors.close();
      await world.close();
    },
  };
}
export type BridgeFixture = Awaited<ReturnType<typeof openBridgeFixture>>;
