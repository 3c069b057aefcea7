import assert from 'node:assert/strict';
import {
	type Answers,
	nameProblem,
	proposedService,
	readAddress,
	toSetting,
} from '../../../../src/connections/model/newConnection.ts';
import { readConnection } from '../../../../src/connections/model/readConnection.ts';

const answers: Answers = {
	name: 'acme',
	apiUrl: 'https://api.example/',
	enterpriseUrl: '',
	plan: 'enterprise',
	cloudUrl: '',
	agentUrl: '',
	service: ' acme ',
	model: '',
};

describe('a new connection', () => {
	it('needs a name that is free and can stand in the settings', () => {
		for (const name of ['acme', 'Acme 2', 'acme.eu-1', 'Ünïcode', '2']) {
			assert.equal(nameProblem(name, ['other']), undefined, name);
		}
		assert.equal(nameProblem('', []), 'empty');
		for (const name of ['__proto__', ' acme', 'a/b', 'a\nb', '-a', '.', 'a'.repeat(61), '$(x)', '"']) {
			assert.equal(nameProblem(name, []), 'form', name);
		}
		assert.equal(nameProblem('local', []), 'taken');
		assert.equal(nameProblem('acme', ['acme']), 'taken');
	});

	it('takes an address as a connection does, and writes it in its plain form', () => {
		assert.equal(readAddress(' https://API.example/v1/ '), 'https://api.example/v1');
		assert.equal(readAddress('http://127.0.0.1:8080'), 'http://127.0.0.1:8080');
		for (const text of ['', 'api.example', 'http://api.example', 'https://u:p@api.example', 'https://api.example?']) {
			assert.equal(readAddress(text), undefined, text);
		}
	});

	it('proposes the name of the host as that of the service', () => {
		assert.equal(proposedService('https://api.acme.com/v1'), 'acme');
		assert.equal(proposedService('http://127.0.0.1:80'), '');
		assert.equal(proposedService('http://localhost'), '');
		assert.equal(proposedService(''), '');
	});

	it('is written with what was answered alone, and can be read', () => {
		assert.deepEqual(toSetting(answers), { apiUrl: 'https://api.example', service: 'acme' });
		const whole = toSetting({
			...answers,
			enterpriseUrl: 'https://enterprise.example',
			cloudUrl: 'https://cloud.example',
			agentUrl: 'https://agent.example',
			model: 'large',
		});
		assert.deepEqual(whole, {
			apiUrl: 'https://api.example',
			enterpriseUrl: 'https://enterprise.example',
			plan: 'enterprise',
			cloudUrl: 'https://cloud.example',
			agentUrl: 'https://agent.example',
			service: 'acme',
			models: [{ id: 'large', kinds: ['chat'] }],
		});
		assert.ok('connection' in readConnection('acme', { acme: whole }));
	});

	it('has the public plan without an enterprise host, whatever was chosen for one that was taken back', () => {
		assert.equal(toSetting(answers)['plan'], undefined);
		assert.equal(toSetting({ ...answers, enterpriseUrl: 'https://e.example', plan: 'public' })['plan'], undefined);
	});
});
