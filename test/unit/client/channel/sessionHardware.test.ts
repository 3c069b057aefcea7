import assert from 'node:assert/strict';
import { createHash, createPublicKey, randomBytes } from 'node:crypto';
import { ClientError } from '../../../../src/base/errors.ts';
import { ChannelMemory } from '../../../../src/client/channel/memory.ts';
import { RefusedAttestation } from '../../../../src/client/channel/verdicts.ts';
import type { Attested, ChannelOpenOptions, Verdict } from '../../../../src/client/types.ts';
import { p384KeyPair } from '../../../support/contractServer/channelCryptography.ts';
import { Enclave } from '../../../support/enclave.ts';
import { FaultServer, sendJson } from '../../../support/faultServer.ts';
import { type Device, GpuMaker, ISSUER } from '../../../support/gpuMaker.ts';
import { detachedToken, deviceClaims } from '../../../support/makerTokens.ts';
import { type TestClient, testClient } from '../testClient.ts';

const maker = new GpuMaker();
const gpu = maker.device();
const history = [{ role: 'user', content: 'Is it so?' }] as const;

type Fields = Record<string, unknown>;

describe('the hardware behind a session', () => {
	let enclave: Enclave;
	let keyServer: FaultServer;
	let memory: ChannelMemory;
	let client: TestClient;

	beforeEach(async () => {
		enclave = await Enclave.start();
		keyServer = await FaultServer.start(response => sendJson(response, 200, maker.keySet()));
		memory = new ChannelMemory();
		client = newClient();
	});
	afterEach(() => Promise.all([enclave.stop(), keyServer.stop()]));

	function newClient(): TestClient {
		const authority = {
			rootFingerprint: maker.rootFingerprint,
			issuer: ISSUER,
			keyAddress: `${keyServer.origin}/keys`,
		};
		return testClient('https://api.example', {
			fields: { encryptUrl: enclave.server.origin },
			channel: { memory, authority },
		});
	}

	const verdictsOf = ({ verdicts }: Pick<Attested, 'verdicts'>, ...names: Verdict['check'][]) =>
		names.map(name => verdicts.find(({ check }) => check === name)?.verdict);
	const codeOf = ({ verdicts }: Pick<Attested, 'verdicts'>, name: Verdict['check']) =>
		verdicts.find(({ check }) => check === name)?.code;

	/** Genuine evidence of the devices, and a genuine token of the same or others, for a nonce. */
	function prove(
		nonce: (record: Fields) => Buffer = () => randomBytes(32),
		devices: Device[] = [gpu],
		named: Device[] = devices,
	): Enclave['alter'] {
		return record => {
			const own = nonce(record);
			const now = client.clock.now();
			const reportJson = JSON.stringify(devices.map(device => maker.evidence(device, { nonce: own })));
			const claims = named.map((device, index) => [`GPU-${index}`, deviceClaims(device, own, now)]);
			return {
				...record,
				nonce_b64: own.toString('base64'),
				report_json: reportJson,
				report: JSON.parse(reportJson),
				signature: enclave.signReport(reportJson),
				gpu_eat: detachedToken(maker, Object.fromEntries(claims), { nonce: own, now }),
			};
		};
	}

	async function refused(options: ChannelOpenOptions = {}): Promise<RefusedAttestation> {
		const error = await client.channel.open(options).then(
			() => assert.fail('the attestation was taken'),
			error => error,
		);
		assert.ok(ClientError.is(error));
		assert.ok(error.cause instanceof RefusedAttestation);
		assert.equal(enclave.messages.length, 0);
		return error.cause;
	}

	const askMaker = () => Promise.resolve(true);

	it('is genuine and still proves nothing of the key, which may be an attacker’s own', async () => {
		enclave.keyPair = p384KeyPair();
		enclave.alter = prove();
		const session = await client.channel.open({ askMaker });
		assert.deepEqual(verdictsOf(session, 'gpu-evidence', 'gpu-token', 'key-binding', 'freshness'), [
			'pass',
			'pass',
			'unknown',
			'unknown',
		]);
		assert.equal(codeOf(session, 'key-binding'), 'binding-other');
		assert.equal(session.devices.length, 1);
	});

	for (const [what, hashOf] of Object.entries<(pem: string) => Buffer>({
		'the SubjectPublicKeyInfo': pem =>
			createHash('sha256')
				.update(createPublicKey(pem).export({ type: 'spki', format: 'der' }))
				.digest(),
		'the point': pem => {
			const spki = createPublicKey(pem).export({ type: 'spki', format: 'der' });
			return createHash('sha256').update(spki.subarray(-97)).digest();
		},
		'the PEM text': pem => createHash('sha256').update(pem).digest(),
	})) {
		it(`is bound to the key where the nonce that it signed is a hash of ${what}`, async () => {
			enclave.alter = prove(record => hashOf(String(record['public_key'])));
			const session = await client.channel.open();
			assert.deepEqual(verdictsOf(session, 'gpu-evidence', 'key-binding'), ['pass', 'pass']);
		});
	}

	it('is refused where the token is of another GPU than the evidence, which may be revoked, under one nonce', async () => {
		enclave.alter = prove(undefined, [gpu], [maker.device()]);
		const cause = await refused({ askMaker, confirm: () => assert.fail('asked') });
		assert.deepEqual(verdictsOf(cause, 'gpu-evidence', 'gpu-token'), ['pass', 'fail']);
		assert.equal(codeOf(cause, 'gpu-token'), 'token-other-hardware');
	});

	it('is not proven by a token without evidence, whatever nonce it is for', async () => {
		const bound = prove(record => createHash('sha256').update(String(record['public_key'])).digest());
		enclave.alter = record => {
			const { report, report_json, signature, ...rest } = bound(record);
			const reportJson = '{}';
			return { ...rest, report: {}, report_json: reportJson, signature: enclave.signReport(reportJson) };
		};
		const session = await client.channel.open({ askMaker });
		const checks = ['gpu-evidence', 'gpu-token', 'key-binding'] as const;
		assert.deepEqual(verdictsOf(session, ...checks), ['unknown', 'unknown', 'unknown']);
		assert.deepEqual(
			checks.map(check => codeOf(session, check)),
			['evidence-none', 'token-untied', 'binding-no-hardware'],
		);
		await assert.rejects(client.channel.open({ askMaker, requireHardwareProof: true }), { code: 'not-supported' });
	});

	it('is not bound to the key by a nonce that only the record itself says', async () => {
		enclave.alter = record => {
			const nonce = createHash('sha256').update(String(record['public_key'])).digest();
			const reportJson = JSON.stringify({ eat_nonce: nonce.toString('hex') });
			return {
				...record,
				nonce_b64: nonce.toString('base64'),
				report_json: reportJson,
				report: JSON.parse(reportJson),
				signature: enclave.signReport(reportJson),
			};
		};
		const session = await client.channel.open();
		assert.deepEqual(verdictsOf(session, 'gpu-evidence', 'key-binding'), ['unknown', 'unknown']);
	});

	it('is never asked about at its maker without a yes, and the check is unknown then', async () => {
		enclave.alter = prove();
		for (const options of [
			{},
			{ askMaker: () => Promise.resolve(false) },
			{ askMaker: () => Promise.reject(Error()) },
		]) {
			const session = await client.channel.open(options);
			assert.deepEqual(verdictsOf(session, 'gpu-token'), ['unknown']);
			assert.equal(codeOf(session, 'gpu-token'), 'token-keys-declined');
		}
		assert.equal(keyServer.received.length, 0);
	});

	it('is no longer asked about once no caller waits for it', async () => {
		enclave.alter = prove();
		const controller = new AbortController();
		const never = () => {
			controller.abort();
			return new Promise<boolean>(() => {});
		};
		const attested = client.channel.attest({ askMaker: never, signal: controller.signal });
		await assert.rejects(attested, { code: 'aborted' });
		assert.equal(keyServer.received.length, 0);
	});

	it('is asked about at its maker without a key, a cookie or a word of the conversation', async () => {
		enclave.alter = prove();
		await (await client.channel.open({ askMaker })).send(history);
		const [request] = keyServer.received;
		assert.ok(request);
		assert.equal(request.body, '');
		assert.equal(request.headers.authorization, undefined);
		assert.equal(request.headers.cookie, undefined);
		assert.equal(keyServer.received.length, 1);
	});

	for (const [what, check, alter] of [
		['evidence that is forged', 'gpu-evidence', () => prove(undefined, [new GpuMaker().device()])],
		[
			'a token that is forged',
			'gpu-token',
			() => (record: Fields) => ({
				...prove()(record),
				gpu_eat: maker.token({ 'x-nvidia-overall-att-result': true }, { key: p384KeyPair().privateKey }),
			}),
		],
	] as const) {
		it(`refuses ${what}, does not ask whether to go on, and sends nothing`, async () => {
			enclave.alter = alter();
			const cause = await refused({ askMaker, confirm: () => assert.fail('asked') });
			assert.equal(cause.refusal, 'failed');
			assert.deepEqual(verdictsOf(cause, check), ['fail']);
		});
	}

	it('asks when another set of GPUs answers, also after a restart, and sends nothing without a yes', async () => {
		enclave.alter = prove();
		await client.channel.open();
		client = newClient();
		await client.channel.open({ confirm: () => assert.fail('asked') });
		enclave.alter = prove(undefined, [gpu, maker.device()]);
		const cause = await refused();
		assert.equal(cause.refusal, 'declined');
		assert.equal(codeOf(cause, 'memory'), 'memory-devices');
		const session = await client.channel.open({ confirm: () => Promise.resolve(true) });
		assert.equal(session.devices.length, 2);
	});

	it('asks when the evidence is gone', async () => {
		enclave.alter = prove();
		await client.channel.open();
		enclave.alter = record => record;
		const { verdicts } = await refused();
		assert.deepEqual(verdicts.at(-1)?.values, ['gpu-evidence']);
	});

	it('asks when a renewed session proves less, and nothing is sent without a yes', async () => {
		enclave.alter = prove();
		const session = await client.channel.open();
		enclave.expire();
		enclave.alter = record => record;
		await assert.rejects(session.send(history), { code: 'tampered' });
		assert.equal(enclave.messages.filter(({ history }) => history !== undefined).length, 0);
	});

	it('blocks where proof is demanded and anything of it is open', async () => {
		enclave.alter = prove(record => createHash('sha256').update(String(record['public_key'])).digest());
		const cause = await refused({ askMaker, requireHardwareProof: true });
		assert.equal(cause.refusal, 'proof-demanded');
		assert.deepEqual(verdictsOf(cause, 'gpu-evidence', 'gpu-token', 'key-binding', 'freshness'), [
			'pass',
			'pass',
			'pass',
			'unknown',
		]);
	});

	it('leaves nothing of evidence, tokens or keys in the log', async () => {
		enclave.alter = prove();
		const session = await client.channel.open({ askMaker });
		await session.send(history);
		const { session_id: id, gpu_eat: token } = session.attestation;
		const secrets = [id, 'sk-inference', 'Is it so?', 'So it is.', JSON.stringify(token).slice(20, 80)];
		const log = client.logged.join('\n');
		assert.ok(log.length > 0);
		for (const secret of secrets) {
			assert.ok(!log.includes(secret), secret);
		}
	});
});
