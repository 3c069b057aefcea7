import * as l10n from '@vscode/l10n';
import type { TemplateResult } from 'lit';
import { defined } from '../../../base/defined.ts';
import { TURN_MODES, type TurnMode } from '../../model/mode.ts';
import { MODE_ICONS, modeDescription, modeLabel } from '../../protocol/labels.ts';
import { composerChoice } from '../components/composerChoice.ts';
import type { ComposerMenu } from '../components/composerMenu.ts';
import type { Post } from '../page.ts';

export function modePlaceholder(mode: TurnMode): string {
	switch (mode) {
		case 'chat':
			return l10n.t('Ask, or / for more…');
		case 'agent':
			return l10n.t('Say what to do, or / for more…');
		case 'search':
			return l10n.t('Search the web, or / for more…');
		case 'image':
			return l10n.t('Describe an image, or / for more…');
	}
}

/** The mode of the conversation's messages, as a choice in the composer's bottom row. */
export function modeChoice(
	mode: TurnMode,
	refusals: Partial<Record<TurnMode, string>>,
	menu: ComposerMenu,
	post: Post,
): TemplateResult {
	const title = l10n.t('Messages in This Conversation');
	const rows = TURN_MODES.map(id => ({
		id,
		icon: MODE_ICONS[id],
		name: modeLabel(id),
		detail: modeDescription(id),
		isCurrent: id === mode,
		...defined({ refusal: refusals[id] }),
	}));
	const take = (id: string) => post({ kind: 'mode-choose', mode: id as TurnMode });
	return composerChoice({
		icon: MODE_ICONS[mode],
		word: modeLabel(mode),
		label: l10n.t('Choose Chat, Agent, Search or Image'),
		isOpen: menu.isOpenFor(title),
		press: button => menu.toggle(button, { label: title, rows, take }),
	});
}
