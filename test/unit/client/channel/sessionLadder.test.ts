import assert from 'node:assert/strict';
import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { ClientError } from '../../../../src/base/errors.ts';
import { RefusedAttestation } from '../../../../src/client/channel/verdicts.ts';
import type { AcceptedAttestation, Attested, Verdict } from '../../../../src/client/types.ts';
import { p384KeyPair } from '../../../support/contractServer/channelCryptography.ts';
import { Enclave } from '../../../support/enclave.ts';
import { sendJson } from '../../../support/faultServer.ts';
import { type TestClient, testClient } from '../testClient.ts';

describe('the verification ladder', () => {
	let enclave: Enclave;
	let client: TestClient;

	beforeEach(async () => {
		enclave = await Enclave.start();
		client = testClient('https://api.example', { fields: { encryptUrl: enclave.server.origin } });
	});
	afterEach(() => enclave.stop());

	const verdictOf = ({ verdicts }: Pick<AcceptedAttestation, 'verdicts'>, name: Verdict['check']) =>
		verdicts.find(({ check }) => check === name)?.verdict;
	const inputOf = ({ verdicts }: Pick<Attested, 'verdicts'>, name: Verdict['check']) =>
		verdicts.find(({ check }) => check === name)?.input;

	/** Opens in vain; what the ladder made of it. */
	async function refused(): Promise<RefusedAttestation> {
		const error = await client.channel.open({ confirm: () => assert.fail('asked') }).then(
			() => assert.fail('the attestation was taken'),
			error => error,
		);
		assert.ok(ClientError.is(error, 'tampered'));
		assert.ok(error.cause instanceof RefusedAttestation);
		assert.equal(enclave.messages.length, 0);
		return error.cause;
	}

	it('says of a record that comes again that it does, and of a new one that its time is not known', async () => {
		const freshness = async () => (await client.channel.attest()).verdicts.find(({ check }) => check === 'freshness');
		assert.deepEqual(await freshness(), { check: 'freshness', verdict: 'unknown', code: 'freshness-unknown' });
		assert.equal((await freshness())?.code, 'freshness-unknown');
		const record = enclave.attestations.at(-1);
		enclave.server.answer = response => sendJson(response, 200, record);
		assert.deepEqual(await freshness(), { check: 'freshness', verdict: 'unknown', code: 'freshness-again' });
	});

	it('says of each check what was seen, with its input, and claims nothing of what was not', async () => {
		const session = await client.channel.open();
		assert.deepEqual(
			session.verdicts.map(({ check, verdict }) => [check, verdict]),
			[
				['transport', 'pass'],
				['public-key', 'pass'],
				['signature', 'pass'],
				['nonce', 'pass'],
				['gpu-evidence', 'unknown'],
				['gpu-token', 'unknown'],
				['key-binding', 'unknown'],
				['freshness', 'unknown'],
				['memory', 'unknown'],
			],
		);
		assert.deepEqual(
			session.verdicts.map(({ code }) => code),
			[
				'way-loopback',
				'key-usable',
				'signature-holds',
				'nonce-new',
				'evidence-none',
				'token-form',
				'binding-no-hardware',
				'freshness-unknown',
				'memory-none',
			],
		);
		assert.deepEqual(session.attestation, enclave.attestations[0]);
		assert.equal(inputOf(session, 'transport'), `${enclave.server.origin}/attestation`);
		const { nonce_b64: nonce } = session.attestation;
		assert.equal(inputOf(session, 'nonce'), Buffer.from(nonce, 'base64').toString('hex'));
	});

	describe('takes the signature of report_json', () => {
		for (const digest of ['sha256', 'sha384'] as const) {
			for (const dsaEncoding of ['der', 'ieee-p1363'] as const) {
				const name = `${dsaEncoding === 'der' ? 'DER' : 'raw r‖s'}, ${digest.replace('sha', 'SHA-')}`;
				it(`as ${name}, and says so`, async () => {
					enclave.form = { digest, dsaEncoding };
					const session = await client.channel.open();
					assert.equal(verdictOf(session, 'signature'), 'pass');
					assert.equal(inputOf(session, 'signature'), name);
				});
			}
		}

		it('over the bytes as they came, whatever their spelling', async () => {
			enclave.alter = record => {
				const reportJson = '{ "arch" :\n\t"HOPPER", "maker": "\\u00e9 ⚓" }';
				return {
					...record,
					report_json: reportJson,
					report: { arch: 'HOPPER', maker: 'é ⚓' },
					signature: enclave.signReport(reportJson),
				};
			};
			assert.equal(verdictOf(await client.channel.open(), 'signature'), 'pass');
		});

		it('as unknown where report says something else, or report_json nothing that can be read', async () => {
			enclave.alter = record => ({ ...record, report: { ...(record['report'] as object), arch: 'BLACKWELL' } });
			assert.equal(verdictOf(await client.channel.open(), 'signature'), 'unknown');
			client = testClient('https://api.example', { fields: { encryptUrl: enclave.server.origin } });
			enclave.alter = record => ({ ...record, report_json: 'HOPPER', signature: enclave.signReport('HOPPER') });
			assert.equal(verdictOf(await client.channel.open(), 'signature'), 'unknown');
		});

		it('and nothing without a report', async () => {
			enclave.alter = ({ report: _, gpu_eat: __, ...record }) => record;
			assert.equal(verdictOf(await client.channel.open(), 'signature'), 'pass');
		});
	});

	const refusals: Record<string, [Verdict['check'], () => Enclave['alter']]> = {
		'a signature of something else': ['signature', () => record => ({ ...record, signature: enclave.signReport('x') })],
		'a report that was changed': [
			'signature',
			() => record => ({ ...record, report_json: `${record['report_json']} ` }),
		],
		'a signature by another key': [
			'signature',
			() => record => ({
				...record,
				signature: enclave.signReport(String(record['report_json']), p384KeyPair().privateKey),
			}),
		],
		'a signature with another hash': [
			'signature',
			() => record => {
				enclave.form = { ...enclave.form, digest: 'sha512' as 'sha384' };
				return { ...record, signature: enclave.signReport(String(record['report_json'])) };
			},
		],
		'a signature that is base64 of nothing known': [
			'signature',
			() => record => ({ ...record, signature: Buffer.alloc(96, 7).toString('base64') }),
		],
		'a key of another curve': [
			'public-key',
			() => record => ({ ...record, public_key: pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey) }),
		],
		'a key that is no PEM': ['public-key', () => record => ({ ...record, public_key: 'MHYwEAYHKoZIzj0CAQYFK4EEACID' })],
		'two keys': [
			'public-key',
			() => record => ({ ...record, public_key: `${record['public_key']}${record['public_key']}` }),
		],
		'a nonce that is too short': ['nonce', () => record => withNonce(record, Buffer.alloc(15, 1))],
		'a nonce that is too long': ['nonce', () => record => withNonce(record, Buffer.alloc(65, 1))],
		'another nonce than the one in the report': [
			'nonce',
			() => record => ({ ...record, nonce_b64: Buffer.alloc(32, 1).toString('base64') }),
		],
		'another nonce than the one in the token': [
			'nonce',
			() => record => ({ ...record, gpu_eat: jwt({ eat_nonce: '00'.repeat(32) }) }),
		],
		'another nonce than the one of a piece of evidence': [
			'nonce',
			() => record => withReport(record, [{ arch: 'HOPPER', nonce: '00'.repeat(32) }]),
		],
		'another nonce in a token of a device': [
			'nonce',
			() => record => ({ ...record, gpu_eat: [['JWT', jwt({})], { 'GPU-0': jwt({ eat_nonce: '00'.repeat(32) }) }] }),
		],
	};

	for (const [what, [check, alter]] of Object.entries(refusals)) {
		it(`refuses ${what}, and sends nothing`, async () => {
			enclave.alter = alter();
			const cause = await refused();
			assert.deepEqual(
				cause.verdicts.filter(({ verdict }) => verdict === 'fail').map(({ check }) => check),
				[check],
			);
			assert.deepEqual(cause.attestation, enclave.attestations[0]);
		});
	}

	for (const report of ['a text', 7, false, [1]]) {
		it(`does not overlook that report, ${JSON.stringify(report)}, is not what report_json says`, async () => {
			enclave.alter = record => ({ ...record, report });
			const attested = await client.channel.attest();
			assert.equal(verdictOf(attested, 'signature'), 'unknown');
			assert.deepEqual(attested.attestation.report, report);
		});
	}

	it('tells a token in another form from none', async () => {
		for (const [token, code] of [
			[{ a: 1 }, 'token-form'],
			[7, 'token-form'],
			[null, 'token-none'],
			[undefined, 'token-none'],
		] as const) {
			enclave.alter = record => ({ ...record, gpu_eat: token });
			const { verdicts } = await client.channel.attest();
			assert.equal(verdicts.find(({ check }) => check === 'gpu-token')?.code, code);
		}
	});

	for (const [what, spell] of [
		['digits', (nonce: Buffer) => nonce.toString('hex')],
		['capital digits', (nonce: Buffer) => nonce.toString('hex').toUpperCase()],
		['base64', (nonce: Buffer) => nonce.toString('base64')],
		['base64 for addresses', (nonce: Buffer) => nonce.toString('base64url')],
	] as const) {
		it(`knows the nonce in report and tokens, written as ${what}`, async () => {
			enclave.alter = record => {
				const nonce = spell(Buffer.from(String(record['nonce_b64']), 'base64'));
				const token = jwt({ eat_nonce: nonce });
				return withReport(
					{ ...record, gpu_eat: JSON.stringify([['JWT', token], { 'GPU-0': jwt({ eat_nonce: [nonce] }) }]) },
					[
						{ arch: 'HOPPER', nonce },
						{ arch: 'HOPPER', nonce },
					],
				);
			};
			assert.equal(verdictOf(await client.channel.open(), 'nonce'), 'pass');
		});
	}

	for (const [what, alter] of [
		['without a session', { session_id: undefined }],
		['without a key', { public_key: null }],
		['without a nonce', { nonce_b64: null }],
		['with a nonce that is no strict base64', { nonce_b64: 'AQ' }],
		['with a session that would break a line', { session_id: 'a\nb' }],
	] as const) {
		it(`takes no record ${what}`, async () => {
			enclave.alter = record => ({ ...record, ...alter });
			await assert.rejects(client.channel.open(), { code: 'bad-response' });
		});
	}

	describe('remembers', () => {
		it('which key a nonce came with, of all endpoints, but nothing of a record that it refused', async () => {
			const first = await client.channel.open();
			const { nonce_b64: nonce } = first.attestation;
			const again = (record: Record<string, unknown>) => withNonce(record, Buffer.from(nonce, 'base64'));
			enclave.alter = again;
			assert.equal(verdictOf(await client.channel.open(), 'nonce'), 'pass');
			enclave.keyPair = p384KeyPair();
			assert.equal(verdictOf(await refused(), 'nonce'), 'fail');
			enclave.alter = record => record;
			assert.equal(verdictOf(await client.channel.open(), 'nonce'), 'pass');
		});

		it('what was proven at an address before', async () => {
			assert.equal(verdictOf(await client.channel.open(), 'memory'), 'unknown');
			assert.equal(verdictOf(await client.channel.open(), 'memory'), 'pass');
			enclave.keyPair = p384KeyPair();
			const session = await client.channel.open();
			assert.equal(verdictOf(session, 'memory'), 'pass');
			assert.equal(session.verdicts.at(-1)?.code, 'memory-other-key');
		});

		it('the key that its reader knows, and asks about another one before anything is sent', async () => {
			const { keyFingerprint: knownKey } = await client.channel.open();
			assert.ok(knownKey);
			await client.channel.open({ knownKey });
			enclave.keyPair = p384KeyPair();
			await assert.rejects(client.channel.open({ knownKey }), (error: Error) => {
				assert.ok(error.cause instanceof RefusedAttestation);
				return error.cause.refusal === 'declined';
			});
			const asked: (string | undefined)[] = [];
			const session = await client.channel.open({
				knownKey,
				confirm: async (before, now) => {
					asked.push(before.keyFingerprint, now.keyFingerprint);
					return true;
				},
			});
			assert.deepEqual(asked, [knownKey, session.keyFingerprint]);
			assert.notEqual(session.keyFingerprint, knownKey);
		});

		it('nothing of what was only looked at, and refuses nothing of it', async () => {
			const { attestation, verdicts } = await client.channel.attest();
			assert.deepEqual(attestation, enclave.attestations[0]);
			assert.equal(verdictOf({ verdicts }, 'memory'), 'unknown');
			enclave.alter = record => ({ ...record, signature: enclave.signReport('x') });
			assert.equal(verdictOf(await client.channel.attest(), 'signature'), 'fail');
			enclave.alter = record => record;
			assert.equal(verdictOf(await client.channel.open(), 'memory'), 'unknown');
			assert.equal(enclave.messages.length, 0);
		});

		it('demands proof of the hardware where that is wanted, and sends nothing without', async () => {
			await assert.rejects(client.channel.open({ requireHardwareProof: true }), (error: Error) => {
				assert.ok(ClientError.is(error, 'not-supported'));
				assert.ok(error.cause instanceof RefusedAttestation);
				return error.cause.refusal === 'proof-demanded' && /gpu-evidence.*freshness/.test(error.message);
			});
			assert.equal(enclave.messages.length, 0);
		});

		it('and asks where less is proven than before; without a yes nothing is sent', async () => {
			await client.channel.open();
			enclave.alter = record => ({ ...record, report: { arch: 'another' } });
			await assert.rejects(client.channel.open(), { code: 'tampered' });
			await assert.rejects(client.channel.open({ confirm: () => Promise.resolve(false) }), { code: 'tampered' });
			const asked: AcceptedAttestation['verdicts'][] = [];
			const session = await client.channel.open({
				confirm: async (before, now) => {
					asked.push(before.verdicts, now.verdicts);
					return true;
				},
			});
			assert.deepEqual(
				asked.map(verdicts => verdictOf({ verdicts }, 'signature')),
				['pass', 'unknown'],
			);
			assert.equal(verdictOf(session, 'memory'), 'fail');
			const { code, values } = session.verdicts.at(-1) ?? {};
			assert.deepEqual([code, values], ['memory-less', ['signature']]);
			assert.equal(verdictOf(await client.channel.open(), 'memory'), 'pass');
		});

		it('each address and each client for itself', async () => {
			await client.channel.open();
			enclave.alter = record => ({ ...record, report: { arch: 'another' } });
			const elsewhere = testClient('https://api.example', { fields: { orgUrl: enclave.server.origin } });
			for (const model of ['large', 'small']) {
				const session = await elsewhere.channel.open({ model, provider: 'fast-host' });
				assert.equal(verdictOf(session, 'memory'), 'unknown');
			}
		});
	});

	it('names the key by the fingerprint of its SubjectPublicKeyInfo', async () => {
		const session = await client.channel.open();
		const spki = createPublicKey(session.attestation.public_key).export({ type: 'spki', format: 'der' });
		assert.equal(inputOf(session, 'public-key'), `SHA-256 ${createHash('sha256').update(spki).digest('hex')}`);
	});

	type Fields = Record<string, unknown>;

	function withReport(record: Fields, report: unknown): Fields {
		const reportJson = JSON.stringify(report);
		return { ...record, report, report_json: reportJson, signature: enclave.signReport(reportJson) };
	}

	/** The same nonce everywhere. */
	function withNonce(record: Fields, nonce: Buffer): Fields {
		return withReport({ ...record, nonce_b64: nonce.toString('base64') }, { eat_nonce: nonce.toString('hex') });
	}
});

function pem(key: { export(options: { type: 'spki'; format: 'pem' }): string | Buffer }): string {
	return key.export({ type: 'spki', format: 'pem' }).toString();
}

/** Unsigned: nothing here looks at the signature. */
function jwt(claims: object): string {
	return ['{}', JSON.stringify(claims), ''].map(part => Buffer.from(part).toString('base64url')).join('.');
}
