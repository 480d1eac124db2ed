/**
 * Simulator of one outside system: its port among those of the sandbox, and how it is started in a world. Simulators are loaded when the
 * sandbox is started, because their libraries are large and every command reads the entries.
 */
import type { Clock } from '../../streams/clock/clock.ts';
import type { FaultSwitch } from './faults.ts';
import type { SandboxWorld } from './world.ts';

export interface SimulatorAddress {
  readonly clock: Clock;
  readonly faults: FaultSwitch;
  /** 0 = any free port. */
  readonly port: number;
  /** Interval at which price streams send everything together, in milliseconds. */
  readonly paceMs: number;
}

export interface SimulatorEntry {
  /** Offset of its port from the sandbox's first port. */
  readonly place: number;
  /** @param home the state folder, for keys that have to outlive the process. */
  start(world: SandboxWorld, at: SimulatorAddress, home: string): Promise<{ readonly url: string; close(): Promise<void> }>;
}

/** The simulators of one system, by name. */
export type Simulators = Readonly<Record<string, SimulatorEntry>>;
