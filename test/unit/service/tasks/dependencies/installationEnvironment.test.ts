import assert from 'node:assert/strict';
import { installationEnvironment } from '../../../../../src/service/tasks/dependencies/installations.ts';

describe('the environment of an installation', () => {
	const environment = installationEnvironment({
		relay: 'http://127.0.0.1:4321',
		token: 'to_k-en9',
		home: '/home/agent',
	});

	it('leads to the relay with the token as the password, by every name that programs read', () => {
		const names = ['HTTPS_PROXY', 'HTTP_PROXY', 'https_proxy', 'http_proxy', 'YARN_HTTPS_PROXY', 'YARN_HTTP_PROXY'];
		for (const name of names) {
			assert.equal(environment[name], 'http://errand:to_k-en9@127.0.0.1:4321', name);
		}
		assert.ok(Object.keys(environment).every(name => !/^no_proxy$/i.test(name)));
	});

	it('keeps everything below the home folder of the run, and looks for no updates', () => {
		assert.equal(environment['HOME'], '/home/agent');
		assert.equal(environment['BUNDLE_PATH'], '/home/agent/.bundle/packages');
		assert.equal(environment['CI'], '1');
		assert.equal(environment['npm_config_update_notifier'], 'false');
		assert.equal(environment['NO_UPDATE_NOTIFIER'], '1');
	});
});
