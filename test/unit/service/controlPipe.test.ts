import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { nullLogger } from '../../../src/base/logger.ts';
import type { Discovery } from '../../../src/contract/control.ts';
import type { UpstreamHandover } from '../../../src/contract/upstreams.ts';
import { handOver } from '../../../src/localService/serviceCalls.ts';
import { type ControlPipe, openControlPipe } from '../../../src/service/controlPipe.ts';

const TOKEN = 't'.repeat(32);

describe('the control pipe', () => {
	let folder: string;
	let pipe: ControlPipe | undefined;
	let taken: UpstreamHandover[];

	beforeEach(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-pipe-'));
		taken = [];
	});
	afterEach(async () => {
		pipe?.close();
		pipe = undefined;
		await rm(folder, { recursive: true, force: true });
	});

	async function open(stateFolder: string): Promise<Discovery> {
		pipe = await openControlPipe({
			stateFolder,
			token: TOKEN,
			logger: nullLogger,
			onHandover: handover => taken.push(handover),
		});
		const address = 'http://127.0.0.1:1';
		return { address, token: TOKEN, pipe: pipe.path, pid: 1, version: '0.0.0', startedAt: '' };
	}

	it('takes the place of what a crash has left', async () => {
		await writeFile(path.join(folder, 'control.sock'), '');
		const service = await open(folder);
		await handOver(service, { upstreams: [], findOllama: false });
		assert.deepEqual(taken, [{ upstreams: [], findOllama: false }]);
	});

	it('is there for a folder whose path is too long for a socket, and leaves nothing behind', async function () {
		if (process.platform === 'win32') {
			this.skip();
		}
		const deep = path.join(folder, 'd'.repeat(120));
		await mkdir(deep);
		const service = await open(deep);
		await handOver(service, { upstreams: [{ slug: 'one', url: 'https://example.com' }], findOllama: true });
		assert.equal(taken[0]?.upstreams[0]?.url, 'https://example.com/v1');
		pipe?.close();
		assert.ok(!existsSync(path.dirname(service.pipe ?? '')));
	});

	it('takes no list of more than 1 MB', async () => {
		const service = await open(folder);
		const models = Array.from({ length: 20_000 }, (_, index) => `${index} ${'x'.repeat(60)}`);
		const handover = { upstreams: [{ slug: 'one', url: 'https://example.com', models }], findOllama: true };
		await assert.rejects(handOver(service, handover));
		assert.deepEqual(taken, []);
	});

	it('answers a window whose token is another with nothing but that', async () => {
		const service = await open(folder);
		await assert.rejects(handOver({ ...service, token: 'x'.repeat(32) }, { upstreams: [], findOllama: true }), /401/);
		assert.deepEqual(taken, []);
	});
});
