import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type MacosRequest, macosProfile, wrapMacos } from '../../../../src/agents/sandbox/macos.ts';
import { CONFINED_PROGRAM } from '../../../../src/agents/sandbox/probe.ts';
import { UserFacingError } from '../../../../src/base/errors.ts';

type Expression = string | { text: string } | Expression[];

/** Reads a profile into its expressions: names, texts in quotes, and lists in parentheses. */
function read(profile: string): Expression[] {
	const top: Expression[] = [];
	const open: Expression[][] = [top];
	for (const [token] of profile.matchAll(/[()]|"(?:[^"\\]|\\.)*"|[^\s()"]+/g)) {
		if (token === '(') {
			const list: Expression[] = [];
			open.at(-1)?.push(list);
			open.push(list);
		} else if (token === ')') {
			open.pop();
			assert.ok(open.length > 0, 'a parenthesis too many');
		} else {
			open.at(-1)?.push(token.startsWith('"') ? { text: token.slice(1, -1).replace(/\\(.)/g, '$1') } : token);
		}
	}
	assert.equal(open.length, 1, 'a parenthesis is missing');
	return top;
}

/** What is asked for: a path, a service, a setting, a port or a process. */
type Subject = string;

/** Whether a filter matches. A filter that is not known here is a failure: it would be decided by nobody. */
function matches(filter: Expression, subject: Subject): boolean {
	assert.ok(Array.isArray(filter));
	const [name, ...args] = filter;
	const last = args.at(-1);
	const text = typeof last === 'object' && !Array.isArray(last) ? last.text : '';
	switch (name) {
		case 'literal':
		case 'global-name':
		case 'sysctl-name':
			return subject === text;
		case 'subpath':
			return subject === text || subject.startsWith(`${text}/`);
		case 'sysctl-name-prefix':
			return subject.startsWith(text);
		case 'target':
			return subject === last;
		case 'remote':
		case 'local':
			return args[0] === 'ip' ? subject === text : Array.isArray(last) && matches(last, subject);
		default:
			return assert.fail(`an unknown filter: ${String(name)}`);
	}
}

/** Decides as the system does: of the rules that match, the last one holds. */
function isAllowed(profile: string, operation: string, subject: Subject = ''): boolean {
	let allowed: boolean | undefined;
	for (const rule of read(profile)) {
		assert.ok(Array.isArray(rule));
		const [decision, ...rest] = rule;
		if (decision === 'version') {
			continue;
		}
		const operations = rest.filter(part => typeof part === 'string');
		const filters = rest.filter(part => typeof part !== 'string');
		const names = operations.some(
			name =>
				name === 'default' || name === operation || (name.endsWith('*') && operation.startsWith(name.slice(0, -1))),
		);
		if (names && (filters.length === 0 || filters.some(filter => matches(filter, subject)))) {
			allowed = decision === 'allow';
		}
	}
	return allowed === true;
}

const HOME = '/Users/me/Library/Application Support/errand/tasks/1/home';
const TREE = '/Users/me/Library/Application Support/errand/tasks/1/tree';
const REQUEST: MacosRequest = {
	command: '/opt/agent/bin/agent',
	args: ['acp', 'a "quoted" $word'],
	env: { PATH: '/usr/bin' },
	tree: TREE,
	home: HOME,
	readOnly: ['/opt/agent', '/Applications/Editor.app/Contents/Frameworks/Helper.app/Contents/MacOS'],
	relayUrl: 'http://127.0.0.1:54321',
};

describe('the profile of the sandbox of macOS', () => {
	const profile = macosProfile(REQUEST);
	const may = (operation: string, subject?: Subject) => isAllowed(profile, operation, subject);

	it('begins with a refusal of everything', () => {
		assert.deepEqual(read(profile).slice(0, 2), [
			['version', '1'],
			['deny', 'default'],
		]);
		assert.equal(may('an-operation-that-nobody-knows'), false);
	});

	it('lets programs of the system, of the request and of the tree be read and run', () => {
		const programs = ['/bin/sh', '/usr/bin/git', '/opt/agent/bin/agent', `${TREE}/build/program`];
		const library = '/Applications/Editor.app/Contents/Frameworks/Electron Framework.framework/Electron Framework';
		for (const file of [...programs, library]) {
			assert.ok(may('file-read-data', file) && may('process-exec', file) && may('file-map-executable', file), file);
		}
	});

	it('lets nothing else be read: no home, no key, no disk a second time, no program of somebody else', () => {
		const root = '/Users/me/Library/Application Support/errand';
		for (const file of [
			...['/Users/me/.ssh/id_ed25519', '/Users/me/Library/Keychains/login.keychain-db', '/Users/me', '/Users'],
			...['/System/Volumes/Data/Users/me/.ssh/id_ed25519', '/private/etc/master.passwd', '/private/etc/hosts'],
			...[
				'/Library/Keychains/System.keychain',
				'/private/var/folders/x/T/file',
				'/private/tmp/file',
				'/Volumes/Disk/file',
			],
			...[`${root}/token`, `${root}/tasks/1/git/config`, `${TREE}-other/file`, '/opt/agent-2/bin/x', '/opt'],
			...['/Applications/Other.app/Contents/MacOS/Other', '/dev/disk0', '/private/var/run/docker.sock'],
		]) {
			for (const operation of ['file-read-data', 'file-read-xattr', 'process-exec', 'file-write-data']) {
				assert.equal(may(operation, file), false, `${operation} ${file}`);
			}
		}
	});

	it('lets folders on the way be looked at, and nothing beside them', () => {
		assert.ok(may('file-read-metadata', '/Users/me') && may('file-read-metadata', '/opt'));
		assert.equal(may('file-read-metadata', '/Users/me/.ssh'), false);
	});

	it('lets the tree and the home be written, and nothing that is shown', () => {
		assert.ok(may('file-write-create', `${TREE}/new`) && may('file-write-unlink', `${HOME}/tmp/old`));
		for (const file of [
			'/opt/agent/bin/agent',
			'/usr/local/bin/new',
			'/bin/sh',
			path.dirname(TREE),
			'/dev/fd',
			'/tmp/x',
		]) {
			assert.equal(may('file-write-create', file), false, file);
		}
		assert.equal(may('file-write-data', '/dev/zero'), true);
	});

	it('lets single folders alone be written where the rest of the tree cannot', () => {
		const single = macosProfile({ ...REQUEST, treeFolders: ['web'] });
		assert.ok(isAllowed(single, 'file-write-create', `${TREE}/web/new`));
		assert.ok(isAllowed(single, 'file-read-data', `${TREE}/other`));
		assert.equal(isAllowed(single, 'file-write-create', `${TREE}/new`), false);
	});

	it('reaches the relay alone, and sockets of its own', () => {
		assert.ok(may('network-outbound', 'localhost:54321') && may('network-outbound', `${HOME}/socket`));
		assert.ok(may('network-bind', `${TREE}/socket`));
		for (const place of ['localhost:54322', 'localhost:*', '*:443', '*:54321', '/private/var/run/mDNSResponder']) {
			for (const operation of ['network-outbound', 'network-bind', 'network-inbound']) {
				assert.equal(may(operation, place), false, `${operation} ${place}`);
			}
		}
		assert.equal(may('network-inbound', 'localhost:54321'), false);
		const without = macosProfile({ ...REQUEST, relayUrl: undefined });
		assert.equal(isAllowed(without, 'network-outbound', 'localhost:54321'), false);
	});

	it('reaches no process outside, and no service that could act for it', () => {
		assert.ok(may('process-fork') && may('signal', 'same-sandbox') && may('process-info-pidinfo', 'same-sandbox'));
		for (const operation of ['signal', 'process-info-pidinfo', 'process-info-listpids', 'mach-priv-task-port']) {
			assert.equal(may(operation, 'others'), false, operation);
		}
		for (const service of [
			...['com.apple.coreservices.launchservicesd', 'com.apple.SecurityServer', 'com.apple.securityd.xpc'],
			...['com.apple.pasteboard.1', 'com.apple.cfprefsd.agent', 'com.apple.tccd', 'com.apple.windowserver.active'],
		]) {
			assert.equal(may('mach-lookup', service), false, service);
		}
		for (const operation of ['appleevent-send', 'lsopen', 'job-creation', 'user-preference-read', 'system-fsctl']) {
			assert.equal(may(operation), false, operation);
		}
		assert.equal(may('sysctl-read', 'kern.procargs2'), false);
	});

	it('hides the files with tokens of what it shows', () => {
		const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'errand-macos-')));
		try {
			mkdirSync(path.join(folder, 'etc'));
			for (const name of ['etc/npmrc', 'etc/other']) {
				writeFileSync(path.join(folder, name), '');
			}
			const hiding = macosProfile({ ...REQUEST, readOnly: [folder] });
			assert.equal(isAllowed(hiding, 'file-read-data', path.join(folder, 'etc/npmrc')), false);
			assert.ok(isAllowed(hiding, 'file-read-data', path.join(folder, 'etc/other')));
		} finally {
			rmSync(folder, { recursive: true });
		}
	});

	it('takes every path for a path, and refuses what cannot stand in it', () => {
		const odd = '/opt/a") (allow default) ("\\';
		const quoting = macosProfile({ ...REQUEST, readOnly: [odd] });
		assert.ok(isAllowed(quoting, 'file-read-data', `${odd}/file`));
		assert.equal(isAllowed(quoting, 'file-read-data', '/Users/me/file'), false);
		assert.throws(() => macosProfile({ ...REQUEST, readOnly: ['/opt/a\nb'] }), UserFacingError);
	});
});

describe('the command line of the sandbox of macOS', () => {
	it('is the system’s own program, by its absolute path, with the profile and then the command as it is', () => {
		const { command, args, env } = wrapMacos(REQUEST);
		assert.equal(command, '/bin/bash');
		const at = args.indexOf('/usr/bin/sandbox-exec');
		assert.deepEqual(args.slice(at + 1), ['-p', macosProfile(REQUEST), REQUEST.command, ...REQUEST.args]);
		assert.deepEqual(env, { PATH: '/usr/bin', TMPDIR: `${HOME}/tmp` });
	});

	it('counts for nothing where it does not confine: the program that is tried in it says so', async () => {
		const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'errand-macos-')));
		const server = createServer().listen(0, '127.0.0.1');
		try {
			await once(server, 'listening');
			writeFileSync(path.join(folder, 'outside'), '');
			const { port } = server.address() as AddressInfo;
			const run = () =>
				promisify(execFile)(process.execPath, ['-e', CONFINED_PROGRAM, folder, folder, String(port)], { cwd: folder });
			await assert.rejects(run(), { code: 1 });
			// A port that is closed to everybody proves nothing about the files.
			await new Promise(resolve => server.close(resolve));
			await assert.rejects(run(), { code: 1 });
		} finally {
			server.close();
			rmSync(folder, { recursive: true });
		}
	});

	it('closes what was inherited before the program starts', function () {
		if (process.platform === 'win32') {
			this.skip();
		}
		const { args } = wrapMacos(REQUEST);
		const shell = args.slice(0, args.indexOf('/usr/bin/sandbox-exec'));
		const words = ['/bin/bash', ...shell, '/bin/sh', '-c', '(: <&7) 2>/dev/null || echo closed'];
		const output = execFileSync('/bin/bash', ['-c', 'exec 7</dev/null; exec "$@"', 'sh', ...words], {
			encoding: 'utf8',
		});
		assert.equal(output, 'closed\n');
	});
});
