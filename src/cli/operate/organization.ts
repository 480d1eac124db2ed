/** Organization id from a command's option. */
import { canonicalHash } from '../../domain/values/canonical-json.ts';
import { isUuid } from '../../domain/values/ids.ts';
import { named } from '../words.ts';

/** Option of every command for one organization. */
export const ORGANIZATION_OPTION = [
  '--org <org>',
  'organization: a UUID, or a name of your own (default: the example organization)',
  named('the name of an organization'),
] as const;

/** Returns an organization's id. A name always gives the same id. */
export function organization(given: string): string {
  if (isUuid(given)) return given;
  const hex = canonicalHash(`organization ${given}`);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
