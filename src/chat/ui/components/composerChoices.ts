import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { defined } from '../../../base/defined.ts';
import { APPROVAL_SETTINGS, type ApprovalSetting } from '../../model/approvals.ts';
import { COMPOSER_MODES, type ComposerMode, type TurnMode } from '../../model/mode.ts';
import { approvalsLabel, MODE_ICONS, modeDescription, modeLabel, routingLabel } from '../../protocol/labels.ts';
import type { AgentView, ConnectionView } from '../../protocol/protocol.ts';
import type { SettingsView } from '../../protocol/settingsProtocol.ts';
import type { Post } from '../page.ts';
import type { Page } from '../pageElement.ts';
import { composerChoice } from './composerChoice.ts';
import type { ComposerMenu, Menu } from './composerMenu.ts';

export function modePlaceholder(mode: ComposerMode): string {
	const placeholders: Record<ComposerMode, string> = {
		chat: l10n.t('Ask, or / for more…'),
		agent: l10n.t('Describe what to do, or / for more…'),
		search: l10n.t('Search the web, or / for more…'),
		image: l10n.t('Describe an image, or / for more…'),
		task: l10n.t('Describe the task, or / for more…'),
	};
	return placeholders[mode];
}

/** The choice of the message's mode in the composer's bottom row. */
export function modeChoice(
	mode: ComposerMode,
	refusals: Partial<Record<ComposerMode, string>>,
	menu: ComposerMenu,
	choose: (mode: ComposerMode) => void,
): TemplateResult {
	const title = l10n.t('Messages in This Conversation');
	const rows = COMPOSER_MODES.map(id => ({
		id,
		icon: MODE_ICONS[id],
		name: modeLabel(id),
		detail: modeDescription(id),
		isCurrent: id === mode,
		...defined({ refusal: refusals[id] }),
	}));
	return composerChoice({
		icon: MODE_ICONS[mode],
		word: modeLabel(mode),
		label: l10n.t('Select Chat, Agent, Search, Image or Task'),
		isOpen: menu.isOpenFor(title),
		press: button => menu.toggle(button, () => ({ label: title, rows, take: id => choose(id as ComposerMode) })),
	});
}

export interface ComposerChoices {
	/** The id of the conversation that is shown, if any. */
	conversation: string | undefined;
	connection: ConnectionView;
	/** The model that the next message goes to. */
	model: string;
	mode: TurnMode;
	/** Undefined until it is known. */
	agent: AgentView | undefined;
	settings: SettingsView | undefined;
	/** Opens the lists that are in the page. */
	menu: ComposerMenu;
	page: Page;
}

/** The choices of the agent for the next message, and of the things that it asks about. */
export function agentChoices({ mode, agent, menu, page }: ComposerChoices): TemplateResult {
	return html`${
		mode === 'agent'
			? composerChoice({
					icon: 'robot',
					word: agent?.label ?? l10n.t('Select Agent'),
					isName: true,
					label: l10n.t('Select Agent'),
					press: () => page.post({ kind: 'agent-pick' }),
				})
			: nothing
	}${
		mode === 'agent' && agent
			? composerChoice({
					icon: 'shield',
					word: approvalsLabel(agent.approvals),
					label: l10n.t('Select What Agents Ask About'),
					isOpen: menu.isOpenFor(l10n.t('What Agents Ask About')),
					press: button => menu.toggle(button, () => approvalsMenu(agent.approvals, page.post)),
				})
			: nothing
	}`;
}

/** The menu of the things that agents ask about, which is a setting for all windows. */
function approvalsMenu(current: ApprovalSetting, post: Post): Menu {
	return {
		label: l10n.t('What Agents Ask About'),
		rows: APPROVAL_SETTINGS.map(id => ({
			id,
			icon: 'shield',
			name: approvalsLabel(id),
			detail: approvalsDetail(id),
			isCurrent: id === current,
		})),
		take: id => post({ kind: 'approvals-choose', approvals: id as ApprovalSetting }),
	};
}

function approvalsDetail(setting: ApprovalSetting): string {
	const details: Record<ApprovalSetting, string> = {
		ask: l10n.t('Before each file change and each command.'),
		'ask-for-commands': l10n.t('Before each command, and before changes to files that decide what runs.'),
		plan: l10n.t('Changes nothing, and ends with a plan that you can edit and start.'),
		'allow-in-sandbox': l10n.t(
			'Only before changes to files that decide what runs. Other changes stay in a copy until you take them.',
		),
	};
	return details[setting];
}

/** The choices of the model for the next message, and of its provider. */
export function modelChoices(choices: ComposerChoices): TemplateResult {
	const { conversation, connection, model, mode, settings, menu, page } = choices;
	const name = settings ? routingLabel(settings.routing) : '';
	const { preset, isPrivate, isLimited } = settings?.routing ?? {};
	// The default routing policy means nothing if there is only one provider.
	const isIdle = connection.hasOneProvider && preset === 'balanced' && !isPrivate && !isLimited;
	return html`${
		mode === 'chat' || mode === 'agent'
			? composerChoice({
					icon: 'chip',
					word: model,
					isName: true,
					label: l10n.t('Select Model'),
					hint: l10n.t('{0} on {1}', model, connection.label),
					isOpen: menu.isOpenFor(l10n.t('Model of This Conversation')),
					// If only the demo answers, there is nothing to choose from, and the editor's list says what to do.
					press: button =>
						connection.isDemo
							? page.post({ kind: 'model-choose' })
							: menu.toggle(button, () => modelMenu(conversation, page)),
				})
			: nothing
	}${
		settings
			? composerChoice({
					icon: 'compass',
					yields: true,
					word: isIdle ? '' : name,
					label: l10n.t('Select Routing Policy'),
					hint: settings.retention === 'on' ? `${name}. ${l10n.t('Zero data retention is required.')}` : name,
					press: () => page.post({ kind: 'routing-choose' }),
				})
			: nothing
	}`;
}

/** The id of the row that opens the editor's list. No model can have it. */
const ALL = '';

/** The most likely models for a conversation, and a row that opens the list of all others. */
function modelMenu(conversation: string | undefined, { requests, post }: Page): Menu {
	const all = { id: ALL, icon: 'search', name: l10n.t('All Models and Options…') } as const;
	return {
		label: l10n.t('Model of This Conversation'),
		rows: requests.ask('models-request', {}).then(models => [
			...models.map(({ id, name, detail, isCurrent }) => ({
				id,
				icon: 'chip' as const,
				name,
				isCurrent,
				...defined({ detail }),
			})),
			all,
		]),
		take: id =>
			post(id === ALL ? { kind: 'model-choose' } : { kind: 'model-use', ...defined({ conversation }), model: id }),
	};
}
