import assert from 'node:assert/strict';
import type { PermissionRequest, ToolCall } from '../../../../src/agents/session/events.ts';
import {
	type ApprovalRules,
	allowanceOf,
	allowOnce,
	refusal,
	ruleOn,
} from '../../../../src/chat/model/approvalPolicy.ts';

const OPTIONS: PermissionRequest['options'] = [
	{ id: 'always', name: 'Always', kind: 'allow_always' },
	{ id: 'once', name: 'Once', kind: 'allow_once' },
	{ id: 'no', name: 'No', kind: 'reject_once' },
];

const call = (fields: Partial<ToolCall>): ToolCall => ({
	id: 'one',
	title: 'Something',
	kind: 'execute',
	status: 'pending',
	locations: [],
	diffs: [],
	output: '',
	...fields,
});

const command = call({ command: 'npm test' });
const edit = (path: string) => call({ kind: 'edit', locations: [{ path }] });

function rule(asked: ToolCall, rules: Partial<ApprovalRules> = {}, others: Partial<PermissionRequest> = {}) {
	return ruleOn(
		{ call: asked, options: OPTIONS, complete: true, ...others },
		{ setting: 'ask', isSandboxed: true, folder: '/project', isKept: () => true, allowed: new Set(), ...rules },
	);
}

describe('what an agent asks for', () => {
	it('is asked of the user: commands and edits, by the setting that asks for everything', () => {
		assert.deepEqual(rule(command), { kind: 'ask', isOnlyOnce: false });
		assert.deepEqual(rule(edit('src/a.ts')), { kind: 'ask', isOnlyOnce: false });
		assert.deepEqual(rule(call({ kind: 'fetch' })), { kind: 'ask', isOnlyOnce: true });
		assert.deepEqual(rule(call({ kind: 'other' })), { kind: 'ask', isOnlyOnce: true });
	});

	it('is allowed by the setting: edits, or everything in a sandbox', () => {
		const allowed = { kind: 'allow', because: 'setting' } as const;
		assert.deepEqual(rule(edit('src/a.ts'), { setting: 'ask-for-commands' }), allowed);
		assert.equal(rule(command, { setting: 'ask-for-commands' }).kind, 'ask');
		assert.deepEqual(rule(command, { setting: 'allow-in-sandbox' }), allowed);
		assert.equal(rule(command, { setting: 'allow-in-sandbox', isSandboxed: false }).kind, 'ask');
		assert.equal(rule(edit('a.ts'), { setting: 'allow-in-sandbox', isSandboxed: false }).kind, 'ask');
	});

	it('is asked by what it would do, whatever kind the agent gives it', () => {
		const settings = { setting: 'ask-for-commands', allowed: new Set(['edits']) } as const;
		for (const kind of ['edit', 'read', 'search', 'think'] as const) {
			assert.deepEqual(rule(call({ kind, command: 'rm -rf src' }), settings), { kind: 'ask', isOnlyOnce: false }, kind);
		}
		const diffs = [{ path: '.vscode/tasks.json', newText: '{}' }];
		assert.deepEqual(rule(call({ kind: 'read', diffs })), { kind: 'ask', isOnlyOnce: true });
	});

	it('is another command in another folder or environment', () => {
		const npm = (others: object) =>
			call({ command: 'npm test', input: JSON.stringify({ command: 'npm test', ...others }) });
		const allowed = new Set([allowanceOf(npm({ description: 'Runs the tests' })) ?? '']);
		assert.equal(rule(npm({ description: 'Runs them again' }), { allowed }).kind, 'allow');
		assert.equal(rule(npm({ cwd: '/elsewhere' }), { allowed }).kind, 'ask');
		assert.equal(rule(npm({ env: { PATH: '.' } }), { allowed }).kind, 'ask');
	});

	it('is allowed to read in a sandbox, and asked about without one', () => {
		const read = call({ kind: 'read', locations: [{ path: '/etc/passwd' }] });
		assert.equal(rule(read).kind, 'allow');
		assert.equal(rule(read, { isSandboxed: false }).kind, 'ask');
	});

	for (const path of [
		'.git/config',
		'sub/.git/hooks/pre-commit',
		'.GIT/config',
		'.vscode/tasks.json',
		'/project/.vscode/settings.json',
		'packages/a/.vscode/tasks.json',
		'.devcontainer/devcontainer.json',
		'.devcontainer.json',
		'.envrc',
		'.gitmodules',
		'.gitattributes',
		'.husky/pre-commit',
		'opencode.json',
		'packages/a/opencode.jsonc',
		'.opencode/plugin/a.js',
		'../other/a.ts',
		'/etc/hosts',
		'src/../../outside',
	]) {
		it(`is always asked about, and only once: ${path}`, () => {
			const always = { kind: 'ask', isOnlyOnce: true } as const;
			for (const setting of ['ask', 'ask-for-commands', 'allow-in-sandbox'] as const) {
				assert.deepEqual(rule(edit(path), { setting, allowed: new Set(['edits']) }), always);
			}
			const other = call({ kind: 'other', diffs: [{ path, newText: '' }] });
			assert.deepEqual(rule(other, { setting: 'allow-in-sandbox' }), always);
		});
	}

	it('is refused where it would change what nothing keeps, such as what lies beside several repositories', () => {
		const isKept = (path: string) => /^(?:web|server)\//.test(path);
		const rules = { isKept, setting: 'allow-in-sandbox' } as const;
		const beside = { kind: 'refuse', reason: 'beside' } as const;
		for (const path of ['notes.md', '/project/other/a.ts', 'web-2/a.ts', 'web/../a.ts']) {
			assert.deepEqual(rule(edit(path), rules), beside, path);
			assert.deepEqual(rule(call({ kind: 'other', diffs: [{ path, newText: '' }] }), rules), beside, path);
		}
		for (const path of ['web/a.ts', '/project/server/a.ts']) {
			assert.equal(rule(edit(path), rules).kind, 'allow', path);
		}
		assert.equal(rule(call({ kind: 'read', locations: [{ path: 'notes.md' }] }), rules).kind, 'allow');
		assert.deepEqual(rule(edit('/etc/hosts'), rules), { kind: 'ask', isOnlyOnce: true });
		assert.deepEqual(rule(edit('web/.vscode/tasks.json'), rules), { kind: 'ask', isOnlyOnce: true });
	});

	it('is asked about as usual where a name only looks like one of these', () => {
		for (const path of [
			'opencode.json.md',
			'src/.vscode.ts',
			'my-opencode.json',
			'docs/opencode/a.md',
			'.github/a.yml',
		]) {
			assert.deepEqual(rule(edit(path), { setting: 'ask-for-commands' }), { kind: 'allow', because: 'setting' }, path);
		}
	});

	it('is allowed when the same was allowed for the conversation: all edits, and exactly that command', () => {
		const allowed = new Set(['edits', 'command npm test']);
		assert.deepEqual(rule(edit('b.ts'), { allowed }), { kind: 'allow', because: 'before' });
		assert.deepEqual(rule(command, { allowed }), { kind: 'allow', because: 'before' });
		assert.equal(rule(call({ command: 'npm test -- auth' }), { allowed }).kind, 'ask');
		assert.equal(rule(call({ command: 'npm test\nrm -rf .' }), { allowed }).kind, 'ask');
	});

	it('is allowed once only where another one that looks the same may mean something else', () => {
		assert.equal(allowanceOf(call({ title: 'npm test' })), undefined);
		assert.deepEqual(rule(call({ title: 'npm test' })), { kind: 'ask', isOnlyOnce: true });
	});

	it('is refused if the user could not know what they allow', () => {
		assert.deepEqual(rule(command, {}, { complete: false }), { kind: 'refuse', reason: 'unreadable' });
		const cut = call({ kind: 'edit', diffs: [{ path: 'a.ts', newText: 'x', isCut: true }] });
		for (const asked of [call({ isInputCut: true }), cut]) {
			const rules = { setting: 'allow-in-sandbox', allowed: new Set(['edits']) } as const;
			assert.deepEqual(rule(asked, rules), { kind: 'refuse', reason: 'unreadable' });
		}
		assert.deepEqual(rule(call({ title: '' })), { kind: 'refuse', reason: 'nothing-said' });
		const always = OPTIONS.filter(({ kind }) => kind !== 'allow_once');
		assert.deepEqual(rule(command, {}, { options: always }), { kind: 'refuse', reason: 'only-always' });
	});

	it('is answered for this time alone, and with a refusal where the agent offers one', () => {
		assert.equal(allowOnce(OPTIONS), 'once');
		assert.equal(refusal(OPTIONS), 'no');
		assert.equal(refusal([{ id: 'never', name: 'Never', kind: 'reject_always' }]), 'never');
		assert.equal(refusal([]), undefined);
	});
});
