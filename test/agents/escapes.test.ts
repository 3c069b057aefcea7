import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { UNPRIVILEGED_ID } from '../../src/agents/sandbox/wrap.ts';
import { holdsOurNode, SECRET, TestSandbox } from '../support/sandbox.ts';

/** The numbers of calls by Node's name of the architecture. */
const CALLS = {
	x64: {
		refused: {
			...{ add_key: 248, request_key: 249, keyctl: 250, bpf: 321, perf_event_open: 298, userfaultfd: 323 },
			...{ io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427, memfd_create: 319, memfd_secret: 447 },
			...{ semget: 64, msgget: 68 },
			...{ syslog: 103, acct: 163, quotactl: 179, quotactl_fd: 443, kexec_load: 246, kexec_file_load: 320 },
			...{ init_module: 175, finit_module: 313, delete_module: 176 },
		},
		sockets: [41, 53],
		ioctl: 16,
		otherInterface: 0x4000_0000,
	},
	arm64: {
		refused: {
			...{ add_key: 217, request_key: 218, keyctl: 219, bpf: 280, perf_event_open: 241, userfaultfd: 282 },
			...{ io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427, memfd_create: 279, memfd_secret: 447 },
			...{ semget: 190, msgget: 186 },
			...{ syslog: 116, acct: 89, quotactl: 60, quotactl_fd: 443, kexec_load: 104, kexec_file_load: 294 },
			...{ init_module: 105, finit_module: 273, delete_module: 106 },
		},
		sockets: [198, 199],
		ioctl: 29,
		otherInterface: undefined,
	},
};
const NOT_PERMITTED = /^(syslog|acct|quotactl|kexec_\w+|\w+_module|TIOCSTI.*)$/;
const FOREIGN_FAMILIES = {
	AF_UNSPEC: 0,
	AF_PACKET: 17,
	AF_CAN: 29,
	AF_TIPC: 30,
	AF_BLUETOOTH: 31,
	AF_ALG: 38,
	AF_VSOCK: 40,
};

describe('an agent in the sandbox', () => {
	let sandbox: TestSandbox;
	beforeEach(async () => {
		sandbox = await TestSandbox.create();
	});
	afterEach(() => sandbox.remove());

	describe('cannot change', () => {
		it('anything outside its tree and its home folder', async () => {
			await sandbox.refuses(
				...['/', '/usr', '/usr/bin', '/usr/local', '/etc', '/dev', '/home', '/workspace', '/var', '/proc', '/run'].map(
					folder => `touch ${folder}/planted`,
				),
				'echo planted >/etc/passwd',
				'echo planted >/etc/hosts',
				'rm -f /etc/passwd',
				'rm -f /tmp',
				'mv /workspace/repository /workspace/other',
				'chmod 777 /usr',
				`touch "$(dirname "$(command -v node)")/planted"`,
			);
		});

		it('what its links lead to', async () => {
			const outside = path.join(sandbox.folder, 'outside');
			await mkdir(outside);
			await writeFile(path.join(outside, 'file'), 'untouched');
			const names = [...(await sandbox.namesAtTop())].join('\\|');
			await sandbox.refuses(
				`ln -s '${outside}' link && echo planted >link/new`,
				`ln -s '${outside}/file' file && echo planted >>file`,
				`ln -s ../../../../../../../../../..${outside}/file far && cat far`,
				'ln /etc/passwd hard',
				`ln '${outside}/file' hard2`,
				`cd /proc/1/root && ls -A | grep -vx '${names}'`,
				`cat /proc/1/cwd/../../../..${outside}/file`,
				`cat /proc/self/root/../../..${outside}/file`,
			);
			assert.deepEqual(await readdir(outside), ['file']);
			assert.equal(await readFile(path.join(outside, 'file'), 'utf8'), 'untouched');
		});

		it('what the next run sees as /tmp, by a link that leads outside', async function () {
			if (holdsOurNode('/tmp')) {
				this.skip();
			}
			const outside = path.join(sandbox.folder, 'outside');
			await mkdir(outside, { mode: 0o777 });
			await chmod(outside, 0o777);
			const first = await sandbox.run(`rm -rf ~/tmp && ln -s '${outside}' ~/tmp && echo linked`);
			assert.match(first.output, /linked/);
			const second = await sandbox.run('echo planted >/tmp/new && ls /tmp');
			assert.equal(second.stdout.trim(), 'new');
			assert.deepEqual(await readdir(outside), []);
		});

		it('the owner of what its links lead to, when the next run makes the folders ready', async () => {
			const outside = path.join(sandbox.folder, 'outside');
			await writeFile(outside, SECRET, { mode: 0o600 });
			await sandbox.run(`ln -s '${outside}' link; ln -s '${sandbox.folder}' ~/folder`);
			const { output } = await sandbox.run('true');
			assert.equal(output, '');
			const before = execFileSync('stat', ['-c', '%u', outside], { encoding: 'utf8' });
			assert.equal(Number(before), process.getuid?.());
		});

		it('the kernel: its settings, its modules, its devices', async () => {
			await sandbox.refuses(
				'echo "|/bin/false" >/proc/sys/kernel/core_pattern',
				'echo 0 >/proc/sys/kernel/randomize_va_space',
				'echo 1 >/proc/sys/net/ipv4/ip_forward',
				'echo 100 >/proc/sys/user/max_user_namespaces',
				'echo h >/proc/sysrq-trigger',
				'ls /sys/kernel',
				'ls /sys/fs/cgroup',
				'mknod /tmp/disk b 8 0 && head -c 1 /tmp/disk',
				'mknod /tmp/memory c 1 1',
				'cat /dev/mem',
				'cat /dev/kmsg',
				'ls /dev/sda /dev/vda /dev/kvm /dev/fuse /dev/net/tun',
				'dmesg 2>&1 | grep -v "not permitted\\|denied" | grep .',
			);
		});

		it('the shell that builds the sandbox, by files that a shell reads at its start', async () => {
			for (const name of ['.bashrc', '.profile', '.bash_profile']) {
				await writeFile(path.join(sandbox.folder, name), 'echo planted\n');
			}
			const file = path.join(sandbox.folder, '.bashrc');
			const { output } = await sandbox.run('echo inside', { env: { HOME: sandbox.folder, BASH_ENV: file, ENV: file } });
			assert.equal(output, 'inside\n');
		});

		it('the name of the host, the clock or its own limits', async () => {
			const name = os.hostname();
			await sandbox.refuses(
				'hostname planted',
				'date -s "2001-01-01"',
				'prlimit --nproc=100000 -- true',
				'sh -c "ulimit -c 100"',
				'sh -c "ulimit -f unlimited"',
				'nice -n -5 true 2>&1 | grep -v "cannot set" | grep .',
			);
			assert.equal(os.hostname(), name);
		});
	});

	describe('gains no privilege', () => {
		it('through programs that are installed set-user-id', async () => {
			const found = execFileSync('find', ['/usr/bin', '/usr/sbin', '-xdev', '-perm', '-4000'], {
				encoding: 'utf8',
			})
				.trim()
				.split('\n');
			assert.ok(found.length > 0, 'this machine has none to try');
			await sandbox.refuses(
				'su -c true </dev/null',
				'sudo -n true',
				'mount -t tmpfs none /home/agent',
				'umount /workspace/repository',
				'mount --bind /usr /home/agent/tmp',
				'passwd -d agent',
				'newgrp root </dev/null && test "$(id -g)" = 0',
			);
			const { stdout } = await sandbox.run(
				'grep -i "^\\(cap...\\|nonewprivs\\):" /proc/self/status; cp /bin/sh own; chmod 4755 own; ./own -c "id -u"',
			);
			assert.match(stdout, /^1000$/m);
			assert.match(stdout, /NoNewPrivs:\s+1/);
			for (const [, capabilities] of stdout.matchAll(/Cap(?:Prm|Eff|Inh|Amb):\s+(\S+)/g)) {
				assert.equal(capabilities, '0000000000000000');
			}
		});

		it('through new namespaces', async () => {
			await sandbox.refuses(
				'unshare --user true',
				'unshare --user --map-root-user true',
				'unshare --mount true',
				'unshare --net true',
				'unshare --pid --fork true',
				'bwrap --ro-bind / / true',
				'bwrap --unshare-user --bind / / true',
				'nsenter --target 1 --mount true',
				'nsenter --target 1 --user true',
				'chroot / true',
			);
		});

		it('through a terminal of the user', async () => {
			await sandbox.refuses(
				'test -t 0',
				'cat </dev/tty',
				"python3 -c \"import fcntl, termios; fcntl.ioctl(open('/dev/tty'), termios.TIOCSTI, b'x')\"",
				'ls /dev/pts/[0-9]*',
			);
		});

		it('through calls for what the kernel has only once for all: keys, programs in it, modules, foreign sockets', async function () {
			if (!existsSync('/usr/bin/perl') || !(process.arch in CALLS)) {
				this.skip();
			}
			const { refused, sockets, ioctl, otherInterface } = CALLS[process.arch as keyof typeof CALLS];
			// Kernels answer EPERM, or do what they are asked, where there is no filter.
			const attempts = [
				...Object.entries(refused).map(([name, number]) => ({ name, call: `${number}, 0, 0, 0, 0, 0` })),
				...Object.entries(FOREIGN_FAMILIES).flatMap(([name, family]) =>
					sockets.map(number => ({ name, call: `${number}, ${family}, 2, 0, $buffer` })),
				),
				// The kernel reads the lower half of these arguments alone.
				{ name: 'AF_ALG with a high half', call: `${sockets[0]}, 0x100000000 + 38, 5, 0` },
				{ name: 'TIOCSTI', call: `${ioctl}, 0, 0x5412, $buffer` },
				{ name: 'TIOCSTI with a high half', call: `${ioctl}, 0, 0x500005412, $buffer` },
				...(otherInterface === undefined ? [] : [{ name: 'x32', call: `${otherInterface + 39}` }]),
			];
			const script = [
				'my $buffer = "x" x 64;',
				...attempts.map(
					({ call }, index) => `$! = 0; my $r${index} = syscall(${call}); print "${index} $r${index} ", $! + 0, "\\n";`,
				),
			].join(' ');
			const { output } = await sandbox.run(`perl -e '${script}'`);
			const answers = [...output.matchAll(/^(\d+) (-?\d+) (\d+)$/gm)];
			assert.equal(answers.length, attempts.length, output);
			for (const [, index, result, code] of answers) {
				const { name } = attempts[Number(index)] ?? assert.fail();
				const { ENOSYS, EPERM, EAFNOSUPPORT } = os.constants.errno;
				const expected = /^AF_/.test(name) ? EAFNOSUPPORT : NOT_PERMITTED.test(name) ? EPERM : ENOSYS;
				assert.deepEqual({ name, result, code: Number(code) }, { name, result: '-1', code: expected });
			}
		});

		it('and still makes the sockets that programs use, and asks terminals what is harmless', async () => {
			const { output } = await sandbox.run(
				`node -e '
					require("dgram").createSocket("udp6").close();
					require("net").createServer().listen(0, "127.0.0.1", function () { this.close(); });
					require("net").createServer().listen("socket", function () { this.close(); });
					console.log(Object.keys(require("os").networkInterfaces()), require("tty").isatty(0));
				'`,
			);
			assert.equal(output.trim(), "[ 'lo' ] false");
		});

		it('through programs of an older architecture', async function () {
			if (process.arch !== 'x64') {
				this.skip();
			}
			// A program of two instructions for 32 bits: the call with number 20 (getpid), then an endless loop.
			const header = Buffer.alloc(84 + 4);
			header.set([0x7f, 0x45, 0x4c, 0x46, 1, 1, 1], 0);
			const words = [0x0003_0002, 1, 0x0804_8054, 52, 0, 0, 0x0020_0034, 1, 0];
			for (const [index, word] of words.entries()) {
				header.writeUInt32LE(word, 16 + 4 * index);
			}
			for (const [index, word] of [1, 0, 0x0804_8000, 0x0804_8000, 88, 88, 5, 4_096].entries()) {
				header.writeUInt32LE(word, 52 + 4 * index);
			}
			header.set([0xcd, 0x80, 0xeb, 0xfe], 84);
			await writeFile(path.join(sandbox.tree, 'old'), header, { mode: 0o755 });
			const { output } = await sandbox.run('timeout 20 ./old; echo "ended: $?"');
			// 159 is the end by SIGSYS. A kernel that runs no such programs refuses to start it.
			assert.match(output, /ended: (159|126)$/m);
		});

		it('and is no user of the host to the file system, also where the service runs as root', async () => {
			const { stdout } = await sandbox.run('id -u; id -g; touch made');
			assert.equal(stdout, '1000\n1000\n');
			const owner = execFileSync('stat', ['-c', '%u', path.join(sandbox.tree, 'made')], { encoding: 'utf8' });
			assert.equal(Number(owner), process.getuid?.() || UNPRIVILEGED_ID);
			if (process.getuid?.() === 0) {
				const folder = path.join(sandbox.folder, 'package');
				await mkdir(folder);
				await writeFile(path.join(folder, 'closed'), SECRET, { mode: 0o600 });
				await writeFile(path.join(folder, 'open'), 'read me', { mode: 0o644 });
				const { output } = await sandbox.run(`cat '${folder}/open' '${folder}/closed'`, { readOnly: [folder] });
				assert.match(output, /^read me/);
				assert.doesNotMatch(output, new RegExp(SECRET));
			}
		});
	});
});
