import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import os from 'node:os';
import { listeningUsers, nameOfUser, ownerOfPort } from '../../../src/base/portOwner.ts';
import { canBeAnotherUser, ForeignServer } from '../../support/foreignServer.ts';

const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';

/** 11434 is 2CAA. The tables write addresses in the machine's own order of bytes. */
const line = (address: string, port: string, state: string, user: string) =>
	`   0: ${address}:${port} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000 ${user}        0 21 1 0 100 0 0 10 0\n`;
const users = (...lines: string[]) => [...listeningUsers(HEAD + lines.join(''), 11_434)];

describe('listeningUsers', () => {
	before(function () {
		if (os.endianness() !== 'LE') {
			this.skip();
		}
	});

	it('reads the user that listens where a connection to 127.0.0.1 ends, in either family', () => {
		for (const address of [
			'0100007F',
			'00000000',
			'00000000000000000000000000000000',
			'0000000000000000FFFF00000100007F',
			'0000000000000000FFFF000000000000',
		]) {
			assert.deepEqual(users(line(address, '2CAA', '0A', ' 1001')), [1001], address);
		}
	});

	it('leaves out other ports, other addresses, and sockets that do not listen', () => {
		assert.deepEqual(
			users(
				line('0100007F', '2CAB', '0A', ' 1001'),
				line('0200007F', '2CAA', '0A', ' 1001'),
				line('7F000001', '2CAA', '0A', ' 1001'),
				line('00000000000000000000000001000000', '2CAA', '0A', ' 1001'),
				line('0100007F', '2CAA', '01', ' 1001'),
			),
			[],
		);
	});

	it('names each user once, and none for a text that is not a table', () => {
		const two = [line('0100007F', '2CAA', '0A', ' 0'), line('00000000', '2CAA', '0A', ' 65534')];
		assert.deepEqual(users(...two, ...two), [0, 65_534]);
		for (const table of ['', 'sl', `${HEAD}   0: 0100007F`, `${HEAD}${line('0100007F', '2CAA', '0A', '-1')}`]) {
			assert.deepEqual([...listeningUsers(table, 11_434)], [], JSON.stringify(table));
		}
	});
});

describe('nameOfUser', () => {
	const passwd = 'root:x:0:0:root:/root:/bin/bash\nollama:x:998:998::/usr/share/ollama:/bin/false\n:x:7::::\n';

	it('finds the name of a number, and none where there is none', () => {
		assert.equal(nameOfUser(passwd, 0), 'root');
		assert.equal(nameOfUser(passwd, 998), 'ollama');
		assert.equal(nameOfUser(passwd, 99), undefined);
		assert.equal(nameOfUser(passwd, 7), undefined);
	});
});

describe('ownerOfPort', () => {
	before(function () {
		if (process.platform !== 'linux') {
			// On other platforms the user cannot be found.
			this.skip();
		}
	});

	it('tells that a socket is the own user’s', async () => {
		for (const host of ['127.0.0.1', '0.0.0.0']) {
			const server = createServer().listen(0, host);
			await once(server, 'listening');
			const { port } = server.address() as { port: number };
			assert.deepEqual(await ownerOfPort(port), { kind: 'own', user: os.userInfo().username }, host);
			server.close();
		}
	});

	it('tells nothing if no program listens', async () => {
		const server = createServer().listen(0, '127.0.0.1');
		await once(server, 'listening');
		const { port } = server.address() as { port: number };
		server.close();
		await once(server, 'close');
		assert.deepEqual(await ownerOfPort(port), { kind: 'unknown', user: '' });
	});

	it('tells another user, a person’s and a system account apart', async function () {
		if (!canBeAnotherUser) {
			this.skip();
		}
		for (const [user, kind] of [
			[12_345, 'other'],
			[987, 'system'],
		] as const) {
			const server = await ForeignServer.start({ user });
			try {
				const owner = await ownerOfPort(server.port);
				assert.equal(owner.kind, kind);
				assert.notEqual(owner.user, os.userInfo().username);
			} finally {
				await server.stop();
			}
		}
	});
});
