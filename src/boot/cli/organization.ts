/** Which organization a command is for. */
import { canonicalHash } from '../../domain/canonical-json.ts';
import { EXAMPLE_ORGANIZATION } from '../../sandbox/example-organization.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The id of an organization; a name of one's own always means the same one. */
export function organization(given: string | undefined): string {
  if (given === undefined) return EXAMPLE_ORGANIZATION;
  if (UUID.test(given)) return given;
  const hex = canonicalHash(`organization ${given}`);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
