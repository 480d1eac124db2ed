// Launches on a real PostgreSQL and the sandbox's chain over sockets, on a clock that the test moves.

import type { CommandContext } from '../../../src/core/command-context.ts';
import type { LaunchWish } from '../../../actors/launch/commands.ts';
import { launchWorkers } from '../../../actors/launch/execution.ts';
import type { LaunchChain } from '../../../actors/prepared-transaction/chain-client.ts';
import { type Runtime } from '../../../actors/runtime/runtime.ts';
import { createSolanaRpc } from '../../../src/adapters/solana/rpc.ts';
import { launchCapability } from '../../../src/boot/capabilities/launch.ts';
import { CATALOG, type TokenFacts, USDC_DECIMALS, USDC_MINT } from '../../../src/domain/catalog/catalog.ts';
import { type PresetKey, findPreset } from '../../../src/domain/launch/presets.ts';
import { NATIVE_MINT, findQuoteToken } from '../../../src/domain/launch/quote-tokens.ts';
import type { Outcome } from '../../../src/domain/values/refusal.ts';
import { readTransaction } from '../../../src/domain/solana/message.ts';
import { type SandboxKey, sandboxKey } from '../../../src/sandbox/solana/keys.ts';
import { startKeeper } from '../../../src/sandbox/solana/launch-programs/keeper.ts';
import { createSolanaSimulator } from '../../../src/sandbox/solana/simulator.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { actorWorld } from '../../world/actor-world.ts';
import { SLOT } from '../agent/sample.ts';

export const ORG = '00000000-0000-7000-8000-000000000001';
const STABLE = { mint: USDC_MINT, decimals: USDC_DECIMALS };
const SHARES = ['AAPLx', 'SPACEX'].map((name) => CATALOG.bySymbol(name) as { instrument: string; token: TokenFacts });

export function must<Value>(outcome: Outcome<Value>): Value {
  if (!outcome.ok) throw new Error(`${outcome.refusal.code}: ${outcome.refusal.detail}`);
  return outcome.value;
}

/** Signs as a wallet does: writes the first signature and changes no other byte. */
export function signedBy(key: SandboxKey, base64: string): string {
  const bytes = new Uint8Array(Buffer.from(base64, 'base64'));
  const read = readTransaction(bytes);
  if (!read.ok) throw new Error(read.refusal.detail);
  bytes.set(key.sign(read.value.message), 1);
  return Buffer.from(bytes).toString('base64');
}

export async function launchFixture(options: { readonly keeper?: boolean } = {}) {
  const clock = createVirtualClock(SLOT);
  const world = await actorWorld({ clock, at: SLOT, organizations: { [ORG]: 'ours' } });
  const { sql, store, runtime, newId, errors, timers } = world;
  const mints = SHARES.map(({ instrument, token }) => ({ ...token, symbol: instrument }));
  const solana = await createSolanaSimulator({ clock, seed: 3, port: 0, slots: 'manual', mints, stable: STABLE });
  const stopKeeper = options.keeper === false ? () => {} : startKeeper(solana.chain);
  const node = createSolanaRpc({ url: solana.url, clock });
  const partner = sandboxKey('launch partner');
  const portsOn = (over: { readonly runtime?: Pick<Runtime, 'start' | 'deliver'>; readonly chain?: LaunchChain } = {}) =>
    launchCapability.callers({
      sql,
      runtime: over.runtime ?? runtime,
      primaryChain: { chain: over.chain ?? node, routes: null, rules: null, launchPartner: partner.address },
      bus: { latest: () => null },
      clock,
      newId,
    } as never).launches;
  /** Price in US dollars of a whole quote token, by mint. A test sets the prices it needs. */
  const quoteUsd = new Map<string, string>();
  const activitiesOn = (own: Runtime, chain: typeof node = node) => {
    const workers = {
      ...world.workersOf({ primaryChain: { chain } as never, bid: () => null }, own),
      ...launchWorkers({ runtime: own, load: store.load, chain, quoteUsd: (mint) => quoteUsd.get(mint) ?? null, clock }),
    };
    return world.carrying(workers, own);
  };
  const creator = sandboxKey('launch creator');
  const fund = (who: SandboxKey, mint: string, amount: bigint): void => void solana.fund(who.address, mint, amount);
  fund(creator, 'SOL', 100_000_000_000n);
  solana.chain.finalize();

  /** Runs due work and timers until nothing is due. */
  async function work(own: Runtime = runtime, chain: typeof node = node): Promise<void> {
    const carrying = activitiesOn(own, chain);
    await world.settle(carrying);
    await carrying.stop();
  }

  return {
    sql,
    clock,
    chain: solana.chain,
    node,
    store,
    runtime,
    creator,
    partner,
    errors,
    quoteUsd,
    fund,
    portsOn,
    ...portsOn(),
    activitiesOn,
    timers,
    work,
    agents: world.commands,
    newId,
    workersOf: world.workersOf,
    carrying: world.carrying,
    settle: world.settle,
    context: (subject = 'ann', orgId = ORG): CommandContext => ({
      orgId,
      subject,
      permissions: ['trade:execute'],
      requestId: `r${world.count()}`,
    }),
    wish: (
      over: Partial<LaunchWish> & { readonly preset?: PresetKey; readonly quoteMint?: string; readonly startingFdv?: string } = {},
    ): LaunchWish => {
      const { preset = 'reference_anchored', quoteMint = NATIVE_MINT, startingFdv = '30', ...rest } = over;
      const token = findQuoteToken(quoteMint, clock.now());
      if (token === null) throw new Error(`${quoteMint} is no quote`);
      return {
        curve: { preset: findPreset(preset), startingFdv, totalSupply: '1000000000', decimals: 6, quoteDecimals: token.decimals },
        token,
        names: { name: 'Harbor Pilot', symbol: 'HARBOR', uri: 'https://example.com/harbor.json' },
        creator: creator.address,
        firstBuy: null,
        agentId: null,
        takeId: null,
        ...rest,
      };
    },
    /**
     * Advances time and slots of the chain, and runs due work. Leases end by the database's clock, which the
     * test cannot move: the same time is subtracted from them, so that no lease outlives a blockhash on a fast machine.
     */
    async pass(ms: number, slots = Math.ceil(ms / 400)): Promise<void> {
      clock.advanceTo(clock.now() + ms);
      solana.chain.advance(slots);
      await sql`update execution_leases set held_until = held_until - ${ms} * interval '1 millisecond'`;
      await work();
    },
    async find(id: string) {
      const found = await portsOn().reads.find(ORG, id);
      if (found === null || found.kind !== 'curve') throw new Error(`there is no launch ${id} on a curve`);
      return found;
    },
    async close(): Promise<void> {
      stopKeeper();
      node.close();
      await solana.close();
      await world.close();
    },
  };
}
export type LaunchFixture = Awaited<ReturnType<typeof launchFixture>>;
