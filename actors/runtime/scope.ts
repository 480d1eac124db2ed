/**
 * The actor scope that `machine.transition` runs in, made once per machine.
 * XState's own `transition()` builds an inert actor and a system for every call, which costs several times the step
 * itself; nothing of them is read by a machine that neither invokes nor spawns. `test/actors/runtime/scope.test.ts`
 * proves the results identical.
 */
import { type AnyActorScope, type AnyStateMachine, createActor, type ExecutableActionObject } from 'xstate';

export interface StepScope {
  readonly scope: AnyActorScope;
  /** The actions of the step that runs now, in order; emptied by the caller before each step. */
  readonly actions: ExecutableActionObject[];
}

const scopes = new WeakMap<AnyStateMachine, StepScope>();

/** The machine's scope; the same one every time. */
export function stepScope(machine: AnyStateMachine): StepScope {
  const known = scopes.get(machine);
  if (known) return known;
  const self = createActor(machine, { input: {} });
  const actions: ExecutableActionObject[] = [];
  const scope: AnyActorScope = {
    self,
    id: '',
    sessionId: '',
    logger: () => {},
    defer: () => {},
    stopChild: () => {},
    system: self.system,
    emit: () => {},
    actionExecutor: (action: ExecutableActionObject) => {
      actions.push(action);
    },
  } as unknown as AnyActorScope;
  const made = { scope, actions };
  scopes.set(machine, made);
  return made;
}
