import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { CONFINED_PROGRAM } from '../../src/agents/sandbox/probe.ts';
import { outcomeOf, SECRET, TestSandbox } from '../support/sandbox.ts';
import { isAlive } from '../support/waitFor.ts';

describe('an agent in the sandbox', () => {
	let sandbox: TestSandbox;
	beforeEach(async () => {
		sandbox = await TestSandbox.create();
	});
	afterEach(() => sandbox.remove());

	describe('cannot read', () => {
		it('the home folder of the user', async () => {
			const folder = await mkdtemp(path.join(os.homedir(), '.errand-sandbox-test-'));
			try {
				const file = path.join(folder, 'token');
				await writeFile(file, SECRET);
				await sandbox.refuses(
					`cat '${file}'`,
					`ls '${folder}'`,
					`cat ${os.homedir()}/.bashrc`,
					`ls ${os.homedir()}/.ssh`,
				);
				const { stdout } = await sandbox.run(`ls -A '${os.homedir()}' 2>/dev/null; true`);
				// Folders of toolchains lie there, and what leads to them.
				const shown = stdout.split('\n').filter(name => name !== '');
				assert.ok(!shown.includes(path.basename(folder)), stdout);
			} finally {
				await rm(folder, { recursive: true });
			}
		});

		it('the state of the service: its folder, another task, a token, the git directory beside the tree', async () => {
			await mkdir(path.join(sandbox.folder, 'other-task'));
			await mkdir(path.join(sandbox.folder, 'git'));
			const files = ['other-task/file', 'token', 'git/config'].map(name => path.join(sandbox.folder, name));
			for (const file of files) {
				await writeFile(file, SECRET, { mode: 0o644 });
			}
			const output = await sandbox.refuses(
				...files.map(file => `cat '${file}'`),
				...files.map(file => `cat '../../../..${file}'`),
				`ls '${sandbox.folder}'`,
				'ls ..  | grep -v "^repository$"',
				`find / -xdev -name token 2>/dev/null | grep .`,
			);
			assert.doesNotMatch(output, new RegExp(SECRET));
		});

		it('passwords and configuration of the system, also where the service runs as root', async () => {
			await sandbox.refuses(
				'cat /etc/shadow',
				'cat /etc/gshadow',
				'cat /etc/sudoers',
				'cat /etc/machine-id',
				'ls /etc/ssh',
				'ls /etc/ssl/private',
				'cat /etc/gitconfig',
				'cat /etc/npmrc',
				'cat /etc/environment',
				'cat /etc/hostname',
			);
		});

		it('tokens that lie in installations on PATH, in those of a version manager, or in dependencies that it is lent', async () => {
			const at = (name: string) => path.join(sandbox.folder, name);
			const write = async (name: string, content: string) => {
				await mkdir(path.dirname(at(name)), { recursive: true });
				await writeFile(at(name), content, { mode: 0o644 });
			};
			const tokens = [
				...['node/etc/npmrc', 'node/lib/node_modules/npm/npmrc', 'node/.npmrc', 'node/.netrc', 'node/.pypirc'],
				...['conda/.condarc', 'conda/condarc.d/work.yml', 'conda/pip.conf', 'conda/conda-meta/state'],
				...['conda/envs/own/pip.conf', 'manager/versions/24/etc/npmrc', 'conda/shared', 'venv/pip.conf'],
			];
			for (const name of tokens) {
				await write(name, SECRET);
			}
			await symlink(at('conda/shared'), at('node/.yarnrc'));
			for (const name of ['node/bin/tool', 'node/etc/other', 'venv/bin/python']) {
				await write(name, 'shown\n');
			}
			const shown = ['node', 'conda', 'manager'].map(at);
			const lent = [{ source: at('venv'), at: '.venv' }];
			await mkdir(path.join(sandbox.tree, '.venv'));
			const places = [...shown, '.venv'].join("' '");
			const { stdout } = await sandbox.run(`grep -r '${SECRET}' '${places}'; grep -rh shown '${places}'`, {
				readOnly: shown,
				lent,
			});
			assert.equal(stdout, 'shown\nshown\nshown\n');
		});

		it('or reach what the program looks for by which a sandbox is tried', async () => {
			const server = createServer().listen(0, '127.0.0.1');
			try {
				await once(server, 'listening');
				const { port } = server.address() as AddressInfo;
				await writeFile(path.join(sandbox.folder, 'outside'), SECRET);
				const script = `node -e "$PROGRAM" ~ '${sandbox.folder}' ${port}; echo "ended: $?"`;
				const { output } = await sandbox.run(script, { env: { PROGRAM: CONFINED_PROGRAM } });
				assert.equal(output, 'ended: 0\n');
			} finally {
				server.close();
			}
		});

		it('anything at the top of the disk but what it was given', async () => {
			const { stdout } = await sandbox.run('ls -A /');
			const given = await sandbox.namesAtTop();
			for (const name of stdout.trim().split('\n')) {
				assert.ok(given.has(name), `/${name} is shown`);
			}
		});

		it('a file that this process holds open or has inherited', async () => {
			const file = path.join(sandbox.folder, 'token');
			await writeFile(file, SECRET);
			const program = path.join(import.meta.dirname, '../support/startSandboxed.ts');
			// The descriptors of several digits are those that some shells cannot close.
			const child = spawn('bash', [
				'-c',
				'exec 9<"$1" 77<"$1" 251<"$1"; exec "$2" "$3" "$4" "$5"',
				'bash',
				file,
				process.execPath,
				program,
				sandbox.folder,
				'ls -l /proc/self/fd /proc/1/fd; cat /dev/fd/9; cat /dev/fd/77; cat /dev/fd/251; cat /proc/1/fd/251; echo all were tried',
			]);
			const { output } = await outcomeOf(child);
			assert.match(output, /all were tried/);
			assert.doesNotMatch(output, new RegExp(SECRET));
			assert.doesNotMatch(output, /\/token/);
		});

		it('the environment, the arguments and the memory of a process of the host', async () => {
			process.env['ERRAND_SANDBOX_TEST'] = SECRET;
			try {
				const output = await sandbox.refuses(
					`tr '\\0' '\\n' </proc/1/environ | grep ${SECRET}`,
					`env | grep ${SECRET}`,
					`cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep ${SECRET}`,
					`test -d /proc/${process.pid} && test "$(readlink /proc/${process.pid}/exe)" = "${process.execPath}"`,
					`cat /proc/1/mem`,
					'cat /proc/kcore | head -c 1 | grep -c .',
				);
				assert.doesNotMatch(output, new RegExp(SECRET));
				const { stdout } = await sandbox.run('tr "\\0" "\\n" </proc/1/environ; echo; env | sort', {
					env: { MARK: 'mine' },
				});
				const names = stdout.split('\n').flatMap(line => /^(\w+)=/.exec(line)?.[1] ?? []);
				const allowed = ['PATH', 'HOME', 'LANG', 'MARK', 'PWD', 'OLDPWD', 'SHLVL', '_', 'PYENV_ROOT', 'RUSTUP_HOME'];
				assert.deepEqual(
					names.filter(name => !allowed.includes(name)),
					[],
				);
			} finally {
				delete process.env['ERRAND_SANDBOX_TEST'];
			}
		});

		it('its own secrets in what every user of the host can see', async () => {
			const child = await sandbox.start('echo ready; cat >/dev/null', { env: { TOKEN: SECRET } });
			assert.ok(child.stdout);
			await once(child.stdout, 'data');
			const commandLines = await Promise.all(
				(await readdir('/proc'))
					.filter(name => /^\d+$/.test(name))
					.map(pid => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
			);
			assert.ok(commandLines.some(line => line.includes('bwrap') && line.includes(sandbox.tree)));
			assert.ok(!commandLines.some(line => line.includes(SECRET)));
			child.stdin?.end();
		});
	});

	describe('cannot reach', () => {
		const servers: Server[] = [];
		afterEach(() => {
			for (const server of servers.splice(0)) {
				server.close();
			}
		});

		async function listen(place: string | number): Promise<AddressInfo> {
			const server = createServer(client => client.end(SECRET));
			servers.push(server);
			server.listen(typeof place === 'number' ? { port: place, host: '127.0.0.1' } : { path: place });
			await once(server, 'listening');
			return server.address() as AddressInfo;
		}

		/** A script for Node that exits with 0 if it can connect. */
		const connects = (options: object) =>
			`node -e '${`
				const socket = require("net").connect(${JSON.stringify(options)});
				socket.on("connect", () => process.exit(0));
				socket.on("error", error => { console.log(error.code); process.exit(1); });
				setTimeout(() => process.exit(2), 20000);
			`.replaceAll(/\s+/g, ' ')}'`;

		it('another port of this machine, or an address of its own', async () => {
			const { port } = await listen(0);
			const addresses = Object.values(os.networkInterfaces())
				.flat()
				.flatMap(info => (info?.family === 'IPv4' ? [info.address] : []));
			await sandbox.refuses(...[...new Set(['127.0.0.1', ...addresses])].map(host => connects({ port, host })));
		});

		it('the network', async () => {
			const output = await sandbox.refuses(
				connects({ port: 53, host: '1.1.1.1' }),
				connects({ port: 80, host: '10.0.0.1' }),
				connects({ port: 80, host: '169.254.169.254' }),
				connects({ port: 443, host: '2606:4700:4700::1111' }),
				'ls /sys/class/net',
				'grep -v "^ *lo:" /proc/net/dev | grep ":"',
			);
			assert.match(output, /ENETUNREACH/);
		});

		it('a name server, and is told so at once', async () => {
			const started = performance.now();
			const output = await sandbox.refuses(
				'getent hosts example.com',
				"node -e \"require('dns').lookup('example.com', error => process.exit(error ? 1 : 0))\"",
				`getent hosts ${os.hostname()}`,
			);
			assert.doesNotMatch(output, /\d+\.\d+\.\d+\.\d+/);
			assert.ok(performance.now() - started < 60_000);
		});

		it('a unix socket elsewhere, or an abstract one', async () => {
			const file = path.join(sandbox.folder, 'service.sock');
			await listen(file);
			await chmod(file, 0o777);
			const abstract = `\0errand-sandbox-test-${process.pid}`;
			await listen(abstract);
			await sandbox.refuses(connects({ path: file }), connects({ path: abstract }));
			const { stdout } = await sandbox.run('cat /proc/net/unix | grep -c "@\\|/" || true');
			assert.equal(stdout.trim(), '0');
		});

		it('a process of the host: it sees none, so it cannot signal or trace one', async () => {
			const outside = spawn('sleep', ['1000']);
			try {
				await once(outside, 'spawn');
				const { stdout } = await sandbox.run('cat /proc/[0-9]*/stat | cut -d " " -f 1,2');
				const pids = stdout
					.trim()
					.split('\n')
					.map(line => Number(line.split(' ')[0]));
				assert.ok(pids.length < 10 && pids.every(pid => pid < 100), stdout);
				await sandbox.run(`kill -9 -1; kill -9 ${outside.pid} ${process.pid} ${process.ppid}`);
				await sandbox.refuses(
					`kill -9 ${outside.pid}`,
					`gdb -p ${outside.pid} -batch </dev/null 2>&1 | grep -q "Attaching"`,
					'kill -9 1 && sleep 2 && ! kill -0 1',
				);
				assert.ok(await isAlive(outside.pid ?? 0));
			} finally {
				outside.kill('SIGKILL');
			}
		});
	});
});
