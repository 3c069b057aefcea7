import assert from 'node:assert/strict';
import path from 'node:path';
import { childEnvironment } from '../../../../src/service/tasks/childEnvironment.ts';

describe('childEnvironment', () => {
	it('hands over what a program needs to run, and neither a secret nor the way to a proxy', () => {
		const proxies = Object.fromEntries(
			['HTTP_PROXY', 'https_proxy', 'ALL_PROXY', 'NO_PROXY', 'NODE_USE_ENV_PROXY'].map(name => [name, 'http://proxy']),
		);
		const environment = { ...proxies, PATH: '/bin', LANG: 'C', AWS_SECRET_ACCESS_KEY: 'secret', NODE_OPTIONS: '-r x' };
		assert.deepEqual(childEnvironment(environment, { HOME: '/task' }), { PATH: '/bin', LANG: 'C', HOME: '/task' });
	});

	it('leaves out of PATH what would be looked for in the folder that the child runs in', () => {
		const folders = ['/bin', '', '.', 'node_modules/.bin', '/usr/bin'].join(path.delimiter);
		assert.deepEqual(childEnvironment({ PATH: folders }, {}), { PATH: ['/bin', '/usr/bin'].join(path.delimiter) });
	});
});
