import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type OwnAgent, type OwnAgentOptions, startOwnAgent } from './ownAgent.ts';
import { ReplyServer } from './replyServer.ts';

/** Sets up a model server and a repository for each test of the `describe` in whose body it is called. */
export function useOwnAgent() {
	let server: ReplyServer;
	let scratch: string;
	let folder: string;
	const opened: { close(): Promise<void> }[] = [];

	beforeEach(async () => {
		server = await ReplyServer.start();
		scratch = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'errand-agent-')));
		folder = path.join(scratch, 'repository');
		mkdirSync(folder);
		execFileSync('git', ['init', '-q', folder]);
	});
	afterEach(async () => {
		await Promise.all(opened.splice(0).map(session => session.close()));
		await server.stop();
		rmSync(scratch, { recursive: true, force: true });
	});

	return {
		get server() {
			return server;
		},
		/** The folder that contains everything of the test. */
		get scratch() {
			return scratch;
		},
		/** The folder of the repository, in which the agent works. */
		get folder() {
			return folder;
		},
		/** Starts the agent with a session, which ends with the test. */
		async start(settings: Record<string, string> = {}, options: Partial<OwnAgentOptions> = {}): Promise<OwnAgent> {
			const agent = await startOwnAgent({
				folder,
				home: path.join(scratch, 'home'),
				settings: { URL: server.url, MODEL: 'scripted', ...settings },
				...options,
			});
			opened.push(agent.session);
			return agent;
		},
	};
}
