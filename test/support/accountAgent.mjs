#!/usr/bin/env node
// An agent for tests that works with an account of its own, a program of its own. Its arguments are the host of its
// account, as host:port, and how it logs in: `browser` or `terminal`. A prompt makes it write a file with what its
// account says, and reach for a host of somebody else.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';

const [host, login = 'browser'] = process.argv.slice(2);
const { HOME, HTTPS_PROXY } = process.env;
const LOGIN = path.join(HOME, '.mine', 'login');
const waiting = new Map();
let folder = '.';

const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

function ask(method, params) {
	const id = `ask-${waiting.size + 1}`;
	send({ id, method, params });
	return new Promise(resolve => waiting.set(id, resolve));
}

/** Connects through the proxy and resolves with what the host says, or with the proxy's refusal. */
function visit(place) {
	const { hostname, port, username, password } = new URL(HTTPS_PROXY);
	const credentials = Buffer.from(`${username}:${password}`).toString('base64');
	return new Promise((resolve, reject) => {
		let text = '';
		const tunnel = connect(Number(port), hostname);
		tunnel.write(`CONNECT ${place} HTTP/1.1\r\nProxy-Authorization: Basic ${credentials}\r\n\r\n`);
		tunnel.setEncoding('utf8').on('data', piece => {
			text += piece;
		});
		tunnel.on('close', () => resolve(text.split('\r\n\r\n').at(text.includes(' 200 ') ? -1 : 0)));
		tunnel.on('error', reject);
	});
}

async function answer({ method, params = {} }) {
	switch (method) {
		case 'initialize': {
			const method = { id: 'mine', name: 'My Account' };
			const authMethods = [login === 'browser' ? method : { ...method, type: 'terminal', args: ['login'] }];
			return { protocolVersion: 1, agentInfo: { name: 'mine', version: '1' }, agentCapabilities: {}, authMethods };
		}
		case 'session/new':
			if (!existsSync(LOGIN)) {
				throw { code: -32_000, message: 'Authentication required' };
			}
			folder = params.cwd;
			return { sessionId: 'one' };
		case 'authenticate': {
			const url = `https://login.mine.example/device?for=${params.methodId}`;
			const { action } = await ask('elicitation/create', { mode: 'url', elicitationId: '1', message: 'Log in', url });
			if (action !== 'accept') {
				throw { code: -32_603, message: 'You did not log in' };
			}
			mkdirSync(path.dirname(LOGIN), { recursive: true });
			writeFileSync(LOGIN, await visit(host));
			return {};
		}
		case 'session/prompt': {
			const said = `${readFileSync(LOGIN, 'utf8')} ${await visit(host)} ${await visit('elsewhere.example:443')}`;
			writeFileSync(path.join(folder, 'said.txt'), `${said}\n`);
			const content = { type: 'text', text: said };
			send({
				method: 'session/update',
				params: { sessionId: 'one', update: { sessionUpdate: 'agent_message_chunk', content } },
			});
			return { stopReason: 'end_turn' };
		}
		default:
			return {};
	}
}

createInterface({ input: process.stdin }).on('line', async line => {
	const message = JSON.parse(line);
	const { id, method } = message;
	if (method === undefined) {
		waiting.get(id)?.(message.result ?? {});
	} else if (id !== undefined) {
		await answer(message).then(
			result => send({ id, result }),
			error => send({ id, error }),
		);
	}
});
