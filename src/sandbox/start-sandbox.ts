/** Starts the sandbox: one world, and every simulator of it on loopback. */
import type { Clock } from '../../streams/clock/clock.ts';
import { openSandboxControl } from './control.ts';
import { createFaultSwitch, type FaultSwitch } from './faults.ts';
import type { Market } from './market/market.ts';
import { noteSandbox } from './noted-sandbox.ts';
import type { SimulatorEntry } from './simulator-entry.ts';

/**
 * Interval of prices. Once a second is often enough for viewers, and a fifth of the load of a venue's own pace; a price is too old after
 * five seconds.
 */
const PACE_MS = 1_000;

export interface Sandbox<Name extends string> {
  /** Address of each simulator that runs here: `http://127.0.0.1:<port>`. */
  readonly urls: Readonly<Record<Name, string>>;
  /** URL of the simulators' fault switches (src/sandbox/control.ts). */
  readonly controlUrl: string;
  stop(): Promise<void>;
}

export interface SandboxStart {
  readonly clock: Clock;
  readonly seed: number;
  /** Market that prices it. */
  readonly market: Market;
  readonly evmChainId: number;
  /** Folder of program binaries for the primary chain; null if only its own programs run. */
  readonly programs: string | null;
  /** The first of its ports; 0 = any free ones. */
  readonly port: number;
  /** The state folder. */
  readonly home: string;
  /** Turns a listening error into the reported one. */
  readonly refusalOf: (error: unknown, port: number) => unknown;
}

/**
 * Starts every simulator on loopback, in the order of the entries: one market behind them all. Ports follow the entries'
 * places; the control listener has the one after the last simulator's sockets.
 * @throws what `refusalOf` makes of a port that cannot be listened on; what was started is then stopped.
 */
export async function startSandbox<Name extends string>(
  options: SandboxStart,
  entries: Readonly<Record<Name, SimulatorEntry>>,
): Promise<Sandbox<Name>> {
  // Its libraries are large, and commands read this file that start no sandbox.
  const { createSandboxWorld } = await import('./world.ts');
  const { clock, seed, port: firstPort, home } = options;
  const names = Object.keys(entries) as Name[];
  const faults = Object.fromEntries(names.map((name, index) => [name, createFaultSwitch(seed + index)])) as Record<Name, FaultSwitch>;
  const evmFaults = (faults as Readonly<Record<string, FaultSwitch>>)['evmchain'];
  const world = createSandboxWorld({ ...options, evmClockOffsetMs: () => evmFaults?.settings.clockOffsetMs ?? 0 });
  const portAt = (place: number): number => (firstPort === 0 ? 0 : firstPort + place);
  const opened: { close(): Promise<void> }[] = [];
  const open = async (starting: Promise<{ readonly url: string; close(): Promise<void> }>): Promise<string> => {
    const made = await starting.catch((error: unknown) => {
      const { port = portAt(opened.length) } = error as { readonly port?: number };
      throw options.refusalOf(error, port);
    });
    opened.push(made);
    return made.url;
  };
  try {
    const urls: Partial<Record<Name, string>> = {};
    for (const name of names) {
      const { place, start } = entries[name];
      urls[name] = await open(start(world, { clock, faults: faults[name], port: portAt(place), paceMs: PACE_MS }, home));
    }
    const simulators = urls as Sandbox<Name>['urls'];
    const controlUrl = await open(openSandboxControl({ faults, chain: world.control, port: portAt(names.length + 1) }));
    const forget = noteSandbox(home, { control: controlUrl, simulators });
    return {
      urls: simulators,
      controlUrl,
      stop: async () => {
        forget();
        await Promise.all(opened.map((simulator) => simulator.close()));
      },
    };
  } catch (error) {
    await Promise.allSettled(opened.map((simulator) => simulator.close()));
    throw error;
  }
}
