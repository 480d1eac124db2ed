/** Exports a range of an actor's history as a vitest test: from the state before it, every step must lead where it led. */
import type { ActorEvent, StepPlan } from '../../src/domain/agents/actor-step.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import { type EpochMs, isoTime } from '../../src/domain/values/time.ts';
import { type HistorySubject, type PastState, presentEvent, type StoredStep } from './actor-history.ts';
import type { Directory } from './directory.ts';
import { eventStep, startStep } from './step.ts';

/** Maximum steps per file, because people read it. */
export const MOST_EXPORTED_STEPS = 500;

interface ExportedStep {
  readonly version: number;
  readonly at: EpochMs;
  readonly event: ActorEvent;
  readonly expected: StepPlan;
}

/**
 * Returns the source of the test, in TypeScript, for a folder two levels below the repository's root (`test/exported`). `before` is null if
 * the range begins with the actor's start. The expectation is what the present machines do. Change it to the intended result, and the test
 * fails until they do it. @throws Error if no present machine fits the state.
 */
export function historyTest(directory: Directory, subject: HistorySubject, before: PastState | null, steps: readonly StoredStep[]): string {
  const exported = exportedSteps(directory, subject, before, steps);
  const [first, last] = [exported[0]?.version ?? before?.version, exported.at(-1)?.version ?? before?.version];
  const words = JSON.stringify(`${subject.kind} ${subject.id} goes from version ${first} to ${last} as it did`);
  return [
    `// Versions ${first} to ${last} of the ${subject.kind} ${subject.id}, exported from its history. Put it into test/exported and run \`vitest run test/exported\`.`,
    `import { expect, test } from 'vitest';`,
    `import { eventStep, restore, startStep } from '../../actors/runtime/step.ts';`,
    `import { ACTOR_KINDS } from '../../src/boot/capabilities/index.ts';`,
    '',
    `const SUBJECT = ${json({ actorId: subject.id, orgId: subject.orgId })};`,
    '/** State before the first step; null if that step is the start. */',
    `const BEFORE = ${json(before === null ? null : before.state)};`,
    '/** Each step with what it led to: the state, and the records, timers, activities and announcements that it caused. */',
    `const STEPS = ${json(exported.map(({ at, ...step }) => ({ ...step, at, time: isoTime(at) })))};`,
    '',
    `test(${words}, () => {`,
    `  const kind = ACTOR_KINDS.find((one) => one.kind === ${JSON.stringify(subject.kind)});`,
    `  if (kind === undefined) throw new Error('this version of the service has no such kind of actor');`,
    '  let state: unknown = BEFORE;',
    '  for (const { version, at, event, expected } of STEPS as readonly { version: number; at: number; event: never; expected: object }[]) {',
    '    const subject = { ...SUBJECT, now: at };',
    '    const plan =',
    `      state === null ? startStep(kind, subject, event['input']) : eventStep(kind, subject, restore(kind.machine, state), event);`,
    '    expect({ version, ...JSON.parse(JSON.stringify(plan)) }).toEqual({ version, ...expected });',
    '    state = plan.state;',
    '  }',
    '});',
    '',
  ].join('\n');
}

function exportedSteps(
  directory: Directory,
  subject: HistorySubject,
  before: PastState | null,
  steps: readonly StoredStep[],
): readonly ExportedStep[] {
  const kind = directory.kind(subject.kind);
  let past = before === null ? null : { machine: before.machine, state: before.state };
  return steps.map(({ version, at, event: stored }) => {
    const event = presentEvent(stored);
    const info = { actorId: subject.id, orgId: subject.orgId, now: at };
    const fitted = past === null ? null : directory.fit({ kind: subject.kind, ...past });
    if (past !== null && fitted === null) throw new Error(`this version cannot continue what ${past.machine} wrote`);
    const expected =
      fitted === null
        ? startStep(kind, info, (event['input'] ?? {}) as { readonly [key: string]: Json })
        : eventStep(kind, info, fitted.snapshot, event);
    past = { machine: kind.machine.id, state: expected.state };
    return { version, at, event, expected };
  });
}

/** Returns JSON as a TypeScript literal, with the line separators that only JavaScript recognizes escaped. */
function json(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/[\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16)}`);
}
