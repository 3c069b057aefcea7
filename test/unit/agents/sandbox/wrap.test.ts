import assert from 'node:assert/strict';
import path from 'node:path';
import type { SandboxHost } from '../../../../src/agents/sandbox/host.ts';
import { insidePlaces } from '../../../../src/agents/sandbox/places.ts';
import { systemCallFilter } from '../../../../src/agents/sandbox/systemCalls.ts';
import { type SandboxRequest, wrap } from '../../../../src/agents/sandbox/wrap.ts';
import { UserFacingError } from '../../../../src/base/errors.ts';

const HOST: SandboxHost = {
	isRoot: false,
	isElectron: false,
	architecture: 'x64',
	programs: { bwrap: '/usr/bin/bwrap', prlimit: '/usr/bin/prlimit', setpriv: '/usr/bin/setpriv', shell: '/bin/sh' },
	missing: [],
	system: [
		{ path: '/usr', source: '/usr' },
		{ path: '/bin', link: 'usr/bin' },
	],
	hardLimits: { 'Max open files': 4_096 },
};

const REQUEST: SandboxRequest = {
	command: '/opt/agent/bin/agent',
	args: ['acp', 'a "quoted" $word'],
	env: { PATH: '/usr/bin', TOKEN: 'a-secret' },
	tree: '/state/tasks/1/tree',
	home: '/state/tasks/1/home',
	name: 'repository',
	readOnly: ['/opt/agent'],
};

const RELAY = { socket: '/state/tasks/1/relay.sock', node: '/opt/node/bin/node', program: '/errand/dist/sandbox.js' };

/** Whether the words stand in a row in the list. */
function holds(list: readonly string[], ...words: string[]): boolean {
	return list.some((_, index) => words.every((word, offset) => list[index + offset] === word));
}

describe('wrap', () => {
	it('ends with the program and its arguments as they are', () => {
		const { args } = wrap(REQUEST, HOST);
		assert.deepEqual(args.slice(-3), ['/opt/agent/bin/agent', 'acp', 'a "quoted" $word']);
	});

	it('gives the environment to the sandbox alone, and never on the command line, which every user can read', () => {
		for (const isRoot of [true, false]) {
			const { command, args, env } = wrap(REQUEST, { ...HOST, isRoot });
			assert.deepEqual(env, REQUEST.env);
			assert.ok(![command, ...args].some(word => word.includes('a-secret')));
		}
	});

	it('keeps variables of the dynamic loader from the programs that build the sandbox', () => {
		const env = { ...REQUEST.env, LD_PRELOAD: '/opt/agent/own.so' };
		const { args, env: outside } = wrap({ ...REQUEST, env }, HOST);
		assert.deepEqual(outside, REQUEST.env);
		assert.ok(holds(args, '--setenv', 'LD_PRELOAD', '/opt/agent/own.so'));
	});

	it('shows a tree read-only of which single folders alone can be written', () => {
		const { args } = wrap({ ...REQUEST, treeFolders: ['web', 'server'] }, HOST);
		const { tree } = insidePlaces(REQUEST.name);
		const mounts = ['web', 'server'].flatMap(name => ['--bind', `${REQUEST.tree}/${name}`, `${tree}/${name}`]);
		assert.ok(holds(args, '--ro-bind', REQUEST.tree, tree, ...mounts));
	});

	it('shows lent folders in the tree, above it, and read-only', () => {
		const lent = [{ source: '/home/me/app/node_modules', at: 'node_modules' }];
		const { args } = wrap({ ...REQUEST, lent }, HOST);
		const { tree } = insidePlaces('repository');
		assert.ok(
			holds(args, '--bind', REQUEST.tree, tree, '--ro-bind-try', '/home/me/app/node_modules', `${tree}/node_modules`),
		);
	});

	it('shows the tree and the home folder where they can be written, and nothing else so', () => {
		const { args } = wrap({ ...REQUEST, relay: RELAY }, HOST);
		assert.ok(holds(args, '--bind', REQUEST.tree, '/workspace/repository'));
		assert.ok(holds(args, '--bind', REQUEST.home, '/home/agent'));
		assert.equal(args.filter(word => word === '--bind' || word === '--dev-bind').length, 2);
		assert.ok(holds(args, '--chdir', '/workspace/repository'));
	});

	it('has no network, no namespace of the host and no further namespaces', () => {
		const { args } = wrap(REQUEST, HOST);
		for (const option of [
			'--unshare-all',
			'--unshare-user',
			'--disable-userns',
			'--die-with-parent',
			'--new-session',
		]) {
			assert.ok(args.includes(option), option);
		}
		assert.ok(!args.includes('--share-net'));
		assert.ok(holds(args, '--remount-ro', '/') && holds(args, '--remount-ro', '/dev'));
	});

	it('changes the user before the namespaces are made where it starts as root', () => {
		const { args } = wrap(REQUEST, { ...HOST, isRoot: true });
		const user = args.indexOf('/usr/bin/setpriv');
		const inner = args.lastIndexOf('/usr/bin/bwrap');
		assert.ok(args.indexOf('--bind') < user && user < args.indexOf('--reuid=61000'));
		assert.ok(args.indexOf('--bounding-set=-all') < inner && inner < args.indexOf('--unshare-user'));
		assert.ok(args.indexOf('--unshare-pid') < user, 'the outer one ends with its first process');
		assert.ok(!wrap(REQUEST, HOST).args.includes('/usr/bin/setpriv'));
	});

	it('filters the system calls of the programs inside, and not of those that build the sandbox', () => {
		const { args, furtherInput } = wrap(REQUEST, HOST);
		assert.ok(holds(args, '--seccomp', '3') && args.indexOf('--seccomp') < args.indexOf('--chdir'));
		assert.deepEqual(furtherInput, systemCallFilter('x64'));
		const asRoot = wrap(REQUEST, { ...HOST, isRoot: true }).args;
		assert.equal(asRoot.indexOf('--seccomp'), asRoot.lastIndexOf('--seccomp'));
		assert.ok(asRoot.lastIndexOf('/usr/bin/bwrap') < asRoot.indexOf('--seccomp'));
		const without = wrap(REQUEST, { ...HOST, architecture: 'riscv64' });
		assert.ok(!without.args.includes('--seccomp') && !('furtherInput' in without));
	});

	it('starts the program of the relay where there is one', () => {
		assert.ok(!wrap(REQUEST, HOST).args.some(word => word.startsWith('/run/errand')));
		const { args } = wrap({ ...REQUEST, relay: RELAY }, HOST);
		assert.ok(holds(args, '--ro-bind', RELAY.program, '/run/errand/inside.mjs'));
		assert.ok(holds(args, '--ro-bind', RELAY.socket, '/run/errand/relay.sock'));
		const port = new URL(insidePlaces('').relayUrl).port;
		const start = ['/opt/node/bin/node', '/run/errand/inside.mjs', port, '/run/errand/relay.sock', REQUEST.command];
		assert.ok(holds(args, ...start, 'acp'));
	});

	it('tells Electron to be Node for the relay, and the agent nothing of it unless it was asked to', () => {
		const electron = { ...HOST, isElectron: true };
		const { args, env } = wrap({ ...REQUEST, relay: RELAY }, electron);
		assert.equal(env['ELECTRON_RUN_AS_NODE'], '1');
		assert.ok(holds(args, '/usr/bin/env', '-u', 'ELECTRON_RUN_AS_NODE', REQUEST.command));
		const asked = wrap({ ...REQUEST, relay: RELAY, env: { ELECTRON_RUN_AS_NODE: '1' } }, electron);
		assert.ok(!asked.args.includes('-u'));
		assert.equal(wrap({ ...REQUEST, relay: RELAY }, HOST).env['ELECTRON_RUN_AS_NODE'], undefined);
	});

	it('limits each process, never above what this process has itself', () => {
		const { args } = wrap({ ...REQUEST, limits: { memory: 1e9, disk: 2e9, processes: 100 } }, HOST);
		for (const option of ['--nproc=224', '--data=1000000000', '--fsize=2000000000', '--nofile=4096', '--core=1']) {
			assert.ok(args.includes(option), option);
		}
		assert.ok(wrap(REQUEST, HOST).args.includes('--nproc=1024'));
	});

	it('shows each folder once, and none that another one or the system contains', () => {
		const readOnly = ['/opt/agent/bin', '/opt/agent', '/usr/local/bin', '/opt/agent', '/opt/agent-2'];
		const { args } = wrap({ ...REQUEST, readOnly }, HOST);
		const shown = args.flatMap((word, index) => (word === '--ro-bind-try' ? [args[index + 1]] : []));
		assert.deepEqual(shown, ['/usr', '/opt/agent', '/opt/agent-2']);
		assert.equal(args.filter((word, index) => word === '--dir' && args[index + 1] === '/opt').length, 1);
	});

	it('makes each folder around what it shows itself, so that a user who is not root can enter it', () => {
		const { args } = wrap({ ...REQUEST, readOnly: ['/srv/tools/agent/bin'] }, HOST);
		for (const folder of ['/srv', '/srv/tools', '/srv/tools/agent']) {
			assert.ok(holds(args, '--perms', '0755', '--dir', folder), folder);
		}
		assert.ok(args.indexOf('/srv') < args.indexOf('/srv/tools'));
	});

	it('shows nothing where an agent could have prepared the place', () => {
		for (const folder of ['/home/agent/.nvm', '/workspace', '/workspace/repository/node_modules', '/home/agent']) {
			assert.throws(() => wrap({ ...REQUEST, readOnly: [folder] }, HOST), UserFacingError, folder);
		}
		assert.ok(holds(wrap(REQUEST, HOST).args, '--symlink', '../home/agent/tmp', '/tmp'));
		const { args } = wrap({ ...REQUEST, readOnly: ['/tmp/agent'] }, HOST);
		assert.ok(args.indexOf('--tmpfs') < args.indexOf('/tmp/agent') && !args.includes('../home/agent/tmp'));
	});
});

describe('insidePlaces', () => {
	it('reduces a name to safe characters', () => {
		const nameOf = (name: string) => path.basename(insidePlaces(name).tree);
		assert.equal(nameOf('errand'), 'errand');
		assert.equal(nameOf('My repository (2)'), 'My-repository-2');
		assert.equal(nameOf('../../etc/passwd'), 'etc-passwd');
		for (const name of ['..', '.', '', '/', '\0', '…', '-rf', '.git']) {
			assert.match(insidePlaces(name).tree, /^\/workspace\/[A-Za-z0-9][A-Za-z0-9._-]*$/, JSON.stringify(name));
		}
		assert.ok(nameOf('x'.repeat(1_000)).length <= 60);
	});
});
