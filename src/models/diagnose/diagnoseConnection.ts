import os from 'node:os';
import * as vscode from 'vscode';
import { untilAborted } from '../../base/async.ts';
import type { Client } from '../../client/types.ts';
import type { Connection } from '../../contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from '../../contract/localConnection.ts';
import { EXTENSION_ID } from '../../platform/ids.ts';
import { errorText } from '../../platform/notify.ts';
import { choose, shownText } from '../../platform/pick.ts';
import { withProgressNotice } from '../../platform/progressNotice.ts';
import { type AskingContext, askHost, HOST_FIELDS, type HostField } from '../hosts/askHost.ts';
import { answerText, hostLabel, hostProblem, modelCount } from '../hosts/messages.ts';
import type { KeysFeature } from '../keys/keysFeature.ts';
import { kindLabel } from '../keys/messages.ts';
import { type DiagnosisFinding, diagnosisText, findingsOn } from '../model/diagnosis.ts';
import { isKeyRefusal } from '../model/keyCheck.ts';
import { KEY_KINDS } from '../model/keyFormat.ts';
import { checkNetwork } from './networkChecks.ts';
import { checkReplyStream } from './replyStream.ts';

export interface DiagnosisOptions {
	keys: KeysFeature;
	/** Returns a client for a connection, which sends the keys saved for it. */
	client(connection: Connection): Promise<Client>;
}

/** The maximum time for all questions to hosts. */
const WHOLE_MS = 90_000;

/**
 * Checks a connection from the names of its hosts to the stream of a reply, and resolves with the report. Failures,
 * checks that the user stops and checks that take too long are findings of it.
 */
export async function diagnose(connection: Connection, { keys, client }: DiagnosisOptions): Promise<string> {
	const { label = connection.name } = connection;
	const isLocal = connection.name === LOCAL_CONNECTION_NAME;
	// A reply of the local service's demo costs nothing.
	const streamed = isLocal ? modelFor(connection) : await agreedModel(connection, label, keys);
	const findings = await withProgressNotice(vscode.l10n.t('Diagnosing {0}', label), async stopped => {
		const signal = AbortSignal.any([stopped, AbortSignal.timeout(WHOLE_MS)]);
		const context = { ...keys.host, signal };
		const guarded = async (subject: string, check: Promise<DiagnosisFinding[]>): Promise<DiagnosisFinding[]> => {
			try {
				return await untilAborted(check, signal);
			} catch (error) {
				const { problem, unchecked } = findingsOn(subject);
				if (!signal.aborted) {
					return [problem(errorText(error, label))];
				}
				return [
					stopped.aborted
						? unchecked(vscode.l10n.t('you stopped the diagnosis.'))
						: unchecked(vscode.l10n.t('the diagnosis took too long.')),
				];
			}
		};
		const addresses = addressesOf(connection);
		const checks = isLocal
			? [guarded(vscode.l10n.t('Service on this machine'), client(connection).then(checkLocalService))]
			: [
					guarded(
						vscode.l10n.t('Network and clock'),
						checkNetwork(
							addresses.map(({ url }) => url),
							context,
						),
					),
					guarded(vscode.l10n.t('Addresses'), checkAddresses(addresses, connection, context)),
					guarded(vscode.l10n.t('Keys'), checkKeys(connection, keys)),
				];
		const streaming = vscode.l10n.t('Stream of a reply');
		const stream =
			streamed === undefined
				? findingsOn(streaming).unchecked(
						vscode.l10n.t('no reply was requested because it may cost money.'),
						vscode.l10n.t('Run the diagnosis again and accept the request. The chat needs a key and a model for it.'),
					)
				: guarded(
						streaming,
						client(connection).then(asked => checkReplyStream(streamed, label, asked, context)),
					);
		return (await Promise.all([...checks, stream])).flat();
	});
	return reportOf(label, findings, keys.host.clock.now());
}

const modelFor = ({ models }: Connection) => models.find(({ kinds }) => kinds.includes('chat'))?.id;

/** Resolves with the model that the user agrees to ask for a reply, which may cost money. */
async function agreedModel(
	connection: Connection,
	label: string,
	keys: DiagnosisOptions['keys'],
): Promise<string | undefined> {
	const model = modelFor(connection);
	if (model === undefined || (await keys.state(connection, 'inference')) !== 'set') {
		return undefined;
	}
	return choose(
		vscode.l10n.t('Check the Stream of a Reply?'),
		[
			{
				label: vscode.l10n.t('Skip This Check'),
				description: vscode.l10n.t('the report has everything else'),
				value: undefined,
			},
			{
				label: vscode.l10n.t('Ask {0} to Count to 100', shownText(model)),
				description: vscode.l10n.t('uses about 300 tokens on {0}', shownText(label)),
				value: model,
			},
		],
		{ placeHolder: vscode.l10n.t('Only a reply shows whether something between you and the service delays replies') },
	);
}

function addressesOf(connection: Connection): { field: HostField; url: string }[] {
	return HOST_FIELDS.flatMap(field => {
		const url = connection[field];
		return url === undefined ? [] : [{ field, url }];
	});
}

async function checkAddresses(
	addresses: readonly { field: HostField; url: string }[],
	{ models }: Connection,
	context: AskingContext,
): Promise<DiagnosisFinding[]> {
	const [channelModel] = models.flatMap(({ id, channelProvider }) =>
		channelProvider === undefined ? [] : [{ model: id, provider: channelProvider }],
	);
	return Promise.all(
		addresses.map(async ({ field, url }): Promise<DiagnosisFinding> => {
			const { fine, problem } = findingsOn(`${hostLabel(field)} (${url})`);
			const answer = await askHost({ kind: field, url, channelModel }, context);
			if (answer.state === 'failed') {
				const { cause, step } = hostProblem(answer.error, answer.url, field, false);
				return problem(cause, step);
			}
			return answer.url === url
				? fine(answerText(answer, field))
				: problem(
						vscode.l10n.t('the service responds at {0}.', answer.url),
						vscode.l10n.t('Change the address with “Errand: Switch or Add Connection”.'),
					);
		}),
	);
}

async function checkLocalService({ models }: Client): Promise<DiagnosisFinding[]> {
	const { length } = (await models.discover()) ?? [];
	return [findingsOn(vscode.l10n.t('Service on this machine')).fine(modelCount(length))];
}

async function checkKeys(connection: Connection, keys: DiagnosisOptions['keys']): Promise<DiagnosisFinding[]> {
	const found = KEY_KINDS.map(async (kind): Promise<DiagnosisFinding[]> => {
		const { fine, problem, note } = findingsOn(kindLabel(kind));
		const key = keys.of(connection, kind);
		switch (await key.state()) {
			case 'not-needed':
				return [];
			case 'missing':
				return [
					note(
						vscode.l10n.t('not set.'),
						vscode.l10n.t('Add it with “Errand: Manage Keys” if you use a feature that needs it.'),
					),
				];
			case 'unconfirmed':
				return [
					problem(
						vscode.l10n.t('not sent: the addresses have changed since it was saved.'),
						vscode.l10n.t('Confirm it with “Errand: Manage Keys”.'),
					),
				];
			case 'set': {
				const present = await key.forRequest();
				const check = present === undefined ? undefined : await key.checkSaved(present);
				if (check === undefined) {
					return [note(vscode.l10n.t('removed or replaced meanwhile.'))];
				}
				const finding = check.answer === 'accepted' ? fine : isKeyRefusal(check) ? problem : note;
				return [finding(key.sentenceOf(check))];
			}
		}
	});
	return (await Promise.all(found)).flat();
}

/** `now` is in milliseconds since the epoch. */
function reportOf(label: string, findings: readonly DiagnosisFinding[], now: number): string {
	const problems = findings.filter(({ state }) => state === 'problem').length;
	const isWhole = findings.every(({ state }) => state !== 'unchecked');
	const version = vscode.extensions.getExtension(EXTENSION_ID)?.packageJSON?.version ?? '';
	return diagnosisText(
		{
			title: vscode.l10n.t('Diagnosis of {0}', label),
			head: [
				problems === 0
					? isWhole
						? vscode.l10n.t('No problems found.')
						: vscode.l10n.t('No problems found, but not everything was checked.')
					: problems === 1
						? vscode.l10n.t('1 problem found.')
						: vscode.l10n.t('{0} problems found.', problems),
				`${new Date(now).toISOString()} · Errand ${version} · ${vscode.env.appName} ${vscode.version} · ${os.platform()} ${os.release()}`,
			],
			states: {
				fine: vscode.l10n.t('OK'),
				problem: vscode.l10n.t('Problem'),
				note: vscode.l10n.t('Note'),
				unchecked: vscode.l10n.t('Not checked'),
			},
			step: vscode.l10n.t('What to do:'),
		},
		findings,
	);
}
