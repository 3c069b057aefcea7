import * as vscode from 'vscode';
import type { ClientError } from '../../base/errors.ts';
import { failureOf } from '../../client/core/failures.ts';
import { createUpstreamCaller } from '../../client/core/upstreamCaller.ts';
import { mayCarryKey } from '../../contract/upstreams.ts';
import { isAboutKey } from '../../platform/addressMessages.ts';
import { askCheckedKey } from '../../platform/keyBox.ts';
import { showMessage } from '../../platform/notify.ts';
import type { UpstreamKeyStore } from '../model/upstreamKeyStore.ts';
import { askServer, type ServerAnswer } from './askServer.ts';
import type { OwnServer } from './ownServers.ts';
import type { AskContext, ServerDraft, StepEnd } from './serverDraft.ts';
import { serverProblem } from './serverMessages.ts';

/** A key, and what the server answered to it. */
export interface AcceptedKey {
	key: string;
	answer: ServerAnswer;
}

/**
 * Asks for the key of a server, and takes it when the server does not refuse it. `reason` is said in front of where the key
 * is kept.
 */
export async function askServerKey(
	context: AskContext,
	{ label, url, service }: ServerDraft,
	reason: string,
): Promise<AcceptedKey | StepEnd> {
	if (!mayCarryKey(url)) {
		const sentence = vscode.l10n.t(
			'{0} is reached without encryption, so no key can be sent there. Give it an https address.',
			new URL(url).origin,
		);
		await showMessage('error', sentence);
		return 'back';
	}
	const keeping = vscode.l10n.t('Kept in the editor’s secret storage and sent to {0} only.', new URL(url).origin);
	const entered = await askCheckedKey<AcceptedKey>({
		title: vscode.l10n.t('Key of {0}', label),
		prompt: [reason, keeping].filter(Boolean).join(' '),
		...(service && {
			page: { address: service.keyPage, tooltip: vscode.l10n.t('Open the Page Where Its Keys Are Made') },
		}),
		formProblem,
		async check(key, signal) {
			const answer = await check({ url, key, service }, context, signal);
			if ('error' in answer && isAboutKey(answer.error)) {
				const { cause, step } = serverProblem(answer.error, answer.url, true);
				return { problem: `${cause} ${step}` };
			}
			return { accepted: { key, answer } };
		},
	});
	return typeof entered === 'object' ? entered.accepted : entered;
}

/** Asks for another key of a server that the user has, and keeps it. */
export async function changeServerKey(
	context: AskContext,
	keys: UpstreamKeyStore,
	{ slug, label, setting }: OwnServer,
): Promise<void> {
	const entered = await askServerKey(context, { label, url: setting.url }, '');
	if (typeof entered === 'object') {
		await keys.save(slug, setting.url, entered.key);
	}
}

function formProblem(key: string): string | undefined {
	return /^[\x21-\x7e]+$/.test(key)
		? undefined
		: vscode.l10n.t('A key has no blanks and no characters beyond ASCII. Paste it again.');
}

/** A service that lists its models to anybody has another place that tells whether the key is right, or none. */
async function check(
	{ url, key, service }: { url: string; key: string; service: ServerDraft['service'] },
	context: AskContext,
	signal: AbortSignal,
): Promise<ServerAnswer> {
	const path = service?.openList?.checkPath;
	const refusal = path === undefined ? undefined : await refusalAt(path, { url, key }, context, signal);
	return refusal ? { url, error: refusal } : askServer({ url, key }, { ...context, signal });
}

async function refusalAt(
	path: string,
	{ url, key }: { url: string; key: string },
	context: AskContext,
	signal: AbortSignal,
): Promise<ClientError | undefined> {
	const caller = createUpstreamCaller({ ...context, name: 'model server', url, key, limits: { tries: 1 } });
	const route = { method: 'GET', host: 'inference', key: 'inference', path } as const;
	try {
		await caller.json({ route, firstByteMs: CHECK_MS, idleMs: CHECK_MS, retry: 'never', signal });
		return undefined;
	} catch (error) {
		signal.throwIfAborted();
		const failure = failureOf(error);
		// The list of models that is asked for next says everything else that may be wrong.
		return isAboutKey(failure) ? failure : undefined;
	}
}

const CHECK_MS = 8_000;
