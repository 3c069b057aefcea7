import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { nullLogger } from '../../../../src/base/logger.ts';
import { createFetchImage } from '../../../../src/chat/images/remoteImage.ts';
import { ImageStore } from '../../../../src/chat/storage/imageStore.ts';
import { demoImage } from '../../../../src/service/inference/demo/demoImage.ts';
import { type Answer, FaultServer, type Flood, flood } from '../../../support/faultServer.ts';

const CONVERSATION = 'c0000000-0000-4000-8000-000000000001';

describe('the image at an address', () => {
	let folder: string;
	let server: FaultServer;
	let other: FaultServer;
	let trusted: string[];
	let store: ImageStore;

	const sends =
		(body: string | Buffer, type = 'image/png', status = 200, headers = {}): Answer =>
		response => {
			response.writeHead(status, { 'content-type': type, ...headers }).end(body);
		};

	beforeEach(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-images-'));
		server = await FaultServer.start(sends(demoImage('a fox')));
		other = await FaultServer.start(sends(demoImage('a bear')));
		trusted = [server.origin];
		store = new ImageStore(
			folder,
			createFetchImage(async () => trusted),
			nullLogger,
		);
	});

	afterEach(async () => {
		await server.stop();
		await other.stop();
		await rm(folder, { recursive: true, force: true });
	});

	const load = () => store.load(CONVERSATION, `${server.origin}/fox.png`, new AbortController().signal);
	const kept = () => readdir(path.join(folder, 'images', CONVERSATION)).catch(() => []);

	it('is kept, byte for byte, whatever its server says of its type', async () => {
		server.answer = sends(demoImage('a fox'), 'text/plain');
		const image = await load();
		assert.ok('file' in image);
		assert.deepEqual([image.type, image.width, image.height], ['image/png', 256, 256]);
		assert.deepEqual(await store.read(CONVERSATION, image.file), demoImage('a fox'));
		assert.deepEqual(await kept(), [image.file]);
		// The request carried nothing that identifies the user.
		const headers = server.received[0]?.headers;
		assert.ok(headers);
		assert.deepEqual([headers.cookie, headers.authorization, headers.referer], [undefined, undefined, undefined]);
	});

	const refused: Record<string, [Answer, string]> = {
		'a page': [sends('<!doctype html><script>alert(1)</script>'), 'type'],
		'a drawing with a script': [
			sends('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'image/svg+xml'),
			'type',
		],
		'an error': [sends(demoImage('a fox'), 'image/png', 403), 'unreachable'],
		'a broken connection': [response => void response.destroy(), 'unreachable'],
		nothing: [sends(''), 'type'],
	};
	for (const [name, [answer, problem]] of Object.entries(refused)) {
		it(`is not there where ${name} comes`, async () => {
			server.answer = answer;
			assert.deepEqual(await load(), { problem });
			assert.deepEqual(await kept(), []);
		});
	}

	it('is not loaded to its end where 50 MB come', async () => {
		const state: Flood = { sent: 0, isBlocked: false };
		server.answer = async response => {
			response.writeHead(200, { 'content-type': 'image/png' });
			response.write(demoImage('a fox'));
			await flood(response, Buffer.alloc(65_536), 50_000_000, state);
			response.end();
		};
		assert.deepEqual(await load(), { problem: 'too-large' });
		assert.deepEqual(await kept(), []);
		assert.equal((await server.received[0]?.closed)?.isWhole, false);
	});

	it('is not loaded from this machine, neither at once nor by way of another server', async () => {
		server.answer = sends('', 'text/plain', 302, { location: `${other.origin}/secret` });
		assert.deepEqual(await load(), { problem: 'redirected' });
		trusted = [];
		assert.deepEqual(await load(), { problem: 'private' });
		assert.equal(server.received.length, 1);
		assert.equal(other.received.length, 0);
	});
});
