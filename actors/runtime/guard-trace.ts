/** Traces the guards evaluated in a step, with their inputs and results. */
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { Json } from '../../src/domain/values/canonical-json.ts';

export interface GuardAnswer {
  readonly guard: string;
  readonly params: Json;
  readonly passed: boolean;
  /** Inputs of the guard by path: `context.manifestHash`, `event.gate`, or `state` for the machine's state. */
  readonly inputs: readonly { readonly path: string; readonly value: Json }[];
}

interface GuardArguments {
  readonly context: object;
  readonly event: object;
}
type PlainGuard = (given: GuardArguments, params: unknown) => boolean;
/** A guard made of others (`and`, `or`, `not`, `stateIn`). XState calls its `check`. */
type CheckedGuard = ((...nothing: readonly unknown[]) => boolean) & {
  readonly check: (snapshot: AnyMachineSnapshot, given: GuardArguments, guard: unknown) => boolean;
};
type Guard = PlainGuard | CheckedGuard;

/**
 * Returns the machine with guards that append every answer to `answers`, in order of evaluation. It steps like the original: guards are
 * pure, and read copies of the same context and event.
 */
export function tracedMachine(machine: AnyStateMachine, answers: GuardAnswer[]): AnyStateMachine {
  const guards = Object.entries(machine.implementations.guards as unknown as { readonly [name: string]: Guard });
  return machine.provide({ guards: Object.fromEntries(guards.map(([name, guard]) => [name, traced(name, guard, answers)])) });
}

function traced(name: string, guard: Guard, answers: GuardAnswer[]): Guard {
  if ('check' in guard) {
    const check: CheckedGuard['check'] = (snapshot, given) => {
      const looks = new Map<string, Json>([['state', snapshot.value as Json]]);
      const passed = guard.check(snapshot, watched(given, looks), guard);
      answers.push({ guard: name, params: null, passed, inputs: toInputs(looks) });
      return passed;
    };
    return Object.assign(() => false, { check });
  }
  const asked: PlainGuard = (given, params) => {
    const looks = new Map<string, Json>();
    const passed = guard(watched(given, looks), params);
    answers.push({ guard: name, params: (params ?? null) as Json, passed, inputs: toInputs(looks) });
    return passed;
  };
  return asked;
}

function toInputs(looks: ReadonlyMap<string, Json>): GuardAnswer['inputs'] {
  return [...looks].map(([path, value]) => ({ path, value }));
}

function watched({ context, event }: GuardArguments, looks: Map<string, Json>): GuardArguments {
  return { context: watch(context, 'context', looks), event: watch(event, 'event', looks) };
}

/** Returns a copy of plain JSON that notes each field as it is read. A list is noted as a whole. */
function watch<Value extends object>(value: Value, path: string, looks: Map<string, Json>): Value {
  return new Proxy(
    { ...value },
    {
      get(target, name) {
        const found: unknown = Reflect.get(target, name);
        if (typeof name === 'symbol' || typeof found === 'function') return found;
        const place = `${path}.${name}`;
        if (typeof found === 'object' && found !== null && !Array.isArray(found)) return watch(found, place, looks);
        looks.set(place, (found ?? null) as Json);
        return found;
      },
    },
  );
}
