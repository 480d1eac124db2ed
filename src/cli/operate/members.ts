/** `sevengate members`: manages an organization's members, by the login that owns the tables. */
import type { Command } from 'commander';
import type { ApiPorts } from '../../../api/route.ts';
import { PERMISSIONS, type Permission } from '../../domain/agents/agent.ts';
import { INVITATION_HOURS } from '../../domain/identity/member.ts';
import type { Outcome } from '../../domain/values/refusal.ts';
import { ORGANIZATION_OPTION, organization } from './organization.ts';
import { withWriterDatabase } from '../service-database.ts';
import { count, named, permissions, uuid } from '../words.ts';
import type { Service } from '../ports.ts';

interface Options {
  readonly org?: string;
  readonly json?: true;
}
interface GrantOptions extends Options {
  readonly role?: string;
  readonly permissions?: readonly Permission[];
}

export function membersCommands(members: Command, service: Service): void {
  const command = (words: string, description: string): Command =>
    members
      .command(words)
      .description(description)
      .option(...ORGANIZATION_OPTION)
      .option('--json', 'print the result as JSON');
  const granting = (words: string, description: string): Command =>
    command(words, description)
      .option('--role <role>', 'a role: viewer, operator, risk_manager, administrator, or one of the organization')
      .option('--permissions <list>', `permissions instead, separated by commas: ${PERMISSIONS.join(', ')}`, permissions);

  readingCommands(command, service);
  granting('grant <subject>', 'set the role or permissions of a member').action((subject: string, options: GrantOptions) =>
    withMembers(service, options, async ({ commands }, context) => {
      const member = done(await commands.grant(context, subject, granted(options)));
      return { value: member, text: [`${member.subject} holds ${member.permissions.join(',')}`] };
    }),
  );
  command('remove <subject>', 'remove a member from the organization').action((subject: string, options: Options) =>
    withMembers(service, options, async ({ commands }, context) => {
      const member = done(await commands.remove(context, subject));
      return { value: member, text: [`removed ${member.subject} from the organization`] };
    }),
  );
  granting('invite', 'invite a member; the holder of the code joins with POST /v1/invitations/accept')
    .argument('<name>', 'name of the new member', named('the name of a member', 120))
    .option('--hours <n>', 'hours until it expires', count(1, 720, 'hours'), INVITATION_HOURS)
    .action((name: string, options: GrantOptions & { readonly hours: number }) =>
      withMembers(service, options, async ({ commands }, context) => {
        const invitation = done(await commands.invite(context, { name, hours: options.hours, ...granted(options) }));
        return { value: invitation, text: [invitation.code] };
      }),
    );
  command('revoke-invitation', 'revoke an invitation')
    .argument('<id>', 'its id, printed by `members invite --json`', uuid('an invitation id'))
    .action((id: string, options: Options) =>
      withMembers(service, options, async ({ commands }, context) => {
        const invitation = done(await commands.revokeInvitation(context, id));
        return { value: invitation, text: [`revoked invitation ${invitation.id}`] };
      }),
    );
  command('revoke-tokens <subject>', 'revoke all tokens of a member').action((subject: string, options: Options) =>
    withMembers(service, options, async ({ commands }, context) => {
      const revoked = done(await commands.revokeTokens(context, subject));
      return { value: revoked, text: [`revoked all tokens of ${subject}`] };
    }),
  );
  command('set-role <name> <permissions>', 'create or change a custom role').action((name: string, list: string, options: Options) =>
    withMembers(service, options, async ({ commands }, context) => {
      const role = done(await commands.setRole(context, name, permissions(list)));
      return { value: role, text: [`${role.name}  ${role.permissions.join(',')}`] };
    }),
  );
}

function readingCommands(command: (words: string, description: string) => Command, service: Service): void {
  command('list', 'list the members with their permissions').action((options: Options) =>
    withMembers(service, options, async ({ reads }, { orgId }) => {
      const items = await reads.list(orgId);
      return {
        value: items,
        text: items.map(({ subject, name, role, permissions: held }) => `${subject}  ${name}  ${role ?? '-'}  ${held.join(',')}`),
      };
    }),
  );
  command('roles', 'list the roles with their permissions').action((options: Options) =>
    withMembers(service, options, async ({ reads }, { orgId }) => {
      const items = await reads.roles(orgId);
      return { value: items, text: items.map(({ name, permissions: held }) => `${name}  ${held.join(',')}`) };
    }),
  );
}

type Context = Parameters<ApiPorts['members']['commands']['grant']>[0];
interface Result {
  readonly value: object;
  readonly text: readonly string[];
}

/** Runs an operation on the organization's members and prints the result. */
async function withMembers(
  service: Service,
  { org, json }: Options,
  work: (members: ApiPorts['members'], context: Context) => Promise<Result>,
): Promise<void> {
  const orgId = organization(org ?? service.exampleOrganization);
  const [{ createNewIds }, { asOrganization }, { createMemberStore }, { databaseClock }] = await Promise.all([
    import('../../adapters/new-ids.ts'),
    import('../../adapters/store/callers/as-organization.ts'),
    import('../../adapters/store/callers/member-store.ts'),
    import('../../adapters/store/simulated-time.ts'),
  ]);
  const { value, text } = await withWriterDatabase(
    service,
    'sevengate members',
    async (sql) => {
      const clock = await databaseClock(sql);
      const newId = createNewIds(clock);
      await createMemberStore(sql).ensureOrganization(orgId, org ?? 'Example desk');
      const context: Context = { orgId, subject: 'command line', permissions: ['members:manage'], requestId: newId() };
      return work(await service.members(asOrganization(sql, orgId), clock, newId), context);
    },
    'api',
  );
  process.stdout.write(json ? `${JSON.stringify(value)}\n` : text.map((line) => `${line}\n`).join(''));
}

/** Returns the value of an outcome. @throws Error with the message of a refusal */
function done<Value>(outcome: Outcome<Value>): Value {
  if (outcome.ok) return outcome.value;
  throw new Error(outcome.refusal.detail);
}

const granted = ({ role, permissions: named }: GrantOptions) => ({ role: role ?? null, permissions: named ?? null });
