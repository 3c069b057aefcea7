import assert from 'node:assert/strict';
import type { PermissionOption, PermissionRequest, ToolCall } from '../../../../src/agents/session/events.ts';
import { permissionInside } from '../../../../src/agents/session/permissionInside.ts';

const ALLOW: PermissionOption = { id: 'yes', name: 'Allow', kind: 'allow_once' };
const ALWAYS: PermissionOption = { id: 'always', name: 'Always', kind: 'allow_always' };
const REJECT: PermissionOption = { id: 'no', name: 'Reject', kind: 'reject_once' };
const NEVER: PermissionOption = { id: 'never', name: 'Never', kind: 'reject_always' };

describe('permissionInside', () => {
	before(function () {
		if (process.platform === 'win32') {
			// The paths below are those of other systems.
			this.skip();
		}
	});

	const policy = permissionInside('/srv/clone', ['/srv/home']);

	async function answer(call: Partial<ToolCall>, options = [ALWAYS, ALLOW, NEVER, REJECT], complete = true) {
		const whole: ToolCall = {
			id: 'call-1',
			title: 'Edit',
			kind: 'edit',
			status: 'pending',
			locations: [],
			diffs: [],
			output: '',
			...call,
		};
		const request: PermissionRequest = { call: whole, options, complete };
		return await policy(request, new AbortController().signal);
	}

	const at = (...paths: string[]) => ({ locations: paths.map(path => ({ path })) });

	it('allows once what lies in the folders', async () => {
		for (const paths of [
			['/srv/clone/a.txt'],
			['/srv/clone'],
			['a.txt', './src/../b.txt'],
			['/srv/home/.cache/x', '/srv/clone/..hidden'],
			['/srv/clone/a b/ü'],
		]) {
			const { option, reason } = await answer(at(...paths));
			assert.equal(option, 'yes', `${paths}: ${reason}`);
		}
		const { option } = await answer({ diffs: [{ path: 'a.txt', newText: '' }] });
		assert.equal(option, 'yes');
	});

	it('rejects what lies elsewhere, or cannot be told', async () => {
		for (const path of [
			'/etc/passwd',
			'/srv/clone2/a.txt',
			'/project',
			'/srv/clone/../../etc/passwd',
			'../a.txt',
			'..',
			'a/../../b',
			'~/.ssh/id_rsa',
			'~root/x',
			'file:///srv/clone/a.txt',
			'https://example.com/srv/clone',
			'a\u0000b',
			'a\nb',
		]) {
			assert.deepEqual(await answer(at(path)), {
				option: 'no',
				reason: 'It names a path outside the folders of the task.',
			});
			assert.equal((await answer(at('/srv/clone/a.txt', path))).option, 'no', path);
			assert.equal((await answer({ diffs: [{ path, newText: '' }] })).option, 'no', path);
		}
	});

	it('rejects what was not read as a whole', async () => {
		const { option, reason } = await answer(at('/srv/clone/a.txt'), undefined, false);
		assert.equal(option, 'no');
		assert.match(reason ?? '', /cannot be read/);
	});

	it('rejects what names nothing, and allows a command that says what it is', async () => {
		for (const kind of ['edit', 'delete', 'move', 'read', 'other', 'switch_mode'] as const) {
			assert.equal((await answer({ kind })).option, 'no', kind);
		}
		assert.equal((await answer({ kind: 'execute', title: '' })).option, 'no');
		assert.equal((await answer({ kind: 'execute', title: 'npm test' })).option, 'yes');
		assert.equal((await answer({ kind: 'execute', title: 'cat /etc/passwd', ...at('/etc/passwd') })).option, 'no');
	});

	it('never allows for good', async () => {
		const { option, reason } = await answer(at('/srv/clone/a.txt'), [ALWAYS, REJECT]);
		assert.equal(option, 'no');
		assert.match(reason ?? '', /for good/);
	});

	it('rejects for good where there is nothing else, and cancels where nothing can be chosen', async () => {
		assert.equal((await answer(at('/etc'), [ALLOW, NEVER])).option, 'never');
		assert.equal((await answer(at('/etc'), [ALLOW])).option, undefined);
		assert.equal((await answer(at('a.txt'), [])).option, undefined);
	});
});
