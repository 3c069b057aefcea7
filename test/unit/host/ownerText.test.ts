import assert from 'node:assert/strict';
import { ownerText } from '../../../src/models/hosts/messages.ts';

describe('the user who runs a server', () => {
	it('is named, with a warning that another user can read what the server gets', () => {
		assert.equal(ownerText({ kind: 'own', user: 'me' }), 'It runs as you, me.');
		assert.match(ownerText({ kind: 'root', user: 'root' }), /the administrator/);
		assert.match(ownerText({ kind: 'system', user: 'ollama' }), /the system account ollama/);
		assert.match(ownerText({ kind: 'other', user: 'eve' }), /eve, another user of this machine, who can read/);
		assert.match(ownerText({ kind: 'unknown', user: '' }), /doesn’t report/);
	});
});
