import assert from 'node:assert/strict';
import { settingLine } from '../../../src/platform/gitRefusalMessages.ts';

/** Returns the line by which a user decides whether a program may run. */
const lineOf = (value: string) => settingLine({ scope: 'local', file: '.git/config', key: 'filter.lfs.clean', value });

describe('a setting of a repository, as it is shown before its program runs', () => {
	it('shows a command that stands in a terminal sequence', () => {
		assert.equal(lineOf('true \u001b]0; evil | sh'), 'filter.lfs.clean = true  ]0; evil | sh');
	});

	it('is one line without characters that turn its direction', () => {
		assert.equal(lineOf('good\n\u202eevil'), 'filter.lfs.clean = good evil');
	});

	it('says that more follows than it shows', () => {
		assert.match(lineOf(`good ${'x'.repeat(200)}`), /^filter\.lfs\.clean = good x{94}…$/);
	});
});
