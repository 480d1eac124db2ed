/** Directory of actor kinds, which finds the one that fits a stored state. */
import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode } from 'xstate';
import type { ActorRow, ActorState } from '../../src/domain/agents/actor-step.ts';
import type { ActorKind } from './actor-kind.ts';
import { restore } from './step.ts';

interface Fit {
  readonly kind: ActorKind;
  readonly state: ActorState;
  readonly snapshot: AnyMachineSnapshot;
}

/** Returns the names of a machine's states that match. */
function listStates({ root }: AnyStateMachine, isMeant: (node: AnyStateNode) => boolean): readonly string[] {
  const below = (node: AnyStateNode): readonly string[] => [
    ...(isMeant(node) ? [node.id] : []),
    ...Object.values(node.states).flatMap(below),
  ];
  return below(root);
}

/**
 * Creates the directory. @throws Error for a machine with a history state, whose memory a stored state lacks, and for one that invokes
 * actors, which pure steps do not run.
 */
export function createDirectory(kinds: readonly ActorKind[]) {
  for (const { kind, machine } of kinds) {
    const [lost] = listStates(machine, ({ type }) => type === 'history');
    if (lost !== undefined) throw new Error(`the machine of ${kind} has a history state, ${lost}, which does not survive a restart`);
    const [parent] = listStates(machine, ({ invoke }) => invoke.length > 0);
    if (parent !== undefined) throw new Error(`the machine of ${kind} invokes an actor in ${parent}, and a step is taken without it`);
  }
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
  return {
    /** Returns a kind by its name. @throws if it is unknown, which is a defect and not an input error. */
    kind(name: string): ActorKind {
      const kind = byName.get(name);
      if (!kind) throw new Error(`no actor kind is called ${name}`);
      return kind;
    },
    /** Returns kind, state (migrated if necessary) and snapshot, or null if no version of the machine fits the state. */
    fit(row: Pick<ActorRow, 'kind' | 'machine' | 'state'>): Fit | null {
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

export type Directory = ReturnType<typeof createDirectory>;
