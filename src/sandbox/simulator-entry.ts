/**
 * Entry of a simulator: its port offset and how to start it. Implementations are loaded when the sandbox starts, because their libraries
 * are large and every command reads the entries.
 */
import type { Clock } from '../../streams/clock/clock.ts';
import type { FaultSwitch } from './faults.ts';
import type { SandboxWorld } from './world.ts';

/** API key that simulators of paid providers require. It is valid only in the sandbox. */
export const SANDBOX_KEY = 'sandbox';

interface SimulatorAddress {
  readonly clock: Clock;
  readonly faults: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
  /** Interval at which price streams send, in milliseconds. */
  readonly paceMs: number;
}

export interface SimulatorEntry {
  /** Offset of its port from the sandbox's first port. */
  readonly place: number;
  /** Starts the simulator. @param home state folder, for keys that must outlive the process */
  start(world: SandboxWorld, at: SimulatorAddress, home: string): Promise<{ readonly url: string; close(): Promise<void> }>;
}

/** Simulators of one system, by name. */
export type Simulators = Readonly<Record<string, SimulatorEntry>>;
