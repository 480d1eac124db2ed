/** Checks the feed's frames and announcements against the AsyncAPI document. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { asyncApiDocument } from '../../api/document/asyncapi.ts';

const document = asyncApiDocument('0.0.0') as { components: { messages: Record<string, object> } };
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema(document, 'feed');
const checks = new Map<string, ValidateFunction>();

/** Returns the differences of a frame from the document, one sentence each. */
export function undocumented(frame: { readonly type?: string; readonly channel?: string }): readonly string[] {
  const { type = '', channel } = frame;
  const name = channel === undefined || !['snapshot', 'update', 'lagged'].includes(type) ? type : `${channel}_${type}`;
  return complaints(name, 'payload', frame);
}

/** Returns the differences of an announcement on a channel that sends it unchanged. */
export function undocumentedAnnouncement(channel: string, body: unknown): readonly string[] {
  return complaints(`${channel}_update`, 'payload/properties/data', body);
}

function complaints(name: string, part: string, value: unknown): readonly string[] {
  if (document.components.messages[name] === undefined) return [`there is no message ${name}`];
  const path = `feed#/components/messages/${name}/${part}`;
  const check = checks.get(path) ?? ajv.compile({ $ref: path });
  checks.set(path, check);
  return check(value) ? [] : [`${name}: ${ajv.errorsText(check.errors)} in ${JSON.stringify(value).slice(0, 300)}`];
}
