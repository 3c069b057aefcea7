import assert from 'node:assert/strict';
import { findSecrets, isSecretName } from '../../../../src/chat/model/secrets.ts';
import { processorMs } from '../../../support/processorTime.ts';

/** Put together here, so that no scanner takes this file for a leak. */
const key = (...parts: string[]) => parts.join('');

describe('likely secrets', () => {
	it('are known by the names of files', () => {
		for (const name of [
			'.env',
			'app/.env.production',
			'id_ed25519',
			'tls/server.key',
			'cert.pem',
			'secrets.yaml',
			'prod.tfvars',
			'.npmrc',
		]) {
			assert.ok(isSecretName(name), name);
		}
	});

	it('are not names of examples, public keys and code', () => {
		for (const name of [
			'.env.example',
			'.env.sample',
			'id_rsa.pub',
			'environment.ts',
			'src/secrets.ts',
			'keyboard.ts',
			'env',
			'token.go',
			'monkey.md',
		]) {
			assert.ok(!isSecretName(name), name);
		}
	});

	const found: [string, string][] = [
		['private-key', key('-----BEGIN ', 'PRIVATE KEY-----')],
		['private-key', key('-----BEGIN RSA ', 'PRIVATE KEY-----')],
		['private-key', key('-----BEGIN OPENSSH ', 'PRIVATE KEY-----')],
		['access-key', key('aws_id = AKIA', 'Q3EGRZ7LW2MJ5T8V')],
		['access-key', key('ghp_', 'a8Kd02mPq7Zr4Tn6Xw1Vb9Yc3Lf5Hs0JgU2e')],
		['access-key', key('key: sk-', 'proj-a8Kd02mPq7Zr4Tn6Xw1Vb9Yc3')],
		['password', 'password = "hunter42-Lk9w"'],
		['password', 'API_KEY=9f8a7b6c5d4e3f2a1b0c'],
		['password', "  client_secret: 'q8Zr4Tn6Xw1V',"],
		['address', 'postgres://app:s3cr3t9x@db.internal/app'],
	];
	for (const [kind, line] of found) {
		it(`are seen: ${kind} in ${line.slice(0, 14)}…`, () => {
			assert.deepEqual(findSecrets(`first\n${line}\n`), [{ kind, line: 2 }]);
		});
	}

	const clean = [
		'const password = readPassword();',
		'password: string;',
		'password = process.env.PASSWORD_1',
		key('token: `$', '{TOKEN_1}`'),
		'API_KEY=<your-api-key-1>',
		'API_KEY=your_api_key_here_1',
		'secret: "xxxxxxxxxxxx1"',
		key('AKIA', 'IOSFODNN7EXAMPLE'),
		'const tokens = countTokens(text1);',
		'postgres://user:<password>@host/db',
		'https://example.com:8080/a@b',
		key('-----BEGIN ', 'PUBLIC KEY-----'),
		'The task-list and sk-learn tutorials, risk-assessment-2024-final-version',
		'passwordField.value = otherField1.value2',
	];
	for (const line of clean) {
		it(`are not seen in ${line.slice(0, 44)}`, () => {
			assert.deepEqual(findSecrets(line), []);
		});
	}

	it('are named a few at most, and a hostile line takes no time', () => {
		assert.equal(findSecrets('password = "hunter42-Lk9w"\n'.repeat(100)).length, 5);
		const spent = processorMs(() => {
			findSecrets('secret token '.repeat(200_000));
			findSecrets(`${'eyJ'.repeat(300_000)}\n${'a://'.repeat(200_000)}`);
		});
		assert.ok(spent < 5_000, `${spent} ms`);
	});
});
