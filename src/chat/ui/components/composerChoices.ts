import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { TurnMode } from '../../model/mode.ts';
import { approvalsLabel, routingLabel } from '../../protocol/labels.ts';
import type { AgentView, ConnectionView } from '../../protocol/protocol.ts';
import type { SettingsView } from '../../protocol/settingsProtocol.ts';
import { approvalsMenu } from '../agent/approvalsMenu.ts';
import type { HostRequests } from '../hostRequests.ts';
import type { Post } from '../page.ts';
import { composerChoice } from './composerChoice.ts';
import type { ComposerMenu } from './composerMenu.ts';
import { modelMenu } from './modelMenu.ts';

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
	requests: HostRequests;
	post: Post;
}

/** The choices of the agent for the next message, and of the things that it asks about. */
export function agentChoices({ mode, agent, menu, post }: ComposerChoices): TemplateResult {
	return html`${
		mode === 'agent'
			? composerChoice({
					icon: 'robot',
					word: agent?.label ?? l10n.t('Select Agent'),
					isName: true,
					label: l10n.t('Select Agent'),
					press: () => post({ kind: 'agent-pick' }),
				})
			: nothing
	}${
		mode === 'agent' && agent
			? composerChoice({
					icon: 'shield',
					word: approvalsLabel(agent.approvals),
					label: l10n.t('Select What Agents Ask About'),
					isOpen: menu.isOpenFor(l10n.t('What Agents Ask About')),
					press: button => menu.toggle(button, () => approvalsMenu(agent.approvals, post)),
				})
			: nothing
	}`;
}

/** The choices of the model for the next message, and of its provider. */
export function modelChoices(choices: ComposerChoices): TemplateResult {
	const { conversation, connection, model, mode, settings, menu, requests, post } = choices;
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
							? post({ kind: 'model-choose' })
							: menu.toggle(button, () => modelMenu(conversation, requests, post)),
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
					press: () => post({ kind: 'routing-choose' }),
				})
			: nothing
	}`;
}
