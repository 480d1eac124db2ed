/** Starts the sandbox: one world, and a simulator of every outside system that listens on loopback. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Clock } from '../../streams/clock.ts';
import { openTape } from '../adapters/tape/tape-reader.ts';
import type { EpochMs } from '../domain/time.ts';
import { openSandboxControl } from '../sandbox/control.ts';
import { createFaultSwitch, type FaultSwitch } from '../sandbox/faults.ts';
import type { Market } from '../sandbox/market/market.ts';
import { recordedMarket } from '../sandbox/market/recorded-market.ts';
import { createSeededMarket } from '../sandbox/market/seeded-market.ts';
import type { Config } from './config.ts';
import { listenRefusal } from './listening.ts';
import { SIMULATOR_ENTRIES, SIMULATORS, type SimulatorName } from './outside/index.ts';

export interface Sandbox {
  /** Address of each simulator that runs here: `http://127.0.0.1:<port>`. */
  readonly urls: Readonly<Record<SimulatorName, string>>;
  /** Where the simulators' faults are switched (src/sandbox/control.ts). */
  readonly controlUrl: string;
  stop(): Promise<void>;
}

/** Starts every simulator on loopback: one market behind them all. @throws Error in one sentence; what was started is then stopped. */
export async function startSandbox(config: Config, clock: Clock): Promise<Sandbox> {
  // Its libraries are large, and commands read this file that start no sandbox.
  const { createSandboxWorld } = await import('../sandbox/world.ts');
  const seed = config.SANDBOX_SEED;
  const faults = Object.fromEntries(SIMULATORS.map((name, index) => [name, createFaultSwitch(seed + index)])) as Record<
    SimulatorName,
    FaultSwitch
  >;
  const world = createSandboxWorld({
    clock,
    seed,
    market: await sandboxMarket(seed, config.SANDBOX_TAPE, clock.now()),
    evmChainId: config.EVMCHAIN_ID,
    evmClockOffsetMs: () => faults.evmchain.settings.clockOffsetMs,
    programs: config.SANDBOX_CHAIN_PROGRAMS,
  });
  const portAt = (index: number): number => (config.SANDBOX_PORT === 0 ? 0 : config.SANDBOX_PORT + index);
  const opened: { readonly url: string; close(): Promise<void> }[] = [];
  const open = async (starting: Promise<{ readonly url: string; close(): Promise<void> }>): Promise<string> => {
    const made = await starting.catch((error: unknown) => {
      const { port = portAt(opened.length) } = error as { readonly port?: number };
      throw listenRefusal(error, '127.0.0.1', port, 'SANDBOX_PORT');
    });
    opened.push(made);
    return made.url;
  };
  try {
    const urls: Partial<Record<SimulatorName, string>> = {};
    for (const name of SIMULATORS) {
      const { place, start } = SIMULATOR_ENTRIES[name];
      urls[name] = await open(start(world, { clock, faults: faults[name], port: portAt(place) }, config));
    }
    const simulators = urls as Sandbox['urls'];
    const controlUrl = await open(openSandboxControl({ faults, chain: world.control, port: portAt(SIMULATORS.length + 1) }));
    const note = noteSandbox(config, { control: controlUrl, simulators });
    return {
      urls: simulators,
      controlUrl,
      stop: async () => {
        rmSync(note, { force: true });
        await Promise.all(opened.map((simulator) => simulator.close()));
      },
    };
  } catch (error) {
    await Promise.allSettled(opened.map((simulator) => simulator.close()));
    throw error;
  }
}

/**
 * What prices the sandbox: one seeded process, or a recorded tape with that process around it.
 * @throws TapeError or Error in one sentence where the tape cannot be read or prices nothing that the sandbox trades.
 */
export async function sandboxMarket(seed: number, tape: string | null, now: EpochMs): Promise<Market> {
  const seeded = createSeededMarket({ seed });
  if (tape === null) return seeded;
  const reader = await openTape(tape);
  async function* events() {
    for await (const batch of reader.batches()) yield batch.events;
  }
  const market = await recordedMarket(events(), seeded, now);
  if (market === null) throw new Error(`SANDBOX_TAPE: ${tape} has no price of anything that the sandbox trades`);
  return market;
}

/** Writes down where the sandbox listens while it does, for whoever wants to switch its faults. */
function noteSandbox(
  config: Config,
  places: { readonly control: string; readonly simulators: Readonly<Record<SimulatorName, string>> },
): string {
  const file = join(resolve(config.SEVENGATE_HOME), 'sandbox.json');
  mkdirSync(resolve(config.SEVENGATE_HOME), { recursive: true, mode: 0o711 });
  const draft = `${file}.${process.pid}.new`;
  // `doubles` is the name that scripts of users read before it was `simulators`.
  writeFileSync(draft, `${JSON.stringify({ ...places, doubles: places.simulators }, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
  return file;
}

/** The sandbox of a running service with this state folder, for a command beside it; null where none runs. */
export function knownSandbox(config: Config): Pick<Sandbox, 'urls'> | null {
  try {
    const noted = JSON.parse(readFileSync(join(resolve(config.SEVENGATE_HOME), 'sandbox.json'), 'utf8')) as { simulators: Sandbox['urls'] };
    return { urls: noted.simulators };
  } catch {
    return null;
  }
}
