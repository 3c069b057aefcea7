// The texts that the page and the editor's own lists share. Both configure `@vscode/l10n` when they load.
import * as l10n from '@vscode/l10n';
import type { ZeroDataRetention } from '../../contract/zeroDataRetention.ts';
import type { ApprovalSetting } from '../model/approvals.ts';
import { MAXIMUM_SOURCES, type SourceWords } from '../model/citations.ts';
import type { ComposerMode, OwnPrompt } from '../model/mode.ts';
import type { RoutingNameView } from './settingsProtocol.ts';

/** The codicon of each mode. */
export const MODE_ICONS = {
	chat: 'comment',
	agent: 'tools',
	search: 'globe',
	image: 'file-media',
	task: 'play',
} as const satisfies Record<ComposerMode, string>;

export function modeLabel(mode: ComposerMode): string {
	const labels: Record<ComposerMode, string> = {
		chat: l10n.t('Chat'),
		agent: l10n.t('Agent'),
		search: l10n.t('Search'),
		image: l10n.t('Image'),
		task: l10n.t('Task'),
	};
	return labels[mode];
}

/** The codicon of each prompt of Errand's own. */
export const OWN_PROMPT_ICONS = {
	explain: 'lightbulb',
	fix: 'wrench',
	tests: 'beaker',
} as const satisfies Record<OwnPrompt, string>;

export function ownPromptDescription(prompt: OwnPrompt): string {
	const descriptions: Record<OwnPrompt, string> = {
		explain: l10n.t('Explain the selected code'),
		fix: l10n.t('Find and fix problems in the selected code'),
		tests: l10n.t('Write tests for the selected code'),
	};
	return descriptions[prompt];
}

export function approvalsLabel(setting: ApprovalSetting): string {
	const labels: Record<ApprovalSetting, string> = {
		ask: l10n.t('Asks before everything'),
		'ask-for-commands': l10n.t('Asks before commands'),
		plan: l10n.t('Plans only'),
		'allow-in-sandbox': l10n.t('Asks for nothing in the sandbox'),
	};
	return labels[setting];
}

export function modeDescription(mode: ComposerMode): string {
	const descriptions: Record<ComposerMode, string> = {
		chat: l10n.t('Ask the chat model'),
		agent: l10n.t('Let an agent work on the open files, with your approval'),
		search: l10n.t('Answer with web sources'),
		image: l10n.t('Generate an image from your description'),
		task: l10n.t('Hand this to an agent on its own branch'),
	};
	return descriptions[mode];
}

/** Says why agents, search and images cannot be used in an encrypted conversation. */
export function noEncryptedModeText(): string {
	return l10n.t(
		'Agents, search and images aren’t available in encrypted conversations. Use them in a different conversation.',
	);
}

/** Says why a message of an encrypted conversation is not handed to a task. */
export function noEncryptedTaskText(): string {
	return l10n.t(
		'Tasks aren’t encrypted, so they can’t use anything from this conversation. Start the task from a different conversation.',
	);
}

export function routingLabel({ preset, isPrivate, isLimited }: RoutingNameView): string {
	const label = isLimited ? l10n.t('{0}, limited', presetLabel(preset)) : presetLabel(preset);
	return isPrivate ? l10n.t('{0}, private', label) : label;
}

export function presetLabel(preset: RoutingNameView['preset']): string {
	const labels: Record<RoutingNameView['preset'], string> = {
		balanced: l10n.t('Balanced'),
		cheapest: l10n.t('Cheapest'),
		fastest: l10n.t('Fastest'),
		latency: l10n.t('Lowest latency'),
		only: l10n.t('Only these'),
		private: l10n.t('Private'),
		custom: l10n.t('Custom'),
		unreadable: l10n.t('Unreadable'),
	};
	return labels[preset];
}

/** Says whether zero data retention is in force and why, or that this cannot be known. */
export function retentionText({ inForce, because }: ZeroDataRetention): string {
	if (because === 'code-oriented-model') {
		return l10n.t('On: this code-oriented model always requires it.');
	}
	if (inForce === 'as-account-is-set') {
		return l10n.t('As set for the account. The service doesn’t report the setting.');
	}
	if (inForce === 'no') {
		return l10n.t('Off: neither the service nor your settings require it.');
	}
	switch (because) {
		case 'account':
			return l10n.t('On: the account requires it, and no setting here can change that.');
		case 'alias':
			return l10n.t('On: the alias requires it.');
		case 'request':
			return l10n.t('On: the routing policy requires it.');
	}
}

/** Returns the heading of a reply's sources, and the note for a service that gave more than are stored. */
export function sourceWords(language: string): SourceWords {
	const most = new Intl.NumberFormat(language).format(MAXIMUM_SOURCES);
	return {
		sources: l10n.t('Sources'),
		sourcesCut: l10n.t('The service sent more citations; only the first {0} are kept.', most),
	};
}
