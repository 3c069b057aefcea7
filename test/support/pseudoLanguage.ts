import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A language that nobody speaks, under the usual tag for such a language. */
export const PSEUDO_LOCALE = 'qps-ploc';

/** The brackets around every translated text. None of our own texts contains them. */
const OPEN = '⟦';
const CLOSE = '⟧';

/** Matches the parts that are the same length in every language: arguments, icons, link targets, code and addresses. */
const KEPT = /\{\w+\}|\$\([\w~-]+\)|\]\([^)]*\)|`[^`]*`|https?:\/\/\S+/g;

/** The growth of a text, as in languages with long words. */
const GROWTH = 0.35;

/** Matches a line of a welcome text that becomes a button, as long as the line contains nothing else. */
const BUTTON = /^\[(.+)\]\(([^)]+)\)$/;

/**
 * Returns a text as if translated: longer, and with each line in brackets. Its words stay the same, so that tests find
 * it like the original.
 */
export function pseudoText(text: string): string {
	const lines = text.split('\n').map(line => {
		const [, label, target] = BUTTON.exec(line) ?? [];
		return line === '' ? line : label === undefined ? pseudoLine(line) : `[${pseudoLine(label)}](${target})`;
	});
	return lines.join('\n');
}

function pseudoLine(line: string): string {
	const length = line.replaceAll(KEPT, '').length;
	return `${OPEN}${line}${' ~'.repeat(Math.ceil((length * GROWTH) / 2))}${CLOSE}`;
}

/** Returns the parts of a shown text outside any brackets, which were not translated. Arguments can nest brackets. */
export function untranslated(text: string): string {
	let depth = 0;
	let outside = '';
	for (const character of text) {
		if (character === OPEN) {
			depth += 1;
		} else if (character === CLOSE) {
			depth -= 1;
			outside += ' ';
		} else if (depth <= 0) {
			outside += character;
		}
	}
	return outside.replaceAll(/\s+/g, ' ').trim();
}

/** Copies a built extension and adds the language to the copy. */
export function addPseudoLanguage(extension: string, folder: string): void {
	cpSync(extension, folder, { recursive: true });
	for (const file of ['package.nls.json', ...globSync('l10n/bundle.l10n.json', { cwd: folder })]) {
		const texts: Record<string, string | { message: string }> = JSON.parse(
			readFileSync(path.join(folder, file), 'utf8'),
		);
		const translated = Object.entries(texts).map(([key, text]) => [
			key,
			pseudoText(typeof text === 'string' ? text : text.message),
		]);
		const name = file.replace(/\.json$/, `.${PSEUDO_LOCALE}.json`);
		writeFileSync(path.join(folder, name), JSON.stringify(Object.fromEntries(translated)));
	}
}

/**
 * Makes an editor believe that a language pack for it is installed. The pack translates nothing of the editor itself,
 * so that the editor's texts can be distinguished from ours.
 */
export function installPseudoLanguage(userData: string): void {
	mkdirSync(userData, { recursive: true });
	const pack = path.join(userData, 'pseudo-language.json');
	writeFileSync(pack, JSON.stringify({ contents: {} }));
	const extensions = [{ extensionIdentifier: { id: 'errand.pseudo-language' }, version: '1.0.0' }];
	const entry = { hash: 'pseudo', label: 'Pseudo', extensions, translations: { vscode: pack } };
	writeFileSync(path.join(userData, 'languagepacks.json'), JSON.stringify({ [PSEUDO_LOCALE]: entry }));
}
