import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { knownAgents } from '../../../src/agents/catalogue/knownAgents.ts';
import { UpstreamServer } from '../../support/upstreamServer.ts';

const PAGE = path.resolve('docs', 'local-service.md');

const STARTED = /^\{"ready":true,"address":"http:\/\/127\.0\.0\.1:\d+","pid":\d+\}$/;

/** What each block of the page prints, in its order. A block without an expectation fails the test. */
const EXPECTED: readonly RegExp[] = [
	/^Errand's local service.*--port <number>.*--token-file <file>/s,
	STARTED,
	/^$/,
	/^\{"object":"list","data":\[.*"id":"demo".*\}\]\}\{"id":"demo","object":"model".*"created":\d+\}$/,
	/^\{.*"choices":\[.*"message":\{.*"content":"/,
	/^data: \{.*"provider":"demo".*"delta":.*\ndata: \[DONE\]$/s,
	/^event: message_start\n.*\nevent: content_block_delta\n.*\nevent: message_stop\n.*\{"input_tokens":\d+\}$/s,
	/^event: response\.created\n.*\nevent: response\.completed\n.*"status":"completed"/s,
	/^\{"id":"resp_.*"object":"response".*"status":"completed","output":\[/,
	/^\{"model":"errand-decisions-[\d.]+","answers":\{"ready":\{"type":"noul","noul":[\d.]+,"probabilities_source":"(?:logprobs|stated)","served_by":\{"provider":"demo/,
	/^\{.*"model":"demo".*"choices":\[.*"message":\{/,
	/^$/,
	STARTED,
	/^\{"taken":true\}\{"id":"thinker","object":"model","owned_by":"own","created":\d+\}$/,
	/^\{"taken":true\}$/,
	/^\{"status":"healthy".*\}\{"public_key":.*There is no hardware evidence/s,
	/^$/,
	/^[\da-f-]{36}$/,
	/^event: connected\n.*event: log\n.*event: complete\ndata: \{"status":"completed"/s,
	/^\{"task":\{.*"status":"completed".*"branchName":"errand\/say-what-is-here-[\da-f]{8}".*\}\}[\da-f]{7} Say what is here\n[\da-f]{7} First$/s,
	/^\{"success":true,"message":"/,
	/^\{"task":\{.*"multiLaunch":true.*"agentExecutions":\[\{.*\},\{/,
	/^\{"tasks":\[\{.*"multiLaunch":true.*"hasMore":false,"limit":10,"offset":0\}$/,
	/^\{"message":"The task is stopped\.","task":\{.*"status":"stopped"/,
	/^\{"tasks":\[\{"taskId":.*"status":"cancelled".*"page":1,"limit":10,"hasMore":false\}$/,
	/^\{"sandbox":\{"works":(?:true|false).*"agents":\[(?:\{"id":"errand",.*)?\{"id":"opencode",.*\{"id":"demo",.*"source":"built-in"/,
	/^\{"taken":true\}$/,
	/^\{"named":1\}$/,
	/^\[\{"login":"errand-page-\w+","name":"errand-page-\w+","avatar_url":""\}\]$/,
	/^\[\{"name":"errand-sample","full_name":"errand-page-\w+\/errand-sample".*"clone_url":"file:\/\/\/.*\}\]$/,
	/^\[.*\{"name":"main","protected":false,"isDefault":true\}\]$/,
	/^\{"error":"repoUrl: only the absolute path/,
	/^\{"stopping":true\}$/,
];

const MARK = '=== the next block ===';

describe('the page about the local service', () => {
	before(function () {
		if (process.platform === 'win32') {
			this.skip();
		}
	});

	it('names the agents that there are, and no others', async () => {
		const rows = (await readFile(PAGE, 'utf8')).split('| agent | what it is |')[1]?.split('\n\n')[0] ?? '';
		const named = rows
			.split('\n')
			.flatMap(row => [...(row.split('|')[1] ?? '').matchAll(/`([\w-]+)`/g)].map(([, id]) => id));
		assert.deepEqual(named.sort(), ['errand', 'demo', 'demo-two', ...knownAgents.map(({ id }) => id)].sort());
	});

	it('has examples that do what it says, each of them, in their order', async () => {
		const home = await mkdtemp(path.join(os.tmpdir(), 'errand-page-'));
		const models = await UpstreamServer.start();
		let service: ChildProcess | undefined;
		let second: ChildProcess | undefined;
		try {
			const text = await readFile(PAGE, 'utf8');
			const port = await freePort();
			// The program is run as it stands in the sources, at a port that is free, and no server is asked but the test's.
			const blocks = [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language, block = '']) => {
				assert.equal(language, 'sh', 'every block can be run');
				return block
					.replaceAll('dist/service.js', 'src/service/entry.ts')
					.replaceAll('4180', String(port))
					.replaceAll('https://models.example.com/v1', models.url)
					.replaceAll('http://127.0.0.1:11434', models.url);
			});
			assert.equal(blocks.length, EXPECTED.length, 'every block has its expectation');
			const isProxy = ([name]: [string, unknown]) => /^(?:https?|all|no)_proxy$/i.test(name);
			const env = {
				// Whatever the reader's environment says of a proxy.
				...Object.fromEntries(Object.entries(process.env).filter(isProxy)),
				HOME: home,
				PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env['PATH']}`,
				NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
				GIT_CONFIG_NOSYSTEM: '1',
			};
			const [help = '', start = '', ...others] = blocks;
			const outputs = [await output(bash(help, env))];
			service = bash(`exec ${start}`, env);
			outputs.push(await firstLine(service));
			const at = others.findIndex(block => block.startsWith('node ') && block.includes('--upstreams-from-stdin'));
			const printed = await output(bash(others.toSpliced(at, 1, '').join(`\necho; echo '${MARK}'\n`), env));
			outputs.push(...printed.split(`\n${MARK}\n`));
			// The second start has a data folder and a port of its own, as one service runs for each folder.
			const elsewhere = others[at]?.replace(String(port), '0').replace('errand-data', 'errand-other-data');
			second = bash(`exec ${elsewhere}`, env);
			outputs[at + 2] = await firstLine(second);
			for (const [index, expected] of EXPECTED.entries()) {
				assert.match(outputs[index]?.trim() ?? '', expected, `after:\n${blocks[index]}`);
			}
			assert.equal(outputs.length, EXPECTED.length);
			if (service.exitCode === null) {
				await once(service, 'exit');
			}
			assert.equal(service.exitCode, 0);
		} finally {
			service?.kill('SIGKILL');
			second?.kill('SIGKILL');
			await models.stop();
			await rm(home, { recursive: true, force: true });
		}
	});
});

function bash(script: string, env: Record<string, string>): ChildProcess {
	return spawn('bash', ['-c', `set -euo pipefail\n${script}`], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function output(child: ChildProcess): Promise<string> {
	let stdout = '';
	let stderr = '';
	child.stdout?.setEncoding('utf8').on('data', (text: string) => {
		stdout += text;
	});
	child.stderr?.setEncoding('utf8').on('data', (text: string) => {
		stderr += text;
	});
	const [code] = (await once(child, 'close')) as [number | null];
	assert.equal(code, 0, `${stderr}\n${stdout}`);
	assert.equal(stderr, '');
	return stdout;
}

async function firstLine(child: ChildProcess): Promise<string> {
	assert.ok(child.stdout);
	child.stderr?.resume();
	for await (const line of createInterface({ input: child.stdout })) {
		return line;
	}
	return '';
}

async function freePort(): Promise<number> {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as { port: number };
	server.close();
	await once(server, 'close');
	return port;
}
