import assert from 'node:assert/strict';
import { keyProblem } from '../../../src/models/keys/messages.ts';

describe('the form of a key', () => {
	const cloudTokenPrefix = 'cloud_';

	it('begins with sk- for inference and for the agent API', () => {
		for (const kind of ['inference', 'agent'] as const) {
			assert.equal(keyProblem({ kind }, 'sk-abc'), undefined);
			assert.match(keyProblem({ kind }, 'sk-') ?? '', /starts with “sk-”/);
			assert.match(keyProblem({ kind }, 'cloud_abc') ?? '', /starts with “sk-”/);
		}
	});

	it('begins with the prefix of the connection for the cloud, where that is known', () => {
		assert.equal(keyProblem({ kind: 'cloud', cloudTokenPrefix }, 'cloud_abc'), undefined);
		assert.match(keyProblem({ kind: 'cloud', cloudTokenPrefix }, 'sk-abc') ?? '', /start with “cloud_”/);
		assert.equal(keyProblem({ kind: 'cloud' }, 'anything'), undefined);
	});

	it('is any for a model server', () => {
		assert.equal(keyProblem({ kind: 'server' }, 'anything'), undefined);
	});

	it('has no spaces, line breaks or characters that cannot stand in a header', () => {
		for (const kind of ['inference', 'cloud', 'agent', 'server'] as const) {
			assert.match(keyProblem({ kind }, '') ?? '', /^Paste the key/);
			for (const key of ['sk-a b', 'sk-a\nb', 'sk-é', 'sk-\u0000']) {
				assert.match(keyProblem({ kind }, key) ?? '', /no spaces or special characters/);
			}
		}
	});
});
