import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { HostedRepository } from '../../../src/team/worker/hostedRepository.ts';

const TOKEN = 'ghp_an0therPlainlyRand0mToken';

describe('a repository at a source host', () => {
	let folder: string;
	let server: Server;
	before(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-hosted-'));
		// It asks for credentials, and sends them back as the reason why it refuses.
		server = createServer(({ headers }, response) => {
			const sent = headers.authorization;
			if (sent === undefined) {
				response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
				return;
			}
			const plain = Buffer.from(sent.replace('Basic ', ''), 'base64').toString();
			const line = `ERR no entry for ${sent}, which is ${plain}`;
			const packet = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text;
			response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
			response.end(`${packet('# service=git-upload-pack\n')}0000${packet(line)}`);
		});
		await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
	});
	after(async () => {
		server.closeAllConnections();
		await new Promise(resolve => server.close(resolve));
		await rm(folder, { recursive: true, force: true });
	});

	it('is told of in the words of its host, and without the token if that sends it back', async () => {
		const { port } = server.address() as AddressInfo;
		const { signal } = new AbortController();
		const place = { url: `http://127.0.0.1:${port}/team/project.git`, folder, marker: 'test', signal };
		const cloned = new HostedRepository({ ...place, token: TOKEN }).clone('main');
		const message = await cloned.then(
			() => assert.fail('It was cloned.'),
			(error: Error) => error.message,
		);
		assert.match(message, /could not be fetched: .*no entry for Basic/);
		assert.ok(!message.includes(TOKEN.slice(4)), message);
		assert.ok(!message.includes(Buffer.from(`x-access-token:${TOKEN}`).toString('base64').slice(24)), message);
	});
});
