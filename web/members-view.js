/** Who belongs to the organization and what each may do: members, roles and invitations. */
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
const OWN = 'Nobody changes what they may do themselves: ask another administrator.';

/**
 * @param {import('./shell.js').Context} context
 * @returns {import('./shell.js').View}
 */
export function membersView(context) {
  const abort = new AbortController();
  const { signal } = abort;
  const mayManage = context.me.permissions.includes(NEEDED);
  const note = h('p', { class: 'faint', role: 'status' }, mayManage ? 'Reading…' : '');
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
      say(note, 'The members cannot be read at the moment.');
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

/** Who may not manage members is told so. @param {readonly string[]} permissions */
function notAllowed(permissions) {
  return h(
    'div',
    { class: 'panel panel-words' },
    h('p', {}, 'Whoever holds ', h('code', {}, NEEDED), ' sees and changes who belongs to the organization. You hold:'),
    permissionList(permissions),
    h('button', { type: 'button', disabled: true, title: `This needs ${NEEDED}` }, 'Invite somebody'),
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
    head: ['name', 'subject', 'role', 'may', 'what to do'],
    rows: members.map((member) => [
      member.subject === mine ? `${member.name} (you)` : member.name,
      h('code', {}, member.subject),
      member.role === null ? 'one by one' : plain(member.role),
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

/** What is done to a member after it was asked once more. */
const DEEDS = /** @type {const} */ ([
  {
    title: 'Take tokens back',
    path: '/v1/members/revoke-tokens',
    text: (/** @type {string} */ name) =>
      `Every token of ${name} that was issued until now is refused from its next request on. The member may sign in again.`,
    done: (/** @type {string} */ name) => `The tokens of ${name} are taken back.`,
    kind: '',
  },
  {
    title: 'Remove',
    path: '/v1/members/remove',
    text: (/** @type {string} */ name) => `${name} belongs to no organization from the next request on. What was done stays on record.`,
    done: (/** @type {string} */ name) => `${name} was removed.`,
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
    title: `What ${member.name} may do`,
    text: 'It holds from the next request of the member on, in the place of what is there now.',
    fields: rows.map(([, { element }]) => element),
    confirm: 'Change',
    fail: context.fail,
    async carryOut() {
      /** @type {Member} */
      const changed = await change('POST', '/v1/members/grant', { subject: member.subject, ...granted() });
      context.notify(`${changed.name} is ${changed.role === null ? 'given permissions one by one' : plain(changed.role)} now.`);
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
      title: `The role ${plain(name)}`,
      text: 'Members who have it have its new permissions at once.',
      fields: [row.element],
      confirm: 'Change',
      fail: context.fail,
      async carryOut() {
        await change('PUT', `/v1/roles/${encodeURIComponent(name)}`, { permissions: chosen() });
        context.notify(`The role ${plain(name)} was changed.`);
        await refresh();
      },
    });
  };
  return dataTable({
    caption: 'Roles that members may be given',
    head: ['role', 'whose', 'may', 'what to do'],
    rows: roles.map((role) => [
      plain(role.name),
      role.builtIn ? 'built in' : 'your own',
      permissionList(role.permissions),
      h(
        'button',
        {
          type: 'button',
          disabled: role.builtIn,
          title: role.builtIn ? 'Built-in roles stay as they are.' : null,
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
  const name = fieldRow({ name: 'name', form: 'role', label: 'Name: small letters, digits, _ and -', kind: 'text', hint: 'night_desk' });
  const { row, permissions } = permissionRow('role');
  return smallForm({
    title: 'A role of your own',
    rows: new Map([
      ['name', name],
      ['permissions', row],
    ]),
    confirm: 'Write the role',
    fail: context.fail,
    async carryOut() {
      /** @type {MemberRole} */
      const role = await change('PUT', `/v1/roles/${encodeURIComponent(name.input.value.trim() || ' ')}`, { permissions: permissions() });
      context.notify(`The role ${plain(role.name)} is there.`);
      name.input.value = '';
      await refresh();
    },
  });
}

/** @param {readonly MemberRole[]} roles @param {Parts} parts */
function invitationForm(roles, { context, refresh }) {
  const name = fieldRow({ name: 'name', form: 'invite', label: 'Name of whom you invite', kind: 'text' });
  const hours = fieldRow({ name: 'hours', form: 'invite', label: 'Hours to accept it, at most 720', kind: 'decimal' });
  hours.input.value = '72';
  const { rows, granted } = grantFields('invite', roles);
  const made = h('div', { role: 'status' });
  return smallForm({
    title: 'Invite somebody',
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
  const field = h('input', { type: 'text', readonly: true, value: address, 'aria-label': `Link for ${name}` });
  const copied = h('span', { class: 'faint' });
  const copy = () =>
    navigator.clipboard.writeText(address).then(
      () => say(copied, 'Copied.'),
      () => field.select(),
    );
  return h(
    'div',
    { class: 'invitation-link' },
    h(
      'p',
      {},
      `Hand this link to ${name} by a way that you trust: it is shown here only, works once, and ends at ${dayAndTime(expiresAt)}.`,
    ),
    h('div', { class: 'wallet-form' }, field, h('button', { type: 'button', onclick: () => void copy() }, 'Copy'), copied),
  );
}

/** @param {readonly Invitation[]} invitations @param {Parts} parts */
function invitationTable(invitations, { context, refresh }) {
  /** @param {Invitation} invitation */
  async function revoke({ id, name }) {
    try {
      await change('POST', `/v1/invitations/${id}/revoke`);
      context.notify(`The invitation of ${name} is taken back.`);
      await refresh();
    } catch (error) {
      context.fail(error);
    }
  }
  return dataTable({
    caption: 'Invitations, newest first',
    head: ['name', 'as', 'invited by', 'until', 'stands', 'what to do'],
    empty: 'Nobody was invited yet.',
    rows: invitations.map((one) => {
      const status = statusOf(one, context.feed.now());
      return [
        one.name,
        one.role === null ? permissionList(one.permissions) : plain(one.role),
        one.invitedBy,
        dayAndTime(one.expiresAt),
        status,
        status === 'open'
          ? h('button', { type: 'button', 'aria-label': `Take back: ${one.name}`, onclick: () => void revoke(one) }, 'Take back')
          : '',
      ];
    }),
  });
}

/** @param {Invitation} invitation @param {number} now */
function statusOf({ acceptedBy, revokedAt, expiresAt }, now) {
  if (acceptedBy !== null) return `accepted by ${acceptedBy}`;
  if (revokedAt !== null) return 'taken back';
  return Date.parse(expiresAt) <= now ? 'expired' : 'open';
}
