// Launches by the external launcher on a real PostgreSQL, with the sandbox's chain and launcher over sockets.
import type { CommandContext } from '../../../src/core/command-context.ts';
import type { LauncherClient, LauncherWish } from '../../../actors/launcher-launch/commands.ts';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import { createLauncher } from '../../../src/adapters/launcher/launcher-http.ts';
import { createLaunchStore } from '../../../src/adapters/store/launches/launch-store.ts';
import { createLauncherLaunches } from '../../../src/boot/capabilities/launcher-launch.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import type { LauncherLaunch } from '../../../actors/launcher-launch/resource.ts';
import { createLauncherSimulator } from '../../../src/sandbox/launcher/launcher-simulator.ts';
import { type SandboxKey, sandboxKey } from '../../../src/sandbox/solana/keys.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { sampleManifest } from '../agent/sample.ts';
import { launchFixture, must, ORG } from '../launch/launch-fixture.ts';

const SHARE = CATALOG.bySymbol('AAPLx');
const KEY = 'a key';

export async function launcherFixture() {
  const fixture = await launchFixture({ keeper: false });
  const { sql, clock, chain, node, runtime, agents, newId } = fixture;
  const pairs = [{ mint: SHARE?.token?.mint ?? '', symbol: 'AAPLx', decimals: 8 }];
  const simulator = await createLauncherSimulator({ chain, pairs, key: KEY, clock, port: 0 });
  const failures: string[] = [];
  // Request timeouts use the real clock: the test's stands still during a request.
  const realTime = createLiveClock();
  const launcher = createLauncher({
    url: simulator.url,
    key: KEY,
    clock: { ...realTime, now: clock.now, deadline: (at, call) => realTime.deadline(realTime.now() + at - clock.now(), call) },
    onFailure: (code) => void failures.push(code),
    timeoutMs: 60_000,
  });
  const agentId = must(await agents.create({ ...fixture.context(), permissions: ['agent:read', 'trade:execute'] }, sampleManifest())).id;
  const commandsOn = (own: Pick<Runtime, 'start' | 'deliver'>, over: Partial<LauncherClient> = {}) =>
    createLauncherLaunches({ sql, runtime: own, primaryChain: { chain: node }, launcher: { ...launcher, ...over }, clock, newId } as never);

  /** Runs due work and timers until nothing is due. */
  async function work(
    own: Runtime = runtime,
    over: { readonly node?: typeof node; readonly launcher?: Pick<LauncherClient, 'complete'> } = {},
  ) {
    const primaryChain = { chain: over.node ?? node } as never;
    const workers = fixture.workersOf({ primaryChain, launcher: { ...launcher, ...over.launcher }, bid: () => null }, own);
    const carrying = fixture.carrying(workers, own);
    await fixture.settle(carrying);
    await carrying.stop();
  }

  /** Advances time and slots. Leases end by the database's clock, so the same time is subtracted from them. */
  async function pass(ms: number, ...how: Parameters<typeof work>): Promise<void> {
    clock.advanceTo(clock.now() + ms);
    chain.advance(Math.ceil(ms / 400));
    await sql`update execution_leases set held_until = held_until - ${ms} * interval '1 millisecond'`;
    await work(...how);
  }

  async function find(id: string): Promise<LauncherLaunch> {
    const found = await createLaunchStore(sql).find(ORG, id);
    if (found === null || found.kind !== 'launcher') throw new Error(`there is no launch ${id} by the launcher`);
    return found;
  }

  return {
    ...fixture,
    simulator,
    launcher,
    failures,
    commandsOn,
    commands: commandsOn(runtime),
    work,
    pass,
    find,
    payer(name: string): SandboxKey {
      const key = sandboxKey(name);
      fixture.fund(key, 'SOL', 1_000_000_000n);
      chain.finalize();
      return key;
    },
    wishOf: (wallet: SandboxKey, symbol: string, over: Partial<LauncherWish> = {}): LauncherWish => ({
      name: `Token ${symbol}`,
      symbol,
      description: 'A token of an agent that watches one share.',
      imageUrl: 'https://example.com/token.png',
      agentId,
      agentName: 'Watcher',
      wallet: wallet.address,
      pairMint: pairs[0]?.mint ?? '',
      creatorFeeBps: 150,
      pairedStock: 'spotchain:AAPLx',
      quoteSymbol: 'AAPLx',
      ...over,
    }),
    /** Continues until the launch is in one of the states. */
    async until(id: string, states: readonly string[], rounds = 60): Promise<LauncherLaunch> {
      for (let round = 0; round < rounds && !states.includes((await find(id)).state); round++) await pass(2_100);
      return find(id);
    },
    listed: async (symbol: string) => sql`select mint, launcher, paired_stock, origin from listed_tokens where symbol = ${symbol}`,
    paymentsOf: (key: SandboxKey) => chain.historyOf(key.address).filter(({ transaction }) => transaction.staticKeys[0] === key.address),
    context: fixture.context as (subject?: string, orgId?: string) => CommandContext,
    async close(): Promise<void> {
      launcher.close();
      await simulator.close();
      await fixture.close();
    },
  };
}
export type LauncherFixture = Awaited<ReturnType<typeof launcherFixture>>;
