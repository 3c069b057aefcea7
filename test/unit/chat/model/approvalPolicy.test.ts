import assert from 'node:assert/strict';
import type { PermissionRequest, ToolCall } from '../../../../src/agents/session/events.ts';
import {
	type Allowance,
	type ApprovalRules,
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

const EDITS: Allowance = { kind: 'edits' };
/** What an answer for the conversation would allow. */
function allowances(asked: ToolCall, rules: Partial<ApprovalRules> = {}): readonly Allowance[] {
	const ruling = rule(asked, rules);
	assert.ok(ruling.kind === 'ask', ruling.kind);
	return ruling.allowances;
}

function rule(asked: ToolCall, rules: Partial<ApprovalRules> = {}, others: Partial<PermissionRequest> = {}) {
	return ruleOn(
		{ call: asked, options: OPTIONS, complete: true, ...others },
		{
			setting: 'ask',
			isSandboxed: true,
			folder: '/project',
			isKept: () => true,
			isExecutable: () => false,
			linkedPlace: path => path,
			allowed: [],
			...rules,
		},
	);
}

describe('what an agent asks for', () => {
	it('is asked of the user: commands and edits, by the setting that asks for everything', () => {
		assert.deepEqual(allowances(command), [{ kind: 'rule', rule: { prefix: 'npm test', options: [] } }]);
		assert.deepEqual(allowances(call({ command: 'node x.js' })), [{ kind: 'command', command: 'node x.js' }]);
		assert.deepEqual(allowances(edit('src/a.ts')), [EDITS]);
		assert.deepEqual(allowances(call({ kind: 'fetch' })), []);
		assert.deepEqual(allowances(call({ kind: 'other' })), []);
	});

	it('is allowed by the setting: edits, or everything in a sandbox', () => {
		const allowed = { kind: 'allow', because: 'setting' } as const;
		assert.deepEqual(rule(edit('src/a.ts'), { setting: 'ask-for-commands' }), allowed);
		assert.equal(rule(command, { setting: 'ask-for-commands' }).kind, 'ask');
		assert.deepEqual(rule(command, { setting: 'allow-in-sandbox' }), allowed);
		assert.equal(rule(command, { setting: 'allow-in-sandbox', isSandboxed: false }).kind, 'ask');
		assert.equal(rule(edit('a.ts'), { setting: 'allow-in-sandbox', isSandboxed: false }).kind, 'ask');
	});

	it('is a page of the web after a yes, which may hold for its host, whatever the setting is', () => {
		const page = (url: string) => call({ kind: 'fetch', input: JSON.stringify({ url }) });
		const docs = page('https://docs.example/a');
		for (const setting of ['ask', 'ask-for-commands', 'allow-in-sandbox'] as const) {
			assert.deepEqual(allowances(docs, { setting }), [{ kind: 'host', host: 'docs.example' }]);
		}
		const allowed: Allowance[] = [{ kind: 'host', host: 'docs.example' }];
		assert.deepEqual(rule(page('https://docs.example/b'), { allowed }), { kind: 'allow', because: 'before' });
		for (const other of [
			'https://docs.example:8443/',
			'https://docs.example.evil.example/',
			'https://x@evil.example/',
		]) {
			assert.equal(rule(page(other), { allowed, setting: 'allow-in-sandbox' }).kind, 'ask');
		}
	});

	it('is a web search as the setting says, and a yes may hold for all', () => {
		const search = call({ kind: 'fetch', input: JSON.stringify({ query: 'nine' }) });
		assert.deepEqual(allowances(search), [{ kind: 'search' }]);
		assert.equal(rule(search, { setting: 'allow-in-sandbox' }).kind, 'allow');
		assert.equal(rule(search, { allowed: [{ kind: 'search' }] }).kind, 'allow');
	});

	it('changes no file in a turn that only plans, whatever was allowed, and runs commands in a sandbox that lets nothing be written', () => {
		const planning: Partial<ApprovalRules> = { isPlan: true, allowed: [EDITS] };
		for (const asked of [
			edit('src/a.ts'),
			call({ kind: 'delete', locations: [{ path: 'a.ts' }] }),
			call({ kind: 'read', diffs: [{ path: 'a.ts', newText: '' }] }),
		]) {
			assert.deepEqual(rule(asked, planning), { kind: 'refuse', reason: 'plan' });
			assert.deepEqual(rule(asked, { ...planning, isSandboxed: false }), { kind: 'refuse', reason: 'plan' });
		}
		assert.equal(rule(command, planning).kind, 'allow');
		assert.equal(rule(command, { ...planning, isSandboxed: false }).kind, 'ask');
		assert.equal(rule(call({ kind: 'other', mcpTool: { name: 'a/b', digest: '1' } }), planning).kind, 'ask');
	});

	it('is asked again in a turn that only plans, where no sandbox keeps it from changing something', () => {
		const sum = call({ kind: 'other', mcpTool: { name: 'sums/add', digest: '1' }, input: '{}' });
		const allowed = [...allowances(command), ...allowances(sum)];
		assert.equal(rule(command, { allowed, isSandboxed: false }).kind, 'allow');
		assert.equal(rule(command, { allowed, isSandboxed: false, isPlan: true }).kind, 'ask');
		assert.equal(rule(sum, { allowed }).kind, 'allow');
		assert.equal(rule(sum, { allowed, isPlan: true }).kind, 'ask');
	});

	it('is asked about for a tool of an MCP server at an address or without a sandbox, also where nothing in the sandbox is', () => {
		const sum = call({ kind: 'other', mcpTool: { name: 'sums/add', digest: '1' }, input: '{}' });
		assert.equal(rule(sum, { setting: 'allow-in-sandbox' }).kind, 'allow');
		for (const other of [
			{ ...sum, mcpHost: 'mcp.example' },
			{ ...sum, isMcpOutside: true as const },
		]) {
			assert.equal(rule(other, { setting: 'allow-in-sandbox' }).kind, 'ask');
			assert.equal(rule(other, { setting: 'allow-in-sandbox', allowed: allowances(other) }).kind, 'allow');
		}
	});

	it('is allowed for a tool of an MCP server by its name, with any arguments, while it is what was agreed to', () => {
		const tool = (name: string, a: number, digest = '1') =>
			call({ kind: 'other', mcpTool: { name, digest }, input: JSON.stringify({ a }) });
		const allowed = allowances(tool('sums/add', 1));
		assert.deepEqual(allowed, [{ kind: 'tool', name: 'sums/add', digest: '1' }]);
		assert.equal(rule(tool('sums/add', 2), { allowed }).kind, 'allow');
		assert.equal(rule(tool('sums/remove', 1), { allowed }).kind, 'ask');
		assert.equal(rule(tool('sums/add', 1, '2'), { allowed }).kind, 'ask');
	});

	it('is asked by what it would do, whatever kind the agent gives it', () => {
		const settings: Partial<ApprovalRules> = { setting: 'ask-for-commands', allowed: [EDITS] };
		for (const kind of ['edit', 'read', 'search', 'think'] as const) {
			assert.equal(rule(call({ kind, command: 'rm -rf src' }), settings).kind, 'ask', kind);
		}
		const diffs = [{ path: '.vscode/tasks.json', newText: '{}' }];
		assert.deepEqual(allowances(call({ kind: 'read', diffs })), [{ kind: 'file', path: '.vscode/tasks.json' }]);
	});

	it('is another command in another folder or environment', () => {
		const npm = (others: object) =>
			call({ command: 'npm test', input: JSON.stringify({ command: 'npm test', ...others }) });
		const allowed = allowances(npm({ description: 'Runs the tests', timeout: 120_000 }));
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
		'../other/a.ts',
		'/etc/hosts',
		'src/../../outside',
	]) {
		it(`is always asked about, and only once: ${path}`, () => {
			for (const setting of ['ask', 'ask-for-commands', 'allow-in-sandbox'] as const) {
				assert.deepEqual(allowances(edit(path), { setting, allowed: [EDITS, { kind: 'file', path }] }), []);
			}
			const other = call({ kind: 'other', diffs: [{ path, newText: '' }] });
			assert.deepEqual(allowances(other, { setting: 'allow-in-sandbox' }), []);
		});
	}

	for (const path of [
		'.vscode/tasks.json',
		'.codex/config.toml',
		'.gemini/settings.json',
		'.zed/tasks.json',
		'.pnpmfile.cjs',
		'.exrc',
		'.github/workflows/evil.yml',
		'packages/a/.envrc',
		'lefthook.yml',
		'Makefile',
		'AGENTS.md',
		'package.json',
	]) {
		it(`is always asked about until a yes to exactly this file, by each setting: ${path}`, () => {
			for (const setting of ['ask', 'ask-for-commands', 'allow-in-sandbox'] as const) {
				const asked = rule(edit(path), { setting, allowed: [EDITS, { kind: 'file', path: `other/${path}` }] });
				assert.ok(asked.kind === 'ask' && asked.decides !== undefined);
				assert.deepEqual(asked.allowances, [{ kind: 'file', path }]);
				const before = { kind: 'allow', because: 'before' };
				assert.deepEqual(rule(edit(`/project/${path}`), { setting, allowed: asked.allowances }), before);
			}
		});
	}

	it('is asked about where it changes a program, or a usual file and one that decides', () => {
		const rules = { setting: 'ask-for-commands', isExecutable: (path: string) => path === 'bin/run' } as const;
		assert.deepEqual(allowances(edit('bin/run'), rules), [{ kind: 'file', path: 'bin/run' }]);
		const both = call({ kind: 'edit', locations: [{ path: 'src/a.ts' }, { path: '.npmrc' }] });
		assert.deepEqual(allowances(both, rules), [EDITS, { kind: 'file', path: '.npmrc' }]);
		assert.equal(rule(both, { allowed: [{ kind: 'file', path: '.npmrc' }] }).kind, 'ask');
	});

	it('is asked about by what a link leads to, and only once where that lies outside', () => {
		const places: Record<string, string | undefined> = {
			'notes.txt': 'Makefile',
			'x/y': undefined,
			'b.ts': 'src/b.ts',
		};
		const rules = { setting: 'ask-for-commands', linkedPlace: (path: string) => places[path] } as const;
		assert.deepEqual(allowances(edit('notes.txt'), { ...rules, allowed: [EDITS] }), [
			{ kind: 'file', path: 'Makefile' },
		]);
		assert.deepEqual(allowances(edit('x/y'), { ...rules, allowed: [EDITS] }), []);
		assert.equal(rule(edit('b.ts'), rules).kind, 'allow');
	});

	it('is asked about in a manifest only where more than dependencies and words change', () => {
		const rules = { setting: 'ask-for-commands' } as const;
		const change = (oldText: string, newText: string) =>
			rule(call({ kind: 'edit', diffs: [{ path: 'package.json', oldText, newText }] }), rules).kind;
		const scripts = '"scripts":{"test":"mocha"}';
		assert.equal(change(`{${scripts}}`, `{${scripts},"dependencies":{"a":"1"}}`), 'allow');
		assert.equal(change(`{${scripts}}`, `{"scripts":{"test":"mocha","postinstall":"x"}}`), 'ask');
		assert.equal(change('"version": "1"', '"version": "2"'), 'ask');
	});

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
		assert.deepEqual(allowances(edit('/etc/hosts'), rules), []);
		assert.equal(allowances(edit('web/.vscode/tasks.json'), rules).length, 1);
	});

	it('is asked about as usual where a name only looks like one of these', () => {
		for (const path of [
			'opencode.json.md',
			'my-opencode.json',
			'docs/opencode/a.md',
			'src/hooks/useName.ts',
			'package-lock.json',
		]) {
			assert.deepEqual(rule(edit(path), { setting: 'ask-for-commands' }), { kind: 'allow', because: 'setting' }, path);
		}
	});

	it('is allowed when it was allowed for the conversation: all edits, exactly a command, or by a rule', () => {
		const before = { kind: 'allow', because: 'before' };
		const rules = { allowed: [EDITS, { kind: 'command', command: 'node x.js' }] } as const;
		assert.deepEqual(rule(edit('b.ts'), rules), before);
		assert.deepEqual(rule(call({ command: 'node x.js' }), rules), before);
		assert.equal(rule(call({ command: 'node x.js --all' }), rules).kind, 'ask');
		const npm = { allowed: allowances(command) };
		assert.deepEqual(rule(call({ command: 'npm test -- auth' }), npm), before);
		assert.equal(rule(call({ command: 'npm test\nrm -rf .' }), npm).kind, 'ask');
	});

	it('is allowed once only where another one that looks the same may mean something else', () => {
		assert.deepEqual(allowances(call({ title: 'npm test' })), []);
	});

	it('is not asked about a command that only reads, in a sandbox', () => {
		assert.deepEqual(rule(call({ command: 'git diff | head -40' })), { kind: 'allow', because: 'setting' });
		assert.equal(rule(call({ command: 'git diff | head -40' }), { isSandboxed: false }).kind, 'ask');
	});

	it('is refused if the user could not know what they allow', () => {
		assert.deepEqual(rule(command, {}, { complete: false }), { kind: 'refuse', reason: 'unreadable' });
		const cut = call({ kind: 'edit', diffs: [{ path: 'a.ts', newText: 'x', isCut: true }] });
		for (const asked of [call({ isInputCut: true }), cut]) {
			const rules: Partial<ApprovalRules> = { setting: 'allow-in-sandbox', allowed: [EDITS] };
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
