import assert from 'node:assert/strict';
import path from 'node:path';
import { childEnvironment, isDecisiveVariable } from '../../../src/base/childEnvironment.ts';

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

describe('isDecisiveVariable', () => {
	it('finds the variables of loaders, interpreters, git, proxies and folders, in any case', () => {
		const names = ['LD_PRELOAD', 'LD_AUDIT', 'DYLD_INSERT_LIBRARIES', 'NODE_OPTIONS', 'PATH', 'Path', 'HOME', 'TMPDIR'];
		const more = [
			'PYTHONPATH',
			'RUBYOPT',
			'PERL5OPT',
			'GIT_CONFIG_COUNT',
			'XDG_CONFIG_HOME',
			'ERRAND_KEY',
			'all_proxy',
		];
		assert.deepEqual(
			[...names, ...more].filter(name => !isDecisiveVariable(name)),
			[],
		);
	});

	it('leaves alone what a program is only told', () => {
		const names = ['ANTHROPIC_API_KEY', 'MY_PATH', 'LANG', 'TZ', 'LDAP_URL', 'DEBUG', 'HOMEPAGE'];
		assert.deepEqual(names.filter(isDecisiveVariable), []);
	});
});
