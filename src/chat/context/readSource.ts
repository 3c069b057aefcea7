import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import { isWithin, placeOf, realPathOf } from '../../base/filePlace.ts';
import { gitFailure } from '../../platform/gitRefusalMessages.ts';
import { decodeText, MAXIMUM_FILE_SIZE } from '../model/addedFiles.ts';
import { type Attachment, fenced } from '../model/attachment.ts';
import type { ContextSource } from '../model/contextSource.ts';
import { findSecrets, isSecretName, type SecretFinding } from '../model/secrets.ts';
import { readUncommitted } from './repositoryReading.ts';
import { exclusionOf, listFiles, repositoryOf } from './workspaceFiles.ts';

/** The limit for one attachment, in UTF-16 code units. */
const MAXIMUM_LENGTH = 1_000_000;
const MAXIMUM_FOLDER_FILES = 200;
const MAXIMUM_PROBLEMS = 500;

/** Findings that the user must agree to before the context is sent. */
export type SourceWarning = SecretFinding | { kind: 'ignored' | 'excluded' | 'elsewhere' };

export interface ReadContext {
	readonly attachment: Attachment;
	readonly findings: readonly SourceWarning[];
	/**
	 * The number of files of a folder that were left out: those with names of secrets, those that are not text, and those
	 * beyond the limit.
	 */
	readonly leftOut?: number;
}

/** Reads the current content of a source. Throws a sentence for the user if it cannot be context. */
export async function readSource(source: ContextSource): Promise<ReadContext> {
	const read = await readers[source.kind](source as never);
	if (read.attachment.text.length > MAXIMUM_LENGTH) {
		throw new UserFacingError(
			vscode.l10n.t('{0} is too long for a message. Select and add only the relevant part.', read.attachment.label),
		);
	}
	return { ...read, findings: [...read.findings, ...findSecrets(read.attachment.text)] };
}

/** Returns the path relative to the workspace folder, with slashes. */
export function pathOf(uri: vscode.Uri): string {
	return vscode.workspace.asRelativePath(uri).replaceAll('\\', '/');
}

export function nameOf(uri: vscode.Uri): string {
	return uri.path.slice(uri.path.lastIndexOf('/') + 1);
}

const readers: { [K in ContextSource['kind']]: (source: Extract<ContextSource, { kind: K }>) => Promise<ReadContext> } =
	{
		selection: readSelection,
		file: readFile,
		folder: readFolder,
		problems: async source => readProblems(source),
		diff: readDiff,
		terminal: async ({ label, text }) => ({ attachment: { kind: 'terminal', label, text }, findings: [] }),
		task: async attachment => ({ attachment, findings: [] }),
		text: async ({ label, text }) => ({
			attachment: { kind: 'text', label, text },
			findings: isSecretName(label) ? [{ kind: 'name' }] : [],
		}),
		web: async source => ({ attachment: { ...source, path: source.uri }, findings: [] }),
		image: async ({ uri, ...image }) => ({
			attachment: { ...image, text: '', ...defined({ uri }) },
			findings: uri === undefined ? [] : await findingsOf(vscode.Uri.parse(uri)),
		}),
	};

async function readSelection({ uri, range }: Extract<ContextSource, { kind: 'selection' }>): Promise<ReadContext> {
	const place = vscode.Uri.parse(uri);
	const document = await openDocument(place);
	const whole = document.validateRange(
		new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character),
	);
	const text = document.getText(whole);
	if (text.trim() === '') {
		throw new UserFacingError(
			vscode.l10n.t('The selected part of {0} no longer exists. Remove it, or select it again.', nameOf(place)),
		);
	}
	const first = whole.start.line + 1;
	// A selection that ends at the start of a line includes nothing of that line.
	const last = whole.end.character === 0 && whole.end.line > whole.start.line ? whole.end.line : whole.end.line + 1;
	return {
		attachment: {
			kind: 'selection',
			label: `${nameOf(place)}:${first === last ? first : `${first}-${last}`}`,
			text,
			uri,
			path: pathOf(place),
			lines: { first, last },
			language: document.languageId,
		},
		findings: await findingsOf(place),
	};
}

async function readFile({ uri }: Extract<ContextSource, { kind: 'file' }>): Promise<ReadContext> {
	const place = vscode.Uri.parse(uri);
	const name = nameOf(place);
	const { text, language } = await readText(place);
	return {
		attachment: {
			kind: 'file',
			label: name,
			text,
			uri,
			path: pathOf(place),
			...defined({ language }),
		},
		findings: await findingsOf(place),
	};
}

/**
 * Returns the text of a file as the editor shows it, with unsaved changes, or else as it is on disk. Throws a sentence
 * for the user if it cannot be read as text.
 */
export async function readText(place: vscode.Uri): Promise<{ text: string; language?: string }> {
	const open = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === place.toString());
	if (open) {
		return { text: open.getText(), language: open.languageId };
	}
	const name = nameOf(place);
	let bytes: Uint8Array;
	try {
		const { size, type } = await vscode.workspace.fs.stat(place);
		if (type & vscode.FileType.Directory) {
			throw new UserFacingError(vscode.l10n.t('{0} is a folder. Add it as a folder.', name));
		}
		// Reading a device or a pipe may never end.
		if (!(type & vscode.FileType.File)) {
			throw new UserFacingError(
				vscode.l10n.t('{0} is a device, a pipe or another special file. Select a regular file.', name),
			);
		}
		if (size > MAXIMUM_FILE_SIZE) {
			throw new UserFacingError(
				vscode.l10n.t('{0} is larger than 1 MB. Open it, then select and add only the relevant lines.', name),
			);
		}
		bytes = await vscode.workspace.fs.readFile(place);
	} catch (error) {
		throw error instanceof UserFacingError ? error : notReadable(name, error);
	}
	const text = decodeText(bytes);
	if (text === undefined) {
		throw new UserFacingError(vscode.l10n.t('{0} isn’t a UTF-8 text file, so a model can’t read it.', name));
	}
	const extension = /\.([\w+#-]+)$/.exec(name)?.[1];
	return { text, ...defined({ language: extension }) };
}

async function readFolder({ uri }: Extract<ContextSource, { kind: 'folder' }>): Promise<ReadContext> {
	const place = vscode.Uri.parse(uri);
	const files = await listFiles(place);
	const parts: string[] = [];
	let length = 0;
	for (const file of files) {
		if (parts.length === MAXIMUM_FOLDER_FILES || isSecretName(file.path)) {
			continue;
		}
		const read = (await isLinked(file, place)) ? undefined : await readText(file).catch(() => undefined);
		const part = read && `${pathOf(file)}\n${fenced(read.text, read.language)}`;
		if (part !== undefined && length + part.length < MAXIMUM_LENGTH) {
			parts.push(part);
			length += part.length + 2;
		}
	}
	const name = nameOf(place);
	if (parts.length === 0) {
		throw new UserFacingError(vscode.l10n.t('{0} has no text files to add.', name));
	}
	const count = parts.length === 1 ? vscode.l10n.t('1 file') : vscode.l10n.t('{0} files', parts.length);
	return {
		attachment: { kind: 'folder', label: `${name}/ · ${count}`, text: parts.join('\n\n'), uri, path: pathOf(place) },
		findings: await findingsOf(place, 'folder'),
		leftOut: files.length - parts.length,
	};
}

/** Returns whether a file of the workspace actually lies outside it, and its real path with slashes. */
async function followLinks(place: vscode.Uri): Promise<{ isElsewhere: boolean; path: string }> {
	if (place.scheme !== 'file') {
		return { isElsewhere: false, path: place.path };
	}
	const folders = vscode.workspace.workspaceFolders ?? [];
	const { isInside, path } = await placeOf(
		place.fsPath,
		folders.map(({ uri }) => uri.fsPath),
	);
	const within = vscode.workspace.getWorkspaceFolder(place);
	const isElsewhere = within !== undefined && within.uri.path !== place.path && !isInside;
	return { isElsewhere, path: vscode.Uri.file(path ?? place.fsPath).path };
}

/**
 * Returns whether a folder's file, or a folder on its path, is a link: the user may not have meant to add its target.
 */
async function isLinked(file: vscode.Uri, folder: vscode.Uri): Promise<boolean> {
	const stat = await Promise.resolve(vscode.workspace.fs.stat(file)).catch(() => undefined);
	const isLink = stat !== undefined && (stat.type & vscode.FileType.SymbolicLink) !== 0;
	if (isLink || file.scheme !== 'file') {
		return isLink;
	}
	const [real, realFolder] = await Promise.all([realPathOf(file.fsPath), realPathOf(folder.fsPath)]);
	return real === undefined || realFolder === undefined || !isWithin(realFolder, real);
}

function readProblems({ uri, lines }: Extract<ContextSource, { kind: 'problems' }>): ReadContext {
	const place = uri === undefined ? undefined : vscode.Uri.parse(uri);
	const all = place ? ([[place, vscode.languages.getDiagnostics(place)]] as const) : vscode.languages.getDiagnostics();
	const found = all.flatMap(([file, diagnostics]) =>
		diagnostics
			.filter(({ range }) => lines === undefined || (range.start.line <= lines.last && range.end.line >= lines.first))
			.map(diagnostic => ({ file, diagnostic })),
	);
	// Errors come before warnings, and warnings before the rest.
	found.sort((one, other) => one.diagnostic.severity - other.diagnostic.severity);
	const shown = found.slice(0, MAXIMUM_PROBLEMS);
	if (shown.length === 0) {
		throw new UserFacingError(
			place
				? vscode.l10n.t('{0} has no problems now.', nameOf(place))
				: vscode.l10n.t('There are no problems in the Problems view now.'),
		);
	}
	const count = found.length === 1 ? vscode.l10n.t('1 problem') : vscode.l10n.t('{0} problems', found.length);
	const more = found.length > shown.length ? `\n(${found.length - shown.length} more)` : '';
	return {
		attachment: {
			kind: 'problems',
			label: place ? `${nameOf(place)} · ${count}` : count,
			text: shown.map(({ file, diagnostic }) => problemLine(file, diagnostic)).join('\n') + more,
			...defined({ uri, path: place && pathOf(place) }),
		},
		findings: [],
	};
}

const SEVERITIES = ['error', 'warning', 'information', 'hint'];

function problemLine(file: vscode.Uri, { range, severity, message, source, code }: vscode.Diagnostic): string {
	const origin = [source, typeof code === 'object' ? code.value : code].filter(part => part !== undefined).join(' ');
	const place = `${pathOf(file)}:${range.start.line + 1}:${range.start.character + 1}`;
	return `${place} ${SEVERITIES[severity]}: ${message}${origin === '' ? '' : ` (${origin})`}`;
}

async function readDiff({ uri }: Extract<ContextSource, { kind: 'diff' }>): Promise<ReadContext> {
	const place = vscode.Uri.parse(uri);
	const repository = await repositoryOf(place);
	if (!repository) {
		throw new UserFacingError(vscode.l10n.t('{0} isn’t an open Git repository.', nameOf(place)));
	}
	const { diff, added, filtered } = await readUncommitted(repository.git, repository.root.fsPath).catch(error => {
		throw gitFailure(error, vscode.l10n.t('Git couldn’t show the changes of {0}. Try again.', nameOf(place)));
	});
	const files = (diff.match(/^diff --git /gm)?.length ?? 0) + added.length + filtered.length;
	if (files === 0) {
		throw new UserFacingError(vscode.l10n.t('{0} has no uncommitted changes.', nameOf(place)));
	}
	const count = files === 1 ? vscode.l10n.t('1 changed file') : vscode.l10n.t('{0} changed files', files);
	const text =
		list('Not in git yet:', added) +
		list('Kept in git through a filter, so what has changed in them is not shown:', filtered) +
		diff;
	return {
		attachment: { kind: 'diff', label: count, text, uri, path: nameOf(place), language: 'diff' },
		findings: [],
	};
}

function list(heading: string, names: readonly string[]): string {
	return names.length === 0 ? '' : `${heading}\n${names.join('\n')}\n\n`;
}

async function openDocument(place: vscode.Uri): Promise<vscode.TextDocument> {
	try {
		return await vscode.workspace.openTextDocument(place);
	} catch (error) {
		throw notReadable(nameOf(place), error);
	}
}

function notReadable(name: string, cause: unknown): UserFacingError {
	return new UserFacingError(vscode.l10n.t('Couldn’t read {0}. It may have been moved or deleted.', name), { cause });
}

async function findingsOf(place: vscode.Uri, kind: 'file' | 'folder' = 'file'): Promise<SourceWarning[]> {
	if (place.scheme === 'untitled') {
		return [];
	}
	const exclusion = await exclusionOf(place, kind);
	const { isElsewhere, path } = await followLinks(place);
	return [
		...(isElsewhere ? [{ kind: 'elsewhere' as const }] : []),
		...(isSecretName(place.path) || isSecretName(path) ? [{ kind: 'name' as const }] : []),
		...(exclusion === undefined ? [] : [{ kind: exclusion }]),
	];
}
