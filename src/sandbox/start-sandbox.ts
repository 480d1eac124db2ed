/** Start of the sandbox: one world, with every simulator on loopback. */
import type { Clock } from '../../streams/clock/clock.ts';
import { openSandboxControl } from './control.ts';
import { createFaultSwitch, type FaultSwitch } from './faults.ts';
import type { Market } from './market/market.ts';
import { noteSandbox } from './noted-sandbox.ts';
import type { SimulatorEntry } from './simulator-entry.ts';

/** Interval of prices. Once a second suffices for viewers and costs a fifth of the venues' own pace. A price expires after five seconds. */
const PACE_MS = 1_000;

export interface Sandbox<Name extends string> {
  /** URLs of the simulators started here: `http://127.0.0.1:<port>`. */
  readonly urls: Readonly<Record<Name, string>>;
  /** URL of the control endpoint (src/sandbox/control.ts). */
  readonly controlUrl: string;
  stop(): Promise<void>;
}

interface SandboxStart {
  readonly clock: Clock;
  readonly seed: number;
  /** Market of all simulators. */
  readonly market: Market;
  readonly evmChainId: number;
  /** Folder of program binaries for the primary chain, or null if only its own programs run. */
  readonly programs: string | null;
  /** First port; 0 takes free ones. */
  readonly port: number;
  readonly home: string;
  /** Converts a listening error to the one that is thrown. */
  readonly refusalOf: (error: unknown, port: number) => unknown;
}

/**
 * Starts every simulator on loopback, in the order of the entries, over one market. Ports follow the entries' places. The control
 * endpoint takes the port after the last simulator's sockets.
 * @throws the result of `refusalOf` if a port cannot be opened; started simulators are stopped then
 */
export async function startSandbox<Name extends string>(
  options: SandboxStart,
  entries: Readonly<Record<Name, SimulatorEntry>>,
): Promise<Sandbox<Name>> {
  // Loaded late: its libraries are large, and commands that start no sandbox import this file.
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
