/** Renders a machine as JSON, as a Mermaid state diagram and as a page of documentation. */
import type { AnyStateMachine } from 'xstate';
import type { Json } from '../../src/domain/values/canonical-json.ts';

export interface MachineChart {
  /** The definition as XState serializes it: states, transitions, delays and action names. */
  readonly definition: Json;
  readonly mermaid: string;
}

interface Named {
  readonly type: string;
  readonly params?: unknown;
}

/** A state node, identified by its full name, such as `agent@1.stage.draft`. */
interface Target {
  readonly id: string;
}

interface Transition {
  readonly eventType: string;
  readonly target?: readonly Target[];
  readonly guard?: string | Named;
  readonly actions: readonly Named[];
}

interface Definition extends Target {
  readonly key: string;
  readonly type: string;
  readonly initial?: { readonly target: readonly Target[] };
  readonly states: { readonly [key: string]: Definition };
  readonly transitions: readonly Transition[];
  readonly entry: readonly Named[];
}

export function describeMachine(machine: AnyStateMachine): MachineChart {
  const definition = machine.definition as unknown as Definition;
  return { definition: JSON.parse(JSON.stringify(definition)) as Json, mermaid: mermaid(definition) };
}

/** Returns the committed page of a machine: the diagram, every transition with its guard and actions, and the delays, as Markdown. */
export function chartPage(machine: AnyStateMachine, source: string, comparedBy: string): string {
  const root = machine.definition as unknown as Definition;
  const delays = Object.entries(machine.implementations.delays).filter(([, delay]) => typeof delay === 'number');
  const lines = [
    `# ${root.id}`,
    '',
    `Generated from \`${source}\` and compared by \`${comparedBy}\`, which also writes it (\`vitest run ${comparedBy} -u\`).`,
    '',
    '```mermaid',
    mermaid(root).trimEnd(),
    '```',
    '',
    ...(delays.length === 0 ? [] : [`Delays: ${delays.map(([name, delay]) => `\`${name}\` is ${String(delay)} ms`).join(', ')}.`, '']),
    '`assign` changes what the actor remembers, `raise` sends it an event of its own, now or after a delay. Every other action is data: it is carried out when the step is committed.',
    '',
    '| In | On | If | To | Does |',
    '|---|---|---|---|---|',
    ...allStates(root).flatMap((state) => state.transitions.map((transition) => tableRow(root, state, transition))),
    '',
    '| Entering | Does |',
    '|---|---|',
    ...allStates(root)
      .filter(({ entry }) => entry.length > 0)
      .map((state) => `| ${toStatePath(root, state)} | ${said(state.entry)} |`),
    '',
  ];
  return lines.join('\n');
}

function allStates(state: Definition): readonly Definition[] {
  return [state, ...Object.values(state.states).flatMap(allStates)];
}

function tableRow(root: Definition, state: Definition, { eventType, target, guard, actions }: Transition): string {
  const to = target?.[0] === undefined ? '' : toStatePath(root, target[0]);
  return `| ${state === root ? 'any' : toStatePath(root, state)} | \`${labelEvent(eventType)}\` | ${nameGuard(guard)} | ${to} | ${said(actions)} |`;
}

function said(actions: readonly Named[]): string {
  return actions.map(({ type, params }) => `${type.replace(/^xstate\./, '')}${describeParams(params)}`).join(', ');
}

/** Returns constant parameters as words. A function of the event has no value yet. */
function describeParams(params: unknown): string {
  return params !== null && typeof params === 'object' && Object.keys(params).length > 0 ? ` (${Object.values(params).join(', ')})` : '';
}

/** Returns a `stateDiagram-v2`. Regions of a parallel machine are side by side. */
function mermaid(root: Definition): string {
  const lines = ['stateDiagram-v2'];
  if (root.type === 'parallel') {
    lines.push(`  state "${root.id}" as machine {`);
    for (const [index, region] of Object.values(root.states).entries()) {
      if (index > 0) lines.push('    --');
      write(root, region, lines, '    ');
    }
    lines.push('  }');
  } else write(root, root, lines, '  ');
  return `${lines.join('\n')}\n`;
}

/** Writes a state. Identifiers are full paths, because two regions may have states of the same name. */
function write(root: Definition, state: Definition, lines: string[], indent: string): void {
  const children = Object.values(state.states);
  for (const child of children) {
    lines.push(`${indent}state "${child.key}" as ${toNodeName(root, child)}`);
    if (Object.keys(child.states).length > 0) {
      lines.push(`${indent}state ${toNodeName(root, child)} {`);
      write(root, child, lines, `${indent}  `);
      lines.push(`${indent}}`);
    }
  }
  const initial = state.initial?.target[0];
  if (initial !== undefined) lines.push(`${indent}[*] --> ${toNodeName(root, initial)}`);
  const arrow = (from: Definition, { eventType, target, guard }: Transition): void => {
    const to = toNodeName(root, target?.[0] ?? from);
    lines.push(
      `${indent}${toNodeName(root, from)} --> ${to} : ${labelEvent(eventType)}${guard === undefined ? '' : ` [${nameGuard(guard)}]`}`,
    );
  };
  for (const child of children) for (const transition of child.transitions) arrow(child, transition);
  // A region is drawn without its own frame, so its transitions start from each of its states.
  if (root.type !== 'parallel' || root.states[state.key] !== state) return;
  for (const transition of state.transitions) {
    if (transition.target?.[0] !== undefined) for (const child of children) arrow(child, transition);
  }
}

/** Returns the path of a state: `agent@1.stage.draft` becomes `stage.draft`. */
function toStatePath(root: Definition, { id }: Target): string {
  return id.slice(root.id.length + 1);
}

/** Returns a Mermaid identifier, which allows letters, digits and underscores: `stage.draft` becomes `stage__draft`. */
function toNodeName(root: Definition, target: Target): string {
  return toStatePath(root, target).replaceAll('.', '__').replace(/\W/g, '_');
}

function nameGuard(guard: Transition['guard']): string {
  return guard === undefined ? '' : typeof guard === 'string' ? guard : guard.type;
}

/** Returns a readable label: `xstate.after.degradedFor.agent@1.feed.degraded` becomes `after degradedFor`. */
function labelEvent(eventType: string): string {
  const after = /^xstate\.after\.([^.]+)\./.exec(eventType);
  return after ? `after ${after[1]}` : eventType;
}
