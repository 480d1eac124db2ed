/** `sevengate token`: creates a bearer token of the local identity provider, with its grants. */

import type { Command } from 'commander';
import { createMemberStore } from '../../adapters/store/callers/member-store.ts';
import { databaseClock } from '../../adapters/store/simulated-time.ts';
import { PERMISSIONS, type Permission } from '../../domain/agents/agent.ts';
import { ORGANIZATION_OPTION, organization } from './organization.ts';
import { withWriterDatabase } from '../service-database.ts';
import type { Service } from '../ports.ts';
import { named, permissions, print } from '../words.ts';

const LIFETIME_S = 3_600;

export function tokenCommand(command: Command, service: Service): void {
  command
    .requiredOption('--permissions <list>', `permissions, separated by commas: ${PERMISSIONS.join(', ')}, or none`, anyOrNone)
    .option('--subject <subject>', 'subject of the token (default: named after its permissions)', named('a subject'))
    .option(...ORGANIZATION_OPTION)
    .option('--json', 'print subject, organization, permissions and token as JSON')
    .action(async (options: { permissions: Permission[]; subject?: string; org?: string; json?: boolean }) => {
      if (service.settings().IDP_ISSUER !== null)
        throw new Error(
          'IDP_ISSUER names another identity provider: its own tokens are needed, this command only makes those of the local one',
        );
      const subject =
        options.subject ??
        `cli:${[...options.permissions].sort().join('+') || 'none'}${options.org === undefined ? '' : `@${options.org}`}`;
      const orgId = organization(options.org ?? service.exampleOrganization);
      const clock = await withWriterDatabase(
        service,
        'sevengate token',
        async (sql) => {
          const members = createMemberStore(sql);
          await members.ensureOrganization(orgId, options.org ?? 'Example desk');
          await members.grant(subject, { orgId, name: subject, permissions: options.permissions });
          return databaseClock(sql);
        },
        'api',
      );
      const token = await service.mintToken({ subject, lifetimeS: LIFETIME_S, clock });
      print(options.json ? JSON.stringify({ subject, orgId, permissions: options.permissions, expiresInS: LIFETIME_S, token }) : token);
    });
}

const anyOrNone = (list: string): Permission[] => (list === 'none' || list === '' ? [] : permissions(list));
