import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { connectionSchema } from '../../src/contract/connection.ts';
import { ContractServer } from '../support/contractServer/contractServer.ts';
import { chatReply, connectionFields, models } from '../support/contractServer/fixtures.ts';

/** The code of another program that uses the client: it has the bundle, and nothing else of ours. */
const PROGRAM = `
import { createClient } from './client.mjs';
const { connection, keys, model } = JSON.parse(process.argv[2]);
const client = createClient({ connection, keys: async kind => keys[kind] });
const request = { model, messages: [{ role: 'user', content: 'text' }] };
let text = '';
for await (const event of client.chat.stream(request)) {
	text += event.type === 'text' ? event.text : '';
}
const whole = (await client.chat.complete(request)).choices[0].message.content;
const { tasks } = await client.tasks.list({ limit: 1 });
let entries = 0;
let last = '';
for await (const event of client.tasks.follow(tasks[0].id)) {
	entries += event.type === 'log' ? 1 : 0;
	last = event.type;
}
const organisations = await client.sources.organisations();
console.log(JSON.stringify({ text, whole, entries, last, organisations: organisations.length }));
`;

describe('the client, bundled alone', () => {
	let server: ContractServer;
	let folder: string;
	before(async () => {
		server = await ContractServer.start();
		// The folder is outside the project, so that nothing of the project's node_modules is found from there.
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-client-'));
		await build({
			entryPoints: ['src/client/client.ts'],
			outdir: folder,
			outExtension: { '.js': '.mjs' },
			bundle: true,
			splitting: true,
			platform: 'node',
			format: 'esm',
			banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
		});
		await writeFile(path.join(folder, 'program.mjs'), PROGRAM);
	});
	after(async () => {
		await server.stop();
		await rm(folder, { recursive: true, force: true });
	});

	it('chats, lists tasks, follows a log and looks repositories up, and lets its program end', async () => {
		const connection = { name: 'contract', ...connectionSchema.parse(connectionFields(server)) };
		const model = models.find(({ kinds }) => kinds.includes('chat'))?.id;
		const argument = JSON.stringify({ connection, keys: server.keys, model });
		const { stdout } = await promisify(execFile)(process.execPath, [path.join(folder, 'program.mjs'), argument]);
		const { text, whole, entries, last, organisations } = JSON.parse(stdout);
		assert.equal(text, whole);
		assert.ok(text.length > 0 && chatReply !== undefined);
		assert.ok(entries > 0);
		assert.equal(last, 'complete');
		assert.ok(organisations > 0);
	});
});
