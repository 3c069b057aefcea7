import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { EncryptedSession } from '../../src/channel/api.ts';
import type { ChannelConsent } from '../../src/channel/channelConsent.ts';
import { Encrypted } from '../../src/channel/encrypted.ts';
import { explainChannelError } from '../../src/channel/errorMessages.ts';
import { changeWords, sessionText } from '../../src/channel/messages.ts';
import { ChannelMemory, type MemoryStore } from '../../src/client/channel/memory.ts';
import { createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import type { Client } from '../../src/client/types.ts';
import { connectionSchema } from '../../src/contract/connection.ts';
import { internalCommands } from '../../src/platform/ids.ts';
import { p384KeyPair } from '../support/contractServer/channelCryptography.ts';
import { answerEvents, Enclave } from '../support/enclave.ts';
import { sendJson } from '../support/faultServer.ts';
import { waitFor } from '../support/waitFor.ts';

const history = [{ role: 'user', content: 'Is it so?' }] as const;

describe('an encrypted session for a conversation', () => {
	let enclave: Enclave;
	let store: MemoryStore;
	let client: Client;
	let isLocal: boolean;
	let takesNewKeys: boolean;
	let answer: boolean;
	let asked: string[];
	/** Fields of the connection that a test changes. */
	let scoped: Record<string, unknown>;
	const models = [{ id: 'large', kinds: ['encrypted'], channelProvider: 'fast' }];

	beforeEach(async () => {
		enclave = await Enclave.start();
		enclave.answer = answerEvents(({ seal }) => [seal('So it is.'), '[DONE]']);
		let state: unknown;
		store = {
			read: () => state,
			write: written => {
				state = written;
			},
		};
		scoped = {};
		client = newClient();
		[isLocal, takesNewKeys, answer, asked] = [false, false, false, []];
	});
	afterEach(async () => {
		await setPolicy(undefined);
		await setWholeReplies(undefined);
		await enclave.stop();
	});

	const connection = () => ({
		name: 'acme',
		...connectionSchema.parse({
			apiUrl: 'https://api.example',
			service: 'acme',
			encryptUrl: enclave.server.origin,
			...scoped,
		}),
	});
	const newClient = () =>
		createClient({
			connection: connection(),
			keys: () => Promise.resolve('sk-key'),
			transport: createFetchTransport((input, init) => globalThis.fetch(input, init)),
			channel: { memory: new ChannelMemory(store) },
		});
	const setPolicy = (value: boolean | undefined) =>
		vscode.workspace
			.getConfiguration()
			.update('errand.channel.requireHardwareProof', value, vscode.ConfigurationTarget.Global);

	const setWholeReplies = (value: boolean | undefined) =>
		vscode.workspace.getConfiguration().update('errand.channel.wholeReplies', value, vscode.ConfigurationTarget.Global);

	function encrypted(): Encrypted {
		const consent: Pick<ChannelConsent, 'askMaker' | 'confirm' | 'takesNewKeys'> = {
			askMaker: () => Promise.resolve(false),
			takesNewKeys: () => takesNewKeys,
			confirm: async name => {
				asked.push(name);
				return answer;
			},
		};
		const active = async () => ({ client, connection: connection(), label: 'Acme', isLocal });
		return new Encrypted({ active, store, consent: consent as ChannelConsent });
	}

	async function read(session: EncryptedSession, isWhole = false): Promise<string> {
		let text = '';
		for await (const event of session.stream(history, { isWhole })) {
			text += event.text;
		}
		return text;
	}

	it('claims no more than was proven, and has a confirmed key after the first reply', async () => {
		const [place] = (await encrypted().offer()).channels;
		assert.ok(place);
		const session = await encrypted().open(place.address);
		let changes = 0;
		session.onDidChangeBadge(() => changes++);
		assert.equal(session.badge.label, 'Encrypted');
		assert.equal(await read(session), 'So it is.');
		assert.deepEqual(session.badge, {
			label: 'Encrypted, key confirmed',
			details: [
				'GPU evidence not proven',
				'Not proven: that the key lives in a GPU; freshness; which software',
				'Each part is signed; order and completeness of a streamed reply aren’t proven',
			],
		});
		assert.equal(await read(session), 'So it is.');
		assert.equal(changes, 1);
		await session.close();
	});

	it('says of the local service that it has no hardware', async () => {
		isLocal = true;
		const session = await encrypted().open({});
		await read(session);
		assert.deepEqual(session.badge, {
			label: 'Local: encrypted, no hardware',
			details: ['Each part is signed; order and completeness of a streamed reply aren’t proven'],
		});
	});

	describe('whose reply loses a part on its way', () => {
		const UNPROVEN = /order and completeness of a streamed reply aren’t proven/;
		/** Edits the frames as a front without the key can. */
		const edited = (frames: unknown[]) => frames.filter((_, index) => index !== 1);

		beforeEach(() => {
			enclave.answer = (response, message) => {
				const parts = ['Do ', 'not ', 'delete it.'];
				if (message.path.endsWith('_stream')) {
					return answerEvents(({ seal }) => [...edited(parts.map(part => seal(part))), '[DONE]'])(response, message);
				}
				sendJson(response, 200, message.seal(parts.join('')));
			};
		});

		it('never calls a streamed reply proven, because the loss cannot be seen in one', async () => {
			const session = await encrypted().open({});
			assert.equal(await read(session), 'Do delete it.');
			assert.match(session.badge.details.join(), UNPROVEN);
			await setWholeReplies(true);
			assert.match(session.badge.details.join(), UNPROVEN, 'of the reply that is there it stays true');
		});

		it('asks for whole replies if the settings say so, and then says nothing about streamed ones', async () => {
			await setWholeReplies(true);
			const session = await encrypted().open({});
			assert.equal(await read(session), 'Do not delete it.');
			assert.deepEqual(
				enclave.messages.map(({ path }) => path),
				['/message'],
			);
			assert.equal(session.badge.label, 'Encrypted, key confirmed');
			assert.doesNotMatch(session.badge.details.join(), UNPROVEN);
			assert.match(session.badge.details.join(), /that nothing is missing at the end of a reply$/);
			let changes = 0;
			session.onDidChangeBadge(() => changes++);
			await setWholeReplies(false);
			await waitFor('the badge to follow the setting', () => changes === 1);
			assert.match(session.badge.details.join(), UNPROVEN);
		});

		it('offers whole replies where what streams is no encrypted reply, and goes on with them', async () => {
			const { answer } = enclave;
			enclave.answer = (response, message) =>
				message.path.endsWith('_stream')
					? void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>')
					: answer(response, message);
			const session = await encrypted().open({});
			const error = await read(session).catch((reason: unknown) => reason);
			assert.equal(session.hasEnded, false);
			const { message, action } = explainChannelError(error, 'Acme', { wasStreamed: true });
			assert.match(
				message,
				/^Acme didn’t stream a valid encrypted reply.* The session continues\. Request whole replies, or/,
			);
			assert.equal(action?.command, internalCommands.askForWholeReplies);
			assert.match(
				explainChannelError(error, 'Acme').message,
				/^A web page, such as a sign-in page, responded instead of Acme/,
			);
			assert.equal(await read(session, true), 'Do not delete it.');
			assert.equal(session.badge.label, 'Encrypted, key confirmed');
			assert.doesNotMatch(session.badge.details.join(), UNPROVEN);
		});

		it('never shows a whole reply that was changed, and ends with it', async () => {
			await setWholeReplies(true);
			const session = await encrypted().open({});
			enclave.answer = (response, { seal }) => {
				const { ciphertext, ...sealed } = seal('Do not delete it.');
				const bytes = Buffer.from(ciphertext, 'base64');
				sendJson(response, 200, {
					...sealed,
					ciphertext: Buffer.concat([bytes.subarray(0, 3), bytes.subarray(7)]).toString('base64'),
				});
			};
			await assert.rejects(read(session), { code: 'tampered' });
			assert.equal(session.hasEnded, true);
		});
	});

	it('asks about another key before anything is sent, and takes no for an answer', async () => {
		await encrypted().open({});
		enclave.keyPair = p384KeyPair();
		const error = await encrypted()
			.open({})
			.catch((error: unknown) => error);
		assert.match(explainChannelError(error, 'Acme').message, /^Nothing was sent: the attestation of Acme has changed/);
		assert.deepEqual(asked, ['Acme']);
		answer = true;
		assert.equal(await read(await encrypted().open({})), 'So it is.');
		assert.equal(enclave.messages.length, 1);
	});

	it('takes new keys unasked where the user said so, and of the local service, but never less proof', async () => {
		await encrypted().open({});
		for (const set of [() => (takesNewKeys = true), () => (isLocal = true)]) {
			[takesNewKeys, isLocal] = [false, false];
			set();
			enclave.keyPair = p384KeyPair();
			await encrypted().open({});
		}
		assert.deepEqual(asked, []);
		enclave.alter = record => ({ ...record, report: { arch: 'another' } });
		await assert.rejects(encrypted().open({}));
		assert.deepEqual(asked, ['Acme']);
	});

	it('does not begin without proof of the hardware where the settings demand it', async () => {
		await setPolicy(true);
		const error = await encrypted()
			.open({})
			.catch((error: unknown) => error);
		assert.match(explainChannelError(error, 'Acme').message, /requireHardwareProof requires proof/);
		assert.equal(enclave.messages.length, 0);
	});

	it('sends nothing more without that proof once the settings have come to demand it', async () => {
		const session = await encrypted().open({});
		assert.equal(await read(session), 'So it is.');
		await setPolicy(true);
		const error = await read(session).catch((error: unknown) => error);
		assert.match(
			explainChannelError(error, 'Acme').message,
			/^Nothing was sent: .+requireHardwareProof requires proof/,
		);
		assert.equal(enclave.messages.length, 1);
	});

	it('asks about another key even if the place is named by its model alone', async () => {
		scoped = { orgUrl: enclave.server.origin, encryptUrl: undefined, models };
		client = newClient();
		const [place] = (await encrypted().offer()).channels;
		await encrypted().open(place?.address ?? {});
		enclave.keyPair = p384KeyPair();
		await assert.rejects(encrypted().open({ model: 'large' }));
		assert.deepEqual(asked, ['Acme']);
	});

	it('tells of its badge whenever another key answers, and takes new keys from when the user says so', async () => {
		const session = await encrypted().open({});
		let changes = 0;
		session.onDidChangeBadge(() => changes++);
		await read(session);
		takesNewKeys = true;
		enclave.keyPair = p384KeyPair();
		enclave.expire();
		enclave.answer = response => void response.writeHead(500).end();
		await assert.rejects(read(session));
		assert.equal(session.badge.label, 'Encrypted');
		assert.equal(changes, 2);
		assert.deepEqual(asked, []);
	});

	it('names in words what is no longer proven, and what else has changed', async () => {
		const now = await client.channel.attest();
		const worse = now.verdicts.map(verdict =>
			verdict.check === 'memory' ? { ...verdict, verdict: 'fail' as const } : verdict,
		);
		const before = { verdicts: now.verdicts, keyFingerprint: now.keyFingerprint ?? '', devices: [] };
		const proven = { ...before, verdicts: [{ check: 'gpu-evidence', verdict: 'pass' }] as const };
		const other = { ...before, keyFingerprint: 'another' };
		for (const [was, is, message, detail] of [
			[proven, { ...now, verdicts: worse }, /proves less/, /^No longer proven: GPU evidence\./],
			[before, { ...now, verdicts: worse }, /proves less/, /^The evidence is from different GPUs/],
			[other, now, /has a different key/, /restarted/],
			[before, now, /has changed/, /restarted/],
		] as const) {
			for (const [wasSent, sending] of [
				[false, /Nothing has been sent\.$/],
				[true, /was already sent once, encrypted for the attestation that you accepted\.$/],
			] as const) {
				const words = changeWords('Acme', was, is, { wasSent });
				assert.match(words.message, message);
				assert.match(words.detail, detail);
				assert.match(words.detail, sending);
			}
		}
	});

	it('says in words whether an attestation serves many messages, as the service takes them', async () => {
		const words = async () => sessionText((await client.channel.attest()).needsSessionPerMessage);
		const session = await encrypted().open({});
		await read(session);
		await read(session);
		assert.match(await words(), /^An attestation is used for many messages, each with its own key$/);
		enclave.bindsKeys = 403;
		await read(session);
		await read(session);
		assert.match(await words(), /^Each message uses its own attestation because the service rejected a second/);
	});

	it('never calls a message unsent that went out before its session had expired', async () => {
		const session = await encrypted().open({});
		enclave.keyPair = p384KeyPair();
		enclave.expire();
		const error = await read(session).catch((error: unknown) => error);
		assert.equal(enclave.messages.length, 1);
		assert.match(
			explainChannelError(error, 'Acme').message,
			/^Not sent again: the attestation of Acme has changed.+The message was already sent once, encrypted/,
		);
	});

	it('says in words what ended it', async () => {
		const session = await encrypted().open({});
		enclave.answer = answerEvents(({ seal }) => [{ ...seal('x'), nonce: 1 }, '[DONE]']);
		const error = await read(session).catch((error: unknown) => error);
		const { message, action } = explainChannelError(error, 'Acme');
		assert.match(message, /^The reply of Acme was modified in transit.+The encrypted session has ended/);
		assert.equal(action?.command, 'errand.newEncryptedConversation');
		enclave.alter = record => ({ ...record, signature: enclave.signReport('another') });
		const refused = await encrypted()
			.open({})
			.catch((error: unknown) => error);
		const refusal = explainChannelError(refused, 'Acme');
		assert.match(refusal.message, /failed the check “Signature of the report”/);
		assert.equal(refusal.action?.command, 'errand.showAttestation');
	});
});
