import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import { mayCarryKey } from '../contract/upstreams.ts';
import { askCheckedKey } from '../platform/keyBox.ts';
import { showMessage } from '../platform/notify.ts';
import { askHost, failureAt, type HostAnswer, type HostContext } from './hosts/askHost.ts';
import { hostProblem, isAboutKey } from './hosts/messages.ts';
import type { KeyStore } from './keys/keyStore.ts';
import { problemText } from './keys/messages.ts';
import { keyProblem, serverKey } from './model/keyFormat.ts';
import type { ServiceDraft, StepEnd } from './model/serviceDraft.ts';
import type { OwnServer } from './ownServers.ts';

/** A key, and the service's answer to it. The key is empty if the user continues without one. */
export interface AcceptedKey {
	key: string;
	answer: HostAnswer;
}

export interface KeyQuestion {
	/** Shown before the text about where the key is stored. */
	reason?: string;
	/** The answer without a key, if the key is optional. */
	withoutKey?: HostAnswer | undefined;
	/** True if the key is one of the contract's, which have their own form. */
	isConnection?: boolean;
}

/**
 * Asks for the key of a service, and accepts it if the service does not refuse it, or if the user insists on a refused
 * one.
 */
export async function askServiceKey(
	context: HostContext,
	draft: ServiceDraft,
	{ reason = '', withoutKey, isConnection = false }: KeyQuestion = {},
): Promise<AcceptedKey | StepEnd> {
	const { label, url, key: present = '', service } = draft;
	const { origin } = new URL(url);
	if (!mayCarryKey(url)) {
		const sentence = vscode.l10n.t(
			'The connection to {0} isn’t encrypted, so no key can be sent there. Use an https address.',
			origin,
		);
		await showMessage('error', sentence);
		return 'back';
	}
	const keeping =
		withoutKey === undefined
			? vscode.l10n.t('Saved in the editor’s secret storage and sent only to {0}.', origin)
			: vscode.l10n.t(
					'Saved in the editor’s secret storage and sent only to {0}. Leave empty to continue without a key.',
					origin,
				);
	let refused: string | undefined;
	const entered = await askCheckedKey<AcceptedKey>({
		title: vscode.l10n.t('Key of {0}', label),
		prompt: [reason, keeping].filter(Boolean).join(' '),
		value: present,
		...defined({
			page: service && { address: service.keyPage, tooltip: vscode.l10n.t('Open the Service’s API Keys Page') },
		}),
		formProblem: key => (key === '' && withoutKey !== undefined ? undefined : formProblem(key, isConnection)),
		async check(key, signal) {
			if (key === '' && withoutKey !== undefined) {
				return { accepted: { key, answer: withoutKey } };
			}
			const answer = await check({ ...draft, key }, context, signal);
			const isRefused = answer.state === 'failed' && isAboutKey(answer.error) && key !== refused;
			if (!isRefused) {
				return { accepted: { key, answer } };
			}
			refused = key;
			const { cause, step } = hostProblem(answer.error, answer.url, 'service', true);
			return { problem: `${cause} ${step}` };
		},
	});
	return typeof entered === 'object' ? entered.accepted : entered;
}

/** Asks for another key for one of the user's servers, and stores it. */
export async function changeServerKey(
	context: HostContext,
	store: KeyStore,
	{ slug, label, setting: { url, kind: form } }: Pick<OwnServer, 'slug' | 'label' | 'setting'>,
): Promise<void> {
	const entered = await askServiceKey(context, { label, url, ...defined({ form }) });
	if (typeof entered === 'object') {
		await store.save(serverKey(slug, url), entered.key);
	}
}

function formProblem(key: string, isConnection: boolean): string | undefined {
	if (isConnection) {
		const problem = keyProblem('inference', key, {});
		return problem && problemText(problem, {});
	}
	return /^[\x21-\x7e]+$/.test(key)
		? undefined
		: vscode.l10n.t('A key contains only ASCII characters and no spaces. Paste it again.');
}

/**
 * Checks a key. A service that lists its models to anybody has another path that shows whether the key is right, or
 * none.
 */
async function check(
	{ url, key, service, form }: ServiceDraft & { key: string },
	context: HostContext,
	signal: AbortSignal,
): Promise<HostAnswer> {
	const path = service?.openList?.checkPath;
	const asked = { ...context, signal };
	const request = { url, key, method: 'GET', milliseconds: CHECK_MS } as const;
	const failure = path === undefined ? undefined : await failureAt({ ...request, path }, asked);
	// The list of models, which is requested next, shows all problems that are not about the key.
	return failure && isAboutKey(failure)
		? { url, state: 'failed', error: failure }
		: askHost({ kind: 'service', url, form, key }, asked);
}

const CHECK_MS = 8_000;
