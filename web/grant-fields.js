/** Fields of a grant: a role, or permissions one by one. */
import { h } from './dom.js';
import { fieldRow } from './form-fields.js';
import { plain } from './words.js';

/** @typedef {import('./api.ts').MemberRole} MemberRole */
/** @typedef {MemberRole['permissions'][number]} Permission */
/** @typedef {import('./form-fields.js').Row} Row */

/** Every permission, and what it lets one do. @type {readonly (readonly [permission: Permission, words: string])[]} */
export const PERMISSION_WORDS = [
  ['market:read', 'read market data'],
  ['agent:read', 'read agents, books and records'],
  ['trade:execute', 'create agents, approve, trade and sign'],
  ['risk:manage', 'sign off, resume, change risk limits, intervene'],
  ['members:manage', 'invite, change and remove members'],
];
/** Stands in the place of a role. */
const ONE_BY_ONE = '';

/**
 * The checkboxes of permissions as one row of a form.
 * @param {string} form Tells its fields from others of the page.
 * @param {readonly Permission[]} [chosen]
 */
export function permissionRow(form, chosen = []) {
  const boxes = PERMISSION_WORDS.map(([permission, words]) => {
    const box = h('input', { type: 'checkbox', value: permission, 'aria-describedby': `problem-${form}-permissions` });
    box.checked = chosen.includes(permission);
    return { box, label: h('label', {}, box, ' ', h('code', {}, permission), ' ', h('span', { class: 'faint' }, words)) };
  });
  const [first] = boxes;
  const problem = h('p', { class: 'problem', id: `problem-${form}-permissions` });
  const element = h(
    'fieldset',
    { class: 'manifest-field permission-set' },
    h('legend', {}, 'Permissions'),
    boxes.map(({ label }) => label),
    problem,
  );
  /** @type {Row} */
  const row = { input: /** @type {{ readonly box: HTMLInputElement }} */ (first).box, problem, element };
  return { row, permissions: () => boxes.filter(({ box }) => box.checked).map(({ box }) => box.value) };
}

/**
 * A role to choose, and the checkboxes where none is to be.
 * @param {string} form
 * @param {readonly MemberRole[]} roles
 * @param {{ readonly role: string | null, readonly permissions: readonly Permission[] }} [now]
 */
export function grantFields(form, roles, now = { role: 'viewer', permissions: [] }) {
  const options = roles.map(({ name }) => /** @type {const} */ ([name, plain(name)]));
  const role = fieldRow({
    name: 'role',
    form,
    label: 'Role',
    kind: 'choice',
    options: [...options, [ONE_BY_ONE, 'custom permissions']],
  });
  const set = permissionRow(form, now.permissions);
  role.input.value = now.role ?? ONE_BY_ONE;
  const follow = () => {
    set.row.element.hidden = role.input.value !== ONE_BY_ONE;
  };
  role.input.addEventListener('change', follow);
  follow();
  return {
    /** @type {readonly (readonly [string, Row])[]} */
    rows: [
      ['role', role],
      ['permissions', set.row],
    ],
    granted: () => (role.input.value === ONE_BY_ONE ? { permissions: set.permissions() } : { role: role.input.value }),
  };
}
