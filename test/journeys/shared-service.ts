/** Running service that journeys share. Each is an organization of its own there, with an operator, a viewer and a risk manager. */
import { readFileSync } from 'node:fs';
import { inject } from 'vitest';
import { createMemberStore } from '../../src/adapters/store/callers/member-store.ts';
import { openDatabase } from '../../src/adapters/store/database.ts';
import { commandWriter } from '../../src/adapters/store/ready-database.ts';
import { organization } from '../../src/cli/operate/organization.ts';
import { EXAMPLE_MEMBERS } from '../../src/sandbox/example-organization.ts';
import { localSigningKeys } from '../../src/sandbox/identity/identity-folder.ts';
import { SANDBOX_AUDIENCE } from '../../src/sandbox/identity/provider.ts';
import { createLiveClock } from '../../streams/clock/live-clock.ts';
import { undocumentedAnnouncement } from '../harness/documented-frames.ts';
import { type SharedPlace, sharedKeyFile, sharedLog } from '../harness/service-of-the-run.ts';
import { type Client, clientOf, databaseUrlIn, type LogEntry, logEntries } from './running-service.ts';

/** Longer than any run of the suite. */
const TOKEN_S = 3_600;

export interface SharedService extends Client {
  readonly orgId: string;
  readonly pid: number;
  /** File with the key that only its signer process reads. */
  readonly keyFile: string;
  /** Log of the service since its start. */
  log(): LogEntry[];
  /** Returns a member's subject, as records name it. */
  subject(member: string): string;
  /** Creates another organization's operator. Returns a token. */
  stranger(name: string): Promise<string>;
  /**
   * Must be called at the end: the service stops when all have left. @throws Error if an announcement did not match the feed's document.
   */
  leave(): Promise<void>;
}

/**
 * Joins the service as an organization with this unique name and without agents.
 * A journey with effects on others, such as simulator faults, needs a service of its own.
 */
export async function joinService(name: string): Promise<SharedService> {
  const { home, url, pid } = (await asked('join')) as SharedPlace;
  const found = (org: string): Promise<Map<string, string>> => foundOrganization(home, databaseUrlIn(home), org);
  const tokens = await found(name);
  return {
    ...clientOf({ home, url, token: (member) => tokens.get(member) as string }),
    orgId: organization(name),
    pid,
    keyFile: sharedKeyFile(home),
    log: () => logEntries(readFileSync(sharedLog(home), 'utf8')),
    subject: (member) => subjectOf(member, name),
    stranger: async (org) => (await found(`${org} beside ${name}`)).get('operator') as string,
    async leave() {
      const wrong = await undocumentedOf(databaseUrlIn(home), organization(name));
      await asked('leave');
      if (wrong.length > 0) throw new Error(`announcements that are not as /v1/asyncapi.json says: ${wrong.slice(0, 5).join('; ')}`);
    },
  };
}

const subjectOf = (member: string, org: string): string => `${member} of ${org}`;

/** Creates an organization with the example's members in the service at `home`. Returns their tokens. */
export async function foundOrganization(home: string, databaseUrl: string, org: string): Promise<Map<string, string>> {
  const keys = localSigningKeys(home, createLiveClock());
  const writer = await commandWriter(home, databaseUrl);
  const sql = openDatabase({ url: databaseUrl, connections: 1, role: null, name: 'shared service', ...(writer ? { writer } : {}) });
  try {
    const members = createMemberStore(sql);
    await members.ensureOrganization(organization(org), org);
    for (const { subject, name, permissions } of EXAMPLE_MEMBERS)
      await members.grant(subjectOf(subject, org), { orgId: organization(org), name, permissions });
  } finally {
    await sql.end({ timeout: 2 });
  }
  const mint = (subject: string): string => keys.mintToken({ subject, audience: SANDBOX_AUDIENCE, lifetimeS: TOKEN_S });
  return new Map(EXAMPLE_MEMBERS.map(({ subject }) => [subject, mint(subjectOf(subject, org))]));
}

/** Checks everything announced for an organization except batches of decisions, which the feed expands. */
async function undocumentedOf(databaseUrl: string, orgId: string): Promise<readonly string[]> {
  const sql = openDatabase({ url: databaseUrl, connections: 1, role: null, name: 'announcements of a journey' });
  try {
    const rows = await sql<{ channel: string; body: unknown }[]>`
      select channel, body from announcements where (org_id = ${orgId} or org_id is null) and channel <> 'decisions'`;
    return rows.flatMap(({ channel, body }) => undocumentedAnnouncement(channel, body));
  } finally {
    await sql.end({ timeout: 2 });
  }
}

async function asked(what: 'join' | 'leave'): Promise<unknown> {
  const answer = await fetch(`${inject('servers')}/service/${what}`);
  if (!answer.ok) throw new Error(`no shared service: ${await answer.text()}`);
  return answer.json();
}
