import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { accountLogin } from '../../../src/chat/agent/ownAccount.ts';
import { servedModel } from '../../../src/chat/model/replyFacts.ts';
import { toDetailsView } from '../../../src/chat/protocol/toView.ts';
import { useAgentRuns } from './useAgentRuns.ts';

const PROGRAM = path.resolve('test/support/accountAgent.mjs');
/** Nobody answers there, so the agent is told that the host cannot be reached. */
const HOST = '127.0.0.1:9';

describe('an agent of the chat with an account of its own', () => {
	let state: string;
	const earlier = process.env['ERRAND_STATE_HOME'];

	before(async () => {
		state = await mkdtemp(path.join(os.tmpdir(), 'errand-account-'));
		process.env['ERRAND_STATE_HOME'] = state;
		await mkdir(path.join(state, 'accounts', 'mine', '.mine'), { recursive: true });
		await writeFile(path.join(state, 'accounts', 'mine', '.mine', 'login'), 'logged in');
	});
	after(async () => {
		if (earlier === undefined) {
			delete process.env['ERRAND_STATE_HOME'];
		} else {
			process.env['ERRAND_STATE_HOME'] = earlier;
		}
		await rm(state, { recursive: true, force: true });
	});

	const agents = useAgentRuns({}, [{ id: 'mine', command: PROGRAM, args: [HOST], account: { hosts: [HOST] } }]);

	const conversation = () => ({ ...agents.fresh('Go'), settings: { agent: 'mine' } });

	it('works with the login that it has, and the turn names its account and no model or policy', async () => {
		const { reply, work, error } = await agents.work(conversation());
		assert.equal(error, undefined);
		assert.match(reply.text, /^logged in HTTP\/1\.1 502 Bad Gateway.* HTTP\/1\.1 403 Forbidden/s);
		assert.deepEqual([work.label, servedModel(reply).model], ['mine (own account)', 'own account']);
		assert.equal(toDetailsView({ ...reply, asked: { model: 'other' } })?.asked, undefined);
		assert.equal(agents.model.requests.length, 0);
		const named = agents.logged.filter(line => line.includes('elsewhere.example:443 was refused'));
		assert.equal(named.length, 1, agents.logged.join('\n'));
	});

	it('is refused where zero data retention is wanted, as nobody knows what its account retains', async () => {
		const refused = agents.work(conversation(), undefined, undefined, { zdr: true });
		await assert.rejects(refused, /mine \(own account\) was not started: this conversation wants zero data retention/);
	});

	it('opens the address of its login in the browser after a yes that names the host', async () => {
		const asked: string[] = [];
		let answer: string | undefined;
		const opened: string[] = [];
		Object.assign(vscode.window, {
			showWarningMessage: async (question: string, { detail }: { detail: string }) => {
				asked.push(`${question} ${detail}`);
				return answer;
			},
		});
		const { parse } = vscode.Uri;
		Object.assign(vscode.Uri, { parse: (address: string) => ({ toString: () => address }) });
		Object.assign(vscode.env, { openExternal: async (uri: vscode.Uri) => opened.push(uri.toString(true)) > 0 });
		try {
			const { openAddress } = accountLogin('Mine');
			assert.equal(await openAddress('https://login.example/?a=b'), false);
			answer = 'Open in Browser';
			assert.equal(await openAddress('https://login.example/?a=b'), true);
			assert.match(
				asked[0] ?? '',
				/^Mine wants to open login\.example so that you log in\. https:\/\/login\.example\/\?a=b$/,
			);
			assert.deepEqual(opened, ['https://login.example/?a=b']);
		} finally {
			Reflect.deleteProperty(vscode.window, 'showWarningMessage');
			Reflect.deleteProperty(vscode.env, 'openExternal');
			Object.assign(vscode.Uri, { parse });
		}
	});
});
