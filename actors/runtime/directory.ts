/** The kinds of actors that there are, and which of them carries on a state found at rest. */
import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode } from 'xstate';
import type { ActorRow, ActorState } from '../../src/domain/agents/actor-step.ts';
import type { ActorKind } from './actor-kind.ts';
import { restore } from './step.ts';

export interface Fit {
  readonly kind: ActorKind;
  readonly state: ActorState;
  readonly snapshot: AnyMachineSnapshot;
}

export interface Directory {
  /** @throws if the kind is unknown: a defect, not an input. */
  kind(name: string): ActorKind;
  /** Kind, state (migrated if necessary) and snapshot; null if no version of the machine fits the state. */
  fit(row: Pick<ActorRow, 'kind' | 'machine' | 'state'>): Fit | null;
}

/** The names of a machine's states that are of this kind. */
function statesOf({ root }: AnyStateMachine, isMeant: (node: AnyStateNode) => boolean): readonly string[] {
  const below = (node: AnyStateNode): readonly string[] => [
    ...(isMeant(node) ? [node.id] : []),
    ...Object.values(node.states).flatMap(below),
  ];
  return below(root);
}

/**
 * @throws Error for a machine with a history state: what it remembers does not lie in a state at rest, and would be lost; and for one that
 * invokes actors: a step is taken without them.
 */
export function createDirectory(kinds: readonly ActorKind[]): Directory {
  for (const { kind, machine } of kinds) {
    const [lost] = statesOf(machine, ({ type }) => type === 'history');
    if (lost !== undefined) throw new Error(`the machine of ${kind} has a history state, ${lost}, which does not survive a restart`);
    const [parent] = statesOf(machine, ({ invoke }) => invoke.length > 0);
    if (parent !== undefined) throw new Error(`the machine of ${kind} invokes an actor in ${parent}, and a step is taken without it`);
  }
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
