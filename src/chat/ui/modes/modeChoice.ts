import * as l10n from '@vscode/l10n';
import type { TemplateResult } from 'lit';
import type { TurnMode } from '../../model/mode.ts';
import { MODE_ICONS, modeLabel } from '../../protocol/labels.ts';
import { composerChoice } from '../components/composerChoice.ts';
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
export function modeChoice(mode: TurnMode, post: Post): TemplateResult {
	return composerChoice({
		icon: MODE_ICONS[mode],
		word: modeLabel(mode),
		label: l10n.t('Choose Chat, Agent, Search or Image'),
		press: () => post({ kind: 'mode-pick' }),
	});
}
