/** Sandbox as configured: its market and its address. */
import { resolve } from 'node:path';
import type { Clock } from '../../../streams/clock/clock.ts';
import { listenRefusal } from '../../adapters/process/listen-refusal.ts';
import { openTape } from '../../adapters/tape/tape-reader.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { Market } from '../../sandbox/market/market.ts';
import { recordedMarket } from '../../sandbox/market/recorded-market.ts';
import { createSeededMarket } from '../../sandbox/market/seeded-market.ts';
import { notedSimulators } from '../../sandbox/noted-sandbox.ts';
import { type Sandbox as RunningSandbox, startSandbox as startIn } from '../../sandbox/start-sandbox.ts';
import type { Config } from '../config.ts';
import { SIMULATOR_ENTRIES, type SimulatorName } from '../outside/index.ts';

export type Sandbox = RunningSandbox<SimulatorName>;

/** Starts every simulator on loopback. @throws Error if one cannot start; those already started are stopped */
export async function startSandbox(config: Config, clock: Clock): Promise<Sandbox> {
  const seed = config.SANDBOX_SEED;
  return startIn(
    {
      clock,
      seed,
      market: await sandboxMarket(seed, config.SANDBOX_TAPE, clock.now()),
      evmChainId: config.EVMCHAIN_ID,
      programs: config.SANDBOX_CHAIN_PROGRAMS,
      port: config.SANDBOX_PORT,
      home: resolve(config.SEVENGATE_HOME),
      refusalOf: (error, port) => listenRefusal(error, '127.0.0.1', port, 'SANDBOX_PORT'),
    },
    SIMULATOR_ENTRIES,
  );
}

/**
 * Creates the sandbox's market: a seeded one, or a recorded tape with a seeded one for the rest.
 * @throws TapeError or Error if the tape cannot be read or prices nothing that the sandbox trades
 */
export async function sandboxMarket(seed: number, tape: string | null, now: EpochMs): Promise<Market> {
  const seeded = createSeededMarket({ seed });
  if (tape === null) return seeded;
  const reader = await openTape(tape);
  async function* events() {
    for await (const batch of reader.batches()) yield batch.events;
  }
  const market = await recordedMarket(events(), seeded, now);
  if (market === null) throw new Error(`SANDBOX_TAPE: ${tape} has no prices for instruments of the sandbox`);
  return market;
}

/** Returns the sandbox of the service running with this state folder, or null if none runs. */
export function knownSandbox(config: Config): Pick<Sandbox, 'urls'> | null {
  const urls = notedSimulators(resolve(config.SEVENGATE_HOME));
  return urls === null ? null : { urls: urls as Sandbox['urls'] };
}
