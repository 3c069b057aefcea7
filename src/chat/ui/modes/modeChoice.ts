import * as l10n from '@vscode/l10n';
import type { TemplateResult } from 'lit';
import { defined } from '../../../base/defined.ts';
import { COMPOSER_MODES, type ComposerMode } from '../../model/mode.ts';
import { MODE_ICONS, modeDescription, modeLabel } from '../../protocol/labels.ts';
import { composerChoice } from '../components/composerChoice.ts';
import type { ComposerMenu } from '../components/composerMenu.ts';

export function modePlaceholder(mode: ComposerMode): string {
	switch (mode) {
		case 'chat':
			return l10n.t('Ask, or / for more…');
		case 'agent':
			return l10n.t('Describe what to do, or / for more…');
		case 'search':
			return l10n.t('Search the web, or / for more…');
		case 'image':
			return l10n.t('Describe an image, or / for more…');
		case 'task':
			return l10n.t('Describe the task, or / for more…');
	}
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
