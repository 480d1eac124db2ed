/** The kinds of actors that there are, and which of them carries on a state found at rest. */
import type { AnyMachineSnapshot } from 'xstate';
import type { ActorRow, ActorState } from '../../src/domain/actor-step.ts';
import type { ActorKind } from './actor-kind.ts';
import { restore } from './step.ts';

export interface Fit {
  readonly kind: ActorKind;
  readonly state: ActorState;
  readonly snapshot: AnyMachineSnapshot;
}

export interface Directory {
  /** @throws where the kind is unknown: a defect, not an input. */
  kind(name: string): ActorKind;
  /** The kind, the state (migrated where need be) and its snapshot; null where no version of the machine fits the state. */
  fit(row: Pick<ActorRow, 'kind' | 'machine' | 'state'>): Fit | null;
}

export function createDirectory(kinds: readonly ActorKind[]): Directory {
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
  return {
    kind(name) {
      const kind = byName.get(name);
      if (!kind) throw new Error(`no actor kind is called ${name}`);
      return kind;
    },
    fit(row) {
      const kind = byName.get(row.kind);
      if (!kind) return null;
      try {
        if (row.machine === kind.machine.id) {
          return { kind, state: row.state, snapshot: restore(kind.machine, row.state) };
        }
        const migrate = kind.migrations[row.machine];
        if (!migrate) return null;
        const state = migrate(row.state);
        return { kind, state, snapshot: restore(kind.machine, state) };
      } catch {
        return null;
      }
    },
  };
}
