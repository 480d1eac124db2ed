/** A machine for the eye: its definition as JSON and as a Mermaid state diagram. */
import type { AnyStateMachine } from 'xstate';
import type { Json } from '../../src/domain/canonical-json.ts';

export interface MachineChart {
  /** The definition as XState serialises it: states, transitions, delays, actions by name. */
  readonly definition: Json;
  readonly mermaid: string;
}

interface Definition {
  readonly id: string;
  readonly key: string;
  readonly type: string;
  readonly initial?: { readonly target: readonly string[] };
  readonly states: { readonly [key: string]: Definition };
  readonly transitions: readonly { readonly eventType: string; readonly target?: readonly string[]; readonly guard?: unknown }[];
}

export function describeMachine(machine: AnyStateMachine): MachineChart {
  const definition = JSON.parse(JSON.stringify(machine.definition)) as Definition;
  return { definition: definition as never, mermaid: mermaid(definition) };
}

/** One `stateDiagram-v2`; regions of a parallel machine stand side by side, a target shows as its last name. */
function mermaid(root: Definition): string {
  const lines = ['stateDiagram-v2'];
  if (root.type === 'parallel') {
    lines.push(`  state "${root.id}" as machine {`);
    for (const [index, region] of Object.values(root.states).entries()) {
      if (index > 0) lines.push('    --');
      write(region, lines, '    ');
    }
    lines.push('  }');
  } else write(root, lines, '  ');
  return `${lines.join('\n')}\n`;
}

function write(state: Definition, lines: string[], indent: string): void {
  const initial = state.initial?.target[0];
  if (initial !== undefined) lines.push(`${indent}[*] --> ${nameOf(initial)}`);
  for (const child of Object.values(state.states)) {
    if (Object.keys(child.states).length > 0) {
      lines.push(`${indent}state ${child.key} {`);
      write(child, lines, `${indent}  `);
      lines.push(`${indent}}`);
    }
    for (const { eventType, target } of child.transitions) {
      lines.push(`${indent}${child.key} --> ${target?.[0] === undefined ? child.key : nameOf(target[0])} : ${labelOf(eventType)}`);
    }
  }
  // A region's own transitions hold from each of its states.
  for (const { eventType, target } of state.transitions) {
    if (target?.[0] !== undefined && Object.keys(state.states).length > 0) {
      for (const child of Object.keys(state.states)) lines.push(`${indent}${child} --> ${nameOf(target[0])} : ${labelOf(eventType)}`);
    }
  }
}

function nameOf(target: string): string {
  return target.slice(target.lastIndexOf('.') + 1);
}

/** `xstate.after.degradedFor.agent@1.feed.degraded` is `after degradedFor`. */
function labelOf(eventType: string): string {
  const after = /^xstate\.after\.([^.]+)\./.exec(eventType);
  return after ? `after ${after[1]}` : eventType;
}
