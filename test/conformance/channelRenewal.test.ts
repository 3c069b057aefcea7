import assert from 'node:assert/strict';
import type { ChannelOpenOptions, ChannelSession } from '../../src/client/types.ts';
import { channelReply } from '../support/contractServer/fixtures.ts';
import { attestationsOf, history, messagesTo, read, whole } from './channelProofs.ts';
import { standIn } from './enclaveStandIn.ts';
import { type ProofContext, prove } from './harness.ts';

const RENEWAL = ['unspecified/encrypted-channel/6', 'encrypted-channel/states-and-transitions/5'];

type Confirm = NonNullable<ChannelOpenOptions['confirm']>;

/**
 * Replaces the enclave with one whose first attestation leaves open what the later ones prove: `report` says something
 * else than the report that is signed. So its verdict changes, and nothing that was proven is lost.
 */
function provesMoreLater(server: ProofContext['server']): void {
	let count = 0;
	standIn(server, undefined, record => (count++ === 0 ? { ...record, report: { arch: 'another' } } : record));
}

/** Answers the next message with 409. */
function expireOnce(server: ProofContext['server']): void {
	let isExpired = true;
	server.answer(
		({ method }) => method === 'POST' && isExpired,
		() => {
			isExpired = false;
			return { status: 409, headers: {}, json: { error: 'Expired' } };
		},
	);
}

/** Answers the next request for an attestation with 404. */
function failOnce(server: ProofContext['server']): void {
	let isFailing = true;
	server.answer(
		({ path }) => path.endsWith('/attestation') && isFailing,
		() => {
			isFailing = false;
			return { status: 404, headers: {}, json: { error: 'Not now' } };
		},
	);
}

const signatureOf = (verdicts: readonly { check: string; verdict: string }[]) =>
	verdicts.find(({ check }) => check === 'signature')?.verdict;

/** The two ways of sending a message. */
const ways: Record<string, (session: ChannelSession) => Promise<string>> = {
	'a whole reply': async session => (await session.send(history)).text,
	'a streamed reply': async session => (await read(session.stream(history))).join(''),
};

describe('the renewal of a session of the encrypted channel', () => {
	for (const [way, send] of Object.entries(ways)) {
		prove(RENEWAL, `asks about a verdict that changes, though more is proven, before ${way}`, async context => {
			const { connect, server } = context;
			for (const isExpired of [true, false]) {
				for (const answer of [true, false, undefined]) {
					provesMoreLater(server);
					const asked: Parameters<Confirm>[] = [];
					const confirm: Confirm = async (...question) => {
						asked.push(question);
						return answer === true;
					};
					// Another client remembers nothing of the attestations before.
					const session = await connect().channel.open(answer === undefined ? {} : { confirm });
					assert.equal(signatureOf(session.verdicts), 'unknown');
					expireOnce(server);
					if (!isExpired) {
						// A message finds the session expired and no other, so the next one needs an attestation first.
						failOnce(server);
						await assert.rejects(send(session), { code: 'not-found' });
					}
					const sent = messagesTo(server).length;
					if (answer === true) {
						assert.equal(await send(session), whole);
						assert.equal(signatureOf(session.verdicts), 'pass');
						assert.equal(await send(session), whole);
					} else {
						await assert.rejects(send(session), { code: 'session-expired' });
						assert.equal(messagesTo(server).length, sent + (isExpired ? 1 : 0));
						assert.equal(signatureOf(session.verdicts), 'unknown');
					}
					assert.equal(asked.length, answer === undefined ? 0 : 1);
					for (const [before, now, { wasSent }] of asked) {
						assert.deepEqual([signatureOf(before.verdicts), signatureOf(now.verdicts)], ['unknown', 'pass']);
						assert.equal(before.keyFingerprint, now.keyFingerprint);
						assert.equal(wasSent, isExpired);
					}
				}
			}
		});
	}

	prove(RENEWAL, 'asks at its start about a key other than the known one, before anything is sent', async context => {
		const { client, server } = context;
		for (const answer of [false, true]) {
			const asked: Parameters<Confirm>[] = [];
			const confirm: Confirm = async (...question) => {
				asked.push(question);
				return answer;
			};
			const opening = client.channel.open({ knownKey: 'ab'.repeat(32), confirm });
			if (answer) {
				await opening;
			} else {
				await assert.rejects(opening, { code: 'session-expired' });
			}
			assert.equal(asked.length, 1);
			assert.deepEqual(asked[0]?.[2], { wasSent: false });
		}
		assert.deepEqual(messagesTo(server), []);
	});

	prove(RENEWAL, 'asks nothing while key and verdicts stay the same', async ({ client, server }) => {
		const session = await client.channel.open({ confirm: () => assert.fail('it asked') });
		for (let count = 0; count < 2; count++) {
			assert.equal((await session.send(history)).text, whole);
			server.expireSessions();
			assert.deepEqual(await read(session.stream(history)), channelReply.pieces);
		}
		assert.equal(attestationsOf(server).length, 3);
		assert.equal(messagesTo(server).length, 6);
	});
});
