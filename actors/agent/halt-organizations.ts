/** Lets the service's operator halt every organization, or one. */
import { auditRow } from '../../src/core/command-context.ts';
import type { HaltView, EmergencyHalt } from './emergency-halt.ts';

/** Subject in the audit: a person who can reach the service's database with its settings. */
const SUBJECT = 'command line';

export interface Halting extends Pick<EmergencyHalt, 'halt'> {
  /** Reads all organizations, or the one with this id. */
  readonly organizations: (id: string | null) => Promise<readonly { readonly id: string; readonly name: string }[]>;
  readonly newId: () => string;
}

interface HaltedOrganization extends Omit<HaltView, 'paused'> {
  readonly orgId: string;
  readonly name: string;
  /** Agents and Takes paused by this halt. */
  readonly paused: number;
}

/**
 * Halts organizations one after the other, each completely before the next. From its new epoch on no order begins, pending proposals are
 * cancelled, and agents and Takes are paused. Members see the reason. @throws Error if there is no such organization, or none at all.
 */
export async function haltOrganizations(
  { halt, organizations, newId }: Halting,
  orgId: string | null,
  reason: string | null = null,
): Promise<readonly HaltedOrganization[]> {
  const all = await organizations(orgId);
  if (all.length === 0) throw new Error(orgId === null ? 'the database holds no organization' : `there is no organization ${orgId}`);
  const halted: HaltedOrganization[] = [];
  const failures: unknown[] = [];
  for (const { id, name } of all) {
    const context = { orgId: id, subject: SUBJECT, permissions: [], requestId: newId() };
    const audit = auditRow(context, 'agents.emergency_halt', id, null, null);
    try {
      const { paused, ...view } = await halt(id, { ...context, reason }, [audit], 'done');
      halted.push({ orgId: id, name, ...view, paused: paused.length });
    } catch (error) {
      // A failed halt must not leave the other organizations running.
      failures.push(error);
    }
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} of ${all.length} organizations were not halted: ${String(failures[0])}`);
  return halted;
}

/** Returns a sentence about a halted organization. */
export function haltedText({ name, orgId, epoch, paused, pausing, cancelledProposals }: HaltedOrganization): string {
  const rest = pausing > 0 ? `, ${pausing} are not paused yet and cannot trade; a worker goes on` : '';
  return `${name} (${orgId}) is halted, epoch ${epoch}: ${paused} paused, ${cancelledProposals} proposals cancelled${rest}`;
}
