/** Members of the organization and their permissions: members, roles and invitations. */
import { askDialog } from './ask-dialog.js';
import { fill, h, say } from './dom.js';
import { clearProblem, fieldRow, showProblems } from './form-fields.js';
import { grantFields, PERMISSION_WORDS, permissionRow } from './grant-fields.js';
import { change, read } from './http.js';
import { createProblemNote } from './problem-note.js';
import { dataTable } from './tables.js';
import { dayAndTime, plain } from './words.js';

/** @typedef {import('./api.ts').Member} Member */
/** @typedef {import('./api.ts').MemberRole} MemberRole */
/** @typedef {import('./api.ts').Invitation} Invitation */
/** @typedef {import('./api.ts').NewInvitation} NewInvitation */
/** @typedef {import('./form-fields.js').Row} Row */
/** @typedef {{ readonly context: import('./shell.js').Context, readonly refresh: () => Promise<void> }} Parts */

const NEEDED = 'members:manage';
const SHOWN = 100;
const OWN = 'You cannot change your own permissions. Ask another administrator.';

/**
 * @param {import('./shell.js').Context} context
 * @returns {import('./shell.js').View}
 */
export function membersView(context) {
  const abort = new AbortController();
  const { signal } = abort;
  const mayManage = context.me.permissions.includes(NEEDED);
  const note = h('p', { class: 'faint', role: 'status' }, mayManage ? 'Loading…' : '');
  const members = h('div', {});
  const roles = h('div', {});
  const invitations = h('div', {});
  const parts = { context, refresh };
  const inviting = h('div', {});
  const writing = h('div', {});

  async function refresh() {
    try {
      /** @type {[{ readonly items: readonly Member[] }, { readonly items: readonly MemberRole[] }, import('./wire.ts').Page<Invitation>]} */
      const [people, known, invited] = await Promise.all([
        read('/v1/members', { signal }),
        read('/v1/roles', { signal }),
        read(`/v1/invitations?limit=${SHOWN}`, { signal }),
      ]);
      fill(members, memberTable(people.items, known.items, parts));
      fill(roles, roleTable(known.items, parts));
      fill(invitations, invitationTable(invited.items, parts));
      // What somebody is writing stays as it is, unless there are other roles to choose from.
      const names = known.items.map(({ name }) => name).join(' ');
      if (inviting.getAttribute('data-roles') !== names) {
        inviting.setAttribute('data-roles', names);
        fill(inviting, invitationForm(known.items, parts));
      }
      if (writing.childElementCount === 0) fill(writing, roleForm(parts));
      say(note, `${people.items.length} members`);
    } catch (error) {
      if (signal.aborted) return;
      say(note, 'The members could not be loaded.');
      context.fail(error);
    }
  }
  if (mayManage) void refresh();

  return {
    element: h(
      'section',
      { class: 'page members' },
      h('div', { class: 'page-head' }, h('h1', {}, 'Members'), note),
      mayManage
        ? [
            h('div', { class: 'panel' }, members),
            h('div', { class: 'panel' }, h('div', { class: 'panel-head' }, h('h2', {}, 'Invitations')), invitations, inviting),
            h('div', { class: 'panel' }, h('div', { class: 'panel-head' }, h('h2', {}, 'Roles')), roles, writing),
          ]
        : notAllowed(context.me.permissions),
    ),
    title: 'Members',
    ...(mayManage ? { list: { label: 'Search members' } } : {}),
    end: () => abort.abort(),
  };
}

/** Creates the notice for members who may not manage members. @param {readonly string[]} permissions */
function notAllowed(permissions) {
  return h(
    'div',
    { class: 'panel panel-words' },
    h('p', {}, 'Members with ', h('code', {}, NEEDED), ' can see and manage the members of the organization. Your permissions:'),
    permissionList(permissions),
    h('button', { type: 'button', disabled: true, title: `Requires ${NEEDED}` }, 'Invite a member'),
  );
}

/** @param {readonly string[]} permissions */
function permissionList(permissions) {
  return h(
    'ul',
    { class: 'permission-list' },
    PERMISSION_WORDS.filter(([permission]) => permissions.includes(permission)).map(([permission, words]) =>
      h('li', { title: words }, h('code', {}, permission)),
    ),
  );
}

/**
 * @param {readonly Member[]} members
 * @param {readonly MemberRole[]} roles
 * @param {Parts} parts
 */
function memberTable(members, roles, parts) {
  const { subject: mine } = parts.context.me;
  return dataTable({
    caption: 'Members of the organization',
    head: ['name', 'subject', 'role', 'permissions', 'actions'],
    rows: members.map((member) => [
      member.subject === mine ? `${member.name} (you)` : member.name,
      h('code', {}, member.subject),
      member.role === null ? 'custom' : plain(member.role),
      permissionList(member.permissions),
      memberActions(member, roles, parts),
    ]),
  });
}

/** @param {Member} member @param {readonly MemberRole[]} roles @param {Parts} parts */
function memberActions(member, roles, parts) {
  const isOwn = member.subject === parts.context.me.subject;
  /** @param {string} words @param {() => void} onclick @param {string} [kind] */
  const button = (words, onclick, kind = '') =>
    h(
      'button',
      { type: 'button', class: kind, disabled: isOwn, title: isOwn ? OWN : null, onclick, 'aria-label': `${words}: ${member.name}` },
      words,
    );
  return h(
    'span',
    { class: 'row-actions' },
    button('Change', () => changeMember(member, roles, parts)),
    ...DEEDS.map(({ title, path, text, done, kind }) =>
      button(title, () => askFor({ title, path, text: text(member.name), done: done(member.name) }, member, parts), kind),
    ),
  );
}

/** Actions on a member, after a confirmation. */
const DEEDS = /** @type {const} */ ([
  {
    title: 'Revoke tokens',
    path: '/v1/members/revoke-tokens',
    text: (/** @type {string} */ name) => `All current tokens of ${name} stop working at the next request. The member can sign in again.`,
    done: (/** @type {string} */ name) => `Tokens of ${name} revoked.`,
    kind: '',
  },
  {
    title: 'Remove',
    path: '/v1/members/remove',
    text: (/** @type {string} */ name) => `${name} loses access to the organization at the next request. Past actions stay on record.`,
    done: (/** @type {string} */ name) => `${name} removed.`,
    kind: 'danger',
  },
]);

/**
 * @param {{ readonly title: string, readonly path: string, readonly text: string, readonly done: string }} deed
 * @param {Member} member
 * @param {Parts} parts
 */
function askFor({ title, path, text, done }, { subject }, { context: { fail, notify }, refresh }) {
  askDialog({
    title,
    text,
    fields: [],
    confirm: title,
    isDangerous: true,
    fail,
    async carryOut() {
      await change('POST', path, { subject });
      notify(done);
      await refresh();
    },
  });
}

/** @param {Member} member @param {readonly MemberRole[]} roles @param {Parts} parts */
function changeMember(member, roles, { context, refresh }) {
  const { rows, granted } = grantFields('grant', roles, member);
  askDialog({
    title: `Permissions of ${member.name}`,
    text: 'Replaces the current permissions from the member’s next request.',
    fields: rows.map(([, { element }]) => element),
    confirm: 'Change',
    fail: context.fail,
    async carryOut() {
      /** @type {Member} */
      const changed = await change('POST', '/v1/members/grant', { subject: member.subject, ...granted() });
      context.notify(`${changed.name} now has ${changed.role === null ? 'custom permissions' : `role ${plain(changed.role)}`}.`);
      await refresh();
    },
  });
}

/** @param {readonly MemberRole[]} roles @param {Parts} parts */
function roleTable(roles, { context, refresh }) {
  /** @param {MemberRole} role */
  const changing = ({ name, permissions }) => {
    const { row, permissions: chosen } = permissionRow('role-change', permissions);
    askDialog({
      title: `Role ${plain(name)}`,
      text: 'Members with this role get the new permissions at once.',
      fields: [row.element],
      confirm: 'Change',
      fail: context.fail,
      async carryOut() {
        await change('PUT', `/v1/roles/${encodeURIComponent(name)}`, { permissions: chosen() });
        context.notify(`Role ${plain(name)} changed.`);
        await refresh();
      },
    });
  };
  return dataTable({
    caption: 'Roles',
    head: ['role', 'type', 'permissions', 'actions'],
    rows: roles.map((role) => [
      plain(role.name),
      role.builtIn ? 'built in' : 'custom',
      permissionList(role.permissions),
      h(
        'button',
        {
          type: 'button',
          disabled: role.builtIn,
          title: role.builtIn ? 'Built-in roles cannot be changed.' : null,
          'aria-label': `Change: ${plain(role.name)}`,
          onclick: () => changing(role),
        },
        'Change',
      ),
    ]),
  });
}

/**
 * A form whose problems stand beside its fields.
 * @param {object} options
 * @param {string} options.title
 * @param {ReadonlyMap<string, Row>} options.rows
 * @param {string} options.confirm
 * @param {(error: unknown) => void} options.fail
 * @param {() => Promise<void>} options.carryOut
 * @param {Node | null} [options.after]
 */
function smallForm({ title, rows, confirm, fail, carryOut, after = null }) {
  const note = createProblemNote(fail);
  const button = h('button', { type: 'submit', class: 'primary' }, confirm);
  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    button.disabled = true;
    note.clear();
    for (const row of rows.values()) clearProblem(row);
    try {
      await carryOut();
    } catch (error) {
      showProblems(error, rows, note);
    } finally {
      button.disabled = false;
    }
  }
  return h(
    'details',
    { class: 'member-form' },
    h('summary', {}, title),
    h(
      'form',
      { class: 'manifest-form', onsubmit: (/** @type {Event} */ event) => void submit(event) },
      [...rows.values()].map(({ element }) => element),
      note.element,
      h('div', { class: 'dialog-buttons' }, button),
    ),
    after,
  );
}

/** @param {Parts} parts */
function roleForm({ context, refresh }) {
  const name = fieldRow({
    name: 'name',
    form: 'role',
    label: 'Name (lower-case letters, digits, _ and -)',
    kind: 'text',
    hint: 'night_desk',
  });
  const { row, permissions } = permissionRow('role');
  return smallForm({
    title: 'New role',
    rows: new Map([
      ['name', name],
      ['permissions', row],
    ]),
    confirm: 'Save role',
    fail: context.fail,
    async carryOut() {
      /** @type {MemberRole} */
      const role = await change('PUT', `/v1/roles/${encodeURIComponent(name.input.value.trim() || ' ')}`, { permissions: permissions() });
      context.notify(`Role ${plain(role.name)} saved.`);
      name.input.value = '';
      await refresh();
    },
  });
}

/** @param {readonly MemberRole[]} roles @param {Parts} parts */
function invitationForm(roles, { context, refresh }) {
  const name = fieldRow({ name: 'name', form: 'invite', label: 'Name', kind: 'text' });
  const hours = fieldRow({ name: 'hours', form: 'invite', label: 'Valid for (hours, max 720)', kind: 'decimal' });
  hours.input.value = '72';
  const { rows, granted } = grantFields('invite', roles);
  const made = h('div', { role: 'status' });
  return smallForm({
    title: 'Invite a member',
    rows: new Map([['name', name], ['hours', hours], ...rows]),
    confirm: 'Invite',
    fail: context.fail,
    after: made,
    async carryOut() {
      const wanted = { name: name.input.value.trim(), ...granted(), hours: Number(hours.input.value.trim()) };
      /** @type {NewInvitation} */
      const invited = await change('POST', '/v1/invitations', wanted);
      fill(made, linkOnce(invited));
      name.input.value = '';
      await refresh();
    },
  });
}

/** The link of an invitation, which is told here and nowhere else. @param {NewInvitation} invited */
function linkOnce({ name, code, expiresAt }) {
  const address = `${location.origin}/#/join/${code}`;
  const field = h('input', { type: 'text', readonly: true, value: address, 'aria-label': `Invitation link for ${name}` });
  const copied = h('span', { class: 'faint' });
  const copy = () =>
    navigator.clipboard.writeText(address).then(
      () => say(copied, 'Copied.'),
      () => field.select(),
    );
  return h(
    'div',
    { class: 'invitation-link' },
    h('p', {}, `Send this link to ${name} over a channel you trust. It is shown once, works once and expires at ${dayAndTime(expiresAt)}.`),
    h('div', { class: 'wallet-form' }, field, h('button', { type: 'button', onclick: () => void copy() }, 'Copy'), copied),
  );
}

/** @param {readonly Invitation[]} invitations @param {Parts} parts */
function invitationTable(invitations, { context, refresh }) {
  /** @param {Invitation} invitation */
  async function revoke({ id, name }) {
    try {
      await change('POST', `/v1/invitations/${id}/revoke`);
      context.notify(`Invitation of ${name} revoked.`);
      await refresh();
    } catch (error) {
      context.fail(error);
    }
  }
  return dataTable({
    caption: 'Invitations, newest first',
    head: ['name', 'role', 'invited by', 'expires', 'status', 'actions'],
    empty: 'No invitations yet.',
    rows: invitations.map((one) => {
      const status = statusOf(one, context.feed.now());
      return [
        one.name,
        one.role === null ? permissionList(one.permissions) : plain(one.role),
        one.invitedBy,
        dayAndTime(one.expiresAt),
        status,
        status === 'open'
          ? h('button', { type: 'button', 'aria-label': `Revoke: ${one.name}`, onclick: () => void revoke(one) }, 'Revoke')
          : '',
      ];
    }),
  });
}

/** @param {Invitation} invitation @param {number} now */
function statusOf({ acceptedBy, revokedAt, expiresAt }, now) {
  if (acceptedBy !== null) return `accepted by ${acceptedBy}`;
  if (revokedAt !== null) return 'revoked';
  return Date.parse(expiresAt) <= now ? 'expired' : 'open';
}
