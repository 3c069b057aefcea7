import * as vscode from 'vscode';
import { UserFacingError } from '../base/errors.ts';
import type { FoundSetting } from '../base/gitConfiguration.ts';
import { cut } from '../base/plainText.ts';
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
			return vscode.l10n.t('This version of Git is too old. Install Git 2.31 or later, then reload the window.');
		case 'unsafe-name':
			return vscode.l10n.t(
				'The setting “{0}” in {1} has a name that isn’t safe to use. Use only letters, digits, “_”, “.” and “-”: rename or remove it there, then try again.',
				harmless(setting?.key ?? ''),
				fileOf(setting),
			);
		case 'transport-program':
			return vscode.l10n.t(
				'The repository’s configuration specifies a program for connecting to its remote ({0} in {1}), which Errand doesn’t run. Push the branch yourself, or move the setting to your own Git configuration.',
				harmless(setting?.key ?? ''),
				fileOf(setting),
			);
		case 'no-folder':
			return vscode.l10n.t('The folder {0} no longer exists.', harmless(folder ?? ''));
	}
}

/** Formats a setting on one line, as in a configuration file. */
export function settingLine({ key, value }: FoundSetting): string {
	return `${harmless(key)} = ${harmless(value)}`;
}

function fileOf(setting: FoundSetting | undefined): string {
	return harmless(setting?.file ?? '');
}

/**
 * Replaces control and direction characters and caps the length. A terminal sequence keeps its text: a shell runs what
 * stands in one.
 */
function harmless(text: string): string {
	return cut(text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' '), MAXIMUM_QUOTE);
}
