import assert from 'node:assert/strict';
import { startCommand } from '../../../../src/localService/model/startCommand.ts';

const input = { execPath: '/editor/node', servicePath: '/extension/dist/service.js', proxy: { except: [] } };

describe('the command that starts the local service', () => {
	it("starts the service with the editor's own Node", () => {
		const start = startCommand({ ...input, environment: {} });
		assert.equal(start.command, '/editor/node');
		assert.deepEqual(start.arguments, [
			'--disable-warning=ExperimentalWarning',
			'/extension/dist/service.js',
			'--upstreams-from-stdin',
		]);
		assert.deepEqual(start.environment, { ELECTRON_RUN_AS_NODE: '1' });
	});

	it('passes on what a program needs and nothing else of the environment', () => {
		const { environment } = startCommand({
			...input,
			environment: {
				PATH: '/bin',
				HOME: '/home/someone',
				NODE_OPTIONS: '--require /evil.js',
				VSCODE_IPC_HOOK: 'x',
				OPENAI_API_KEY: 'sk-secret',
				GIT_DIR: '/elsewhere',
				LD_PRELOAD: '/evil.so',
			},
		});
		assert.deepEqual(environment, { ELECTRON_RUN_AS_NODE: '1', PATH: '/bin', HOME: '/home/someone' });
	});

	it("hands over the editor's proxy in place of the environment's", () => {
		const { environment } = startCommand({
			...input,
			environment: { https_proxy: 'http://old.example', no_proxy: 'old' },
			proxy: { url: 'http://proxy.example:3128', except: ['intern.example'] },
		});
		assert.deepEqual(environment, {
			ELECTRON_RUN_AS_NODE: '1',
			HTTP_PROXY: 'http://proxy.example:3128',
			HTTPS_PROXY: 'http://proxy.example:3128',
			NO_PROXY: 'localhost,127.0.0.1,127.0.0.0/8,::1,[::1],intern.example',
		});
	});
});
