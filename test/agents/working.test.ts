import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { holdsOurNode, outcomeOf, TestSandbox } from '../support/sandbox.ts';

/** Whether this machine has a program to try inside. */
function has(program: string): boolean {
	try {
		execFileSync('sh', ['-c', `command -v ${program} && ${program} --version`], { stdio: 'ignore' });
		return true;
	} catch {
		return false;
	}
}

describe('an agent in the sandbox', () => {
	let sandbox: TestSandbox;
	beforeEach(async () => {
		sandbox = await TestSandbox.create();
	});
	afterEach(() => sandbox.remove());

	async function outputOf(script: string): Promise<string> {
		const { code, output } = await sandbox.run(script);
		assert.equal(code, 0, output);
		return output;
	}

	it('reads, writes and runs the tree, with the same files outside', async () => {
		await writeFile(path.join(sandbox.tree, 'given'), 'from outside');
		const output = await outputOf(
			'pwd; cat given; echo " and inside" >>given; mkdir -p a/b; printf "#!/bin/sh\\necho it runs" >a/b/run; chmod +x a/b/run; a/b/run',
		);
		assert.equal(output, '/workspace/repository\nfrom outsideit runs\n');
		assert.equal(await readFile(path.join(sandbox.tree, 'given'), 'utf8'), 'from outside and inside\n');
	});

	it('has a home folder and temporary files that are on the disk', async function () {
		if (holdsOurNode('/tmp')) {
			this.skip();
		}
		const output = await outputOf(
			'echo $HOME; cd; pwd; f=$(mktemp); echo x >$f; dirname $f; ls ~/tmp | wc -l; mktemp -p /var/tmp >/dev/null; mktemp -p /dev/shm >/dev/null; [ "$(stat -f -c %T /tmp)" = "$(stat -f -c %T ~)" ] && echo same',
		);
		assert.equal(output, '/home/agent\n/home/agent\n/tmp\n1\nsame\n');
	});

	it('has a user, a host name, the time zone of the machine and UTF-8', async () => {
		const zone = execFileSync('date', ['+%Z'], { encoding: 'utf8' });
		const output = await outputOf(
			'whoami; id -gn; hostname; date +%Z; printf "é" | wc -m; getent hosts localhost | grep -c localhost',
		);
		assert.equal(output, `agent\nagent\nagent\n${zone}1\n1\n`);
	});

	it('works with git', async () => {
		const output = await outputOf(
			'git init -q -b main . && git config user.name a && git config user.email a@b && echo 1 >file && git add . && git commit -q -m First && git status --short && git log --format=%s',
		);
		assert.equal(output, 'First\n');
	});

	it('works with node and npm, offline', async () => {
		const manifest = { name: 'sample', version: '1.0.0', scripts: { test: 'node test.js' } };
		await writeFile(path.join(sandbox.tree, 'package.json'), JSON.stringify(manifest));
		await writeFile(path.join(sandbox.tree, 'test.js'), 'require("assert").equal(1, 1); console.log("passed")');
		const output = await outputOf('node --version; npm test --silent; npm pack --silent; ls *.tgz');
		assert.equal(output.trim(), `${process.version}\npassed\nsample-1.0.0.tgz\nsample-1.0.0.tgz`);
	});

	for (const [program, script] of [
		[
			'python3',
			"python3 -c \"import ssl, json, tempfile, subprocess; print(subprocess.check_output(['true']).decode() + 'works')\"",
		],
		['cargo', 'cargo init -q --name sample . && cargo build -q --offline && ./target/debug/sample | sed s/.*/works/'],
		[
			'java',
			'printf "class A { public static void main(String[] a) { System.out.println(\\"works\\"); } }" >A.java && java A.java',
		],
		['cc', 'printf "#include <stdio.h>\\nint main() { puts(\\"works\\"); }" >a.c && cc a.c && ./a.out'],
		['perl', 'perl -MPOSIX -e "print qq(works\\n)"'],
	] as const) {
		it(`works with ${program}, if this machine has it`, async function () {
			if (!has(program)) {
				this.skip();
			}
			assert.match(await outputOf(script), /works/);
		});
	}

	it('reaches its own servers on its own loopback', async () => {
		const output = await outputOf(
			"node -e \"const http = require('http'); const s = http.createServer((q, r) => r.end('mine')).listen(3000, '127.0.0.1', async () => { console.log(await (await fetch('http://localhost:3000')).text()); s.close(); })\"",
		);
		assert.equal(output, 'mine\n');
	});

	it('has its whole standard input and output', async () => {
		const child = await sandbox.start('cat; echo end');
		const ended = outcomeOf(child);
		const text = `${'x'.repeat(1_000)}\n`.repeat(3_000);
		child.stdin?.end(text);
		assert.equal((await ended).stdout, `${text}end\n`);
	});

	describe('with a relay, which', () => {
		let server: Server | undefined;
		afterEach(() => {
			server?.closeAllConnections();
			server?.close();
		});

		async function relay(answer: Parameters<typeof createServer>[1]): Promise<string> {
			const socket = path.join(sandbox.folder, 'relay.sock');
			server = createServer(answer).listen(socket);
			await once(server, 'listening');
			return socket;
		}

		const asks = (code: string) => `node --input-type=module -e '${code}'`;

		it("answers at its address inside, and the exit code and the standard input are the program's own", async () => {
			const socket = await relay((request, response) => response.end(`asked for ${request.url}`));
			const child = await sandbox.start(
				`${asks(`console.log(await (await fetch("${sandbox.inside.relayUrl}/v1/models")).text())`)}; cat; exit 5`,
				{ socket },
			);
			const ended = outcomeOf(child);
			child.stdin?.end('told\n');
			const { code, output } = await ended;
			assert.equal(output, 'asked for /v1/models\ntold\n');
			assert.equal(code, 5);
		});

		it('takes large bodies both ways, and many connections at once', async () => {
			const socket = await relay((request, response) => request.pipe(response));
			const { output, code } = await sandbox.run(
				asks(`
					const body = "x".repeat(20000000);
					const send = async body => (await (await fetch("${sandbox.inside.relayUrl}", { method: "POST", body })).text()).length;
					console.log(await send(body));
					console.log((await Promise.all(Array.from({ length: 50 }, () => send("some")))).join("").length);
				`),
				{ socket },
			);
			assert.equal(output, '20000000\n50\n');
			assert.equal(code, 0);
		});

		it('passes on at once what comes, and the end when the relay breaks off', async () => {
			const socket = await relay((_request, response) => {
				response.write('first');
				setTimeout(() => response.destroy(), 500);
			});
			const { output } = await sandbox.run(
				asks(`
					const reader = (await fetch("${sandbox.inside.relayUrl}")).body.getReader();
					console.log(new TextDecoder().decode((await reader.read()).value));
					await reader.read().catch(() => console.log("broken off"));
				`),
				{ socket },
			);
			assert.equal(output, 'first\nbroken off\n');
		});

		it('fails at once inside when it is gone outside', async () => {
			const socket = await relay((_request, response) => response.end());
			const child = await sandbox.start(
				`echo ready; read line; ${asks(`await fetch("${sandbox.inside.relayUrl}").catch(() => console.log("gone"))`)}`,
				{ socket },
			);
			const ended = outcomeOf(child);
			assert.ok(child.stdout);
			await once(child.stdout, 'data');
			server?.close();
			child.stdin?.end('go\n');
			assert.equal((await ended).output, 'ready\ngone\n');
		});

		it('is nowhere else: no other port, and the socket cannot be removed', async () => {
			const socket = await relay((_request, response) => response.end('answer'));
			const { output } = await sandbox.run('rm -f /run/errand/relay.sock; echo x >/run/errand/new; ls /run/errand', {
				socket,
			});
			assert.match(output, /Read-only file system/);
			assert.match(output, /inside\.m[jt]s\nrelay\.sock\n$/);
		});

		it('says what is wrong when the program cannot be started', async () => {
			const socket = await relay((_request, response) => response.end());
			await sandbox.run('true', { socket });
			const request = { ...(await sandbox.request('', { socket })), command: '/usr/bin/no-such-program', args: [] };
			const { code, output } = await outcomeOf(sandbox.startRequest(request));
			assert.equal(code, 127);
			assert.match(output, /no-such-program/);
		});
	});
});
