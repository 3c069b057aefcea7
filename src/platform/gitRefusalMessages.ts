import * as vscode from 'vscode';
import { UserFacingError } from '../base/errors.ts';
import type { FoundSetting } from '../base/gitConfiguration.ts';
import { GitRefusal } from './gitCommand.ts';

/** The maximum length of a name or a value from a configuration, in UTF-16 code units. */
const MAXIMUM_QUOTE = 100;

/** Converts a GitRefusal to an error whose sentence says what to do, and returns any other error unchanged. */
export function inWords(error: unknown): unknown {
	return error instanceof GitRefusal ? new UserFacingError(wordsOf(error), { cause: error }) : error;
}

/** Returns an error that says why git failed: with a sentence of ours if there is one, otherwise with `words`. */
export function gitFailure(error: unknown, words: string): UserFacingError {
	const said = inWords(error);
	return said instanceof UserFacingError ? said : new UserFacingError(words, { cause: error });
}

function wordsOf({ reason, setting, folder }: GitRefusal): string {
	switch (reason) {
		case 'old-git':
			return vscode.l10n.t('This git is too old for Errand. Install git 2.31 or newer, then reload the window.');
		case 'unsafe-name':
			return vscode.l10n.t(
				'The setting “{0}” in {1} has a name that is not safe to use (letters, digits, “_”, “.” and “-” are). Rename or remove it there, then try again.',
				harmless(setting?.key ?? ''),
				fileOf(setting),
			);
		case 'transport-program':
			return vscode.l10n.t(
				'The repository’s own configuration names a program for the way to its remote ({0} in {1}), which Errand does not run. Push the branch yourself, or move the setting into your own git configuration.',
				harmless(setting?.key ?? ''),
				fileOf(setting),
			);
		case 'no-folder':
			return vscode.l10n.t('The folder {0} is not there any more.', harmless(folder ?? ''));
	}
}

/** Formats a setting on one line, as in a configuration file. */
export function settingLine({ key, value }: FoundSetting): string {
	return `${harmless(key)} = ${harmless(value)}`;
}

function fileOf(setting: FoundSetting | undefined): string {
	return harmless(setting?.file ?? '');
}

/** Removes control and direction characters and caps the length. */
function harmless(text: string): string {
	return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, MAXIMUM_QUOTE);
}
