import * as vscode from 'vscode';
import { UserFacingError } from '../base/errors.ts';
import type { ReadText, SubjectMaterial } from './decisionsDependencies.ts';
import { fileProblemText, lintFindingText } from './messages.ts';
import { readDecisionFile } from './model/decisionFile.ts';
import { nearestPlace, placesOf } from './model/jsonPlaces.ts';
import { type LintFinding, lintDecision } from './model/lint.ts';
import type { StatePart } from './model/sending.ts';
import { SourceReader } from './sourceReader.ts';
import { onlyReply, type Subject } from './subject.ts';

/** The findings that make a file mean something else than it says. The others are advice. */
const ERRORS: ReadonlySet<LintFinding['kind']> = new Set(['no-state', 'same-name', 'reserved-name']);

/** Returns whether a finding keeps a file from being evaluated. */
export const isError = ({ kind }: LintFinding): boolean => ERRORS.has(kind);

/** A decision file, read as the editor shows it, with changes that are not saved. */
export function fileSubject(uri: vscode.Uri, material: SubjectMaterial): Subject {
	return {
		key: uri.toString(),
		title: uri.path.slice(uri.path.lastIndexOf('/') + 1),
		async prepare(signal) {
			const document = await vscode.workspace.openTextDocument(uri);
			const text = document.getText();
			const read = readDecisionFile(text);
			if ('problem' in read) {
				const { problem } = read;
				if (problem.kind === 'invalid') {
					reveal(document, nearestPlace(placesOf(text), problem.path).start);
				}
				throw new UserFacingError(fileProblemText(problem));
			}
			// The linter sees the text as it is: reading it has dropped names that cannot be.
			const value: unknown = JSON.parse(text);
			const finding = lintDecision(value).find(isError);
			if (finding) {
				reveal(document, nearestPlace(placesOf(text), finding.path).start);
				throw new UserFacingError(lintFindingText(finding));
			}
			const { file } = read;
			const target = await material.active();
			const own = (value as { state?: Record<string, unknown> }).state ?? {};
			const reader = new SourceReader(uri, material, signal);
			const parts: StatePart[] = [];
			const warnings: string[] = [];
			if (file.state !== undefined) {
				const written = await material.readContext({
					kind: 'text',
					label: vscode.l10n.t('written in the file'),
					text: JSON.stringify(own, undefined, 2),
				});
				parts.push(partOf('state', written));
				warnings.push(...written.warnings);
			}
			const texts: Record<string, string> = {};
			for (const [name, source] of Object.entries(file.sources ?? {})) {
				const read = await reader.read(source);
				if (!read || signal.aborted) {
					return undefined;
				}
				texts[name] = read.text;
				parts.push(partOf(`state.${name}`, read));
				warnings.push(...read.warnings.map(warning => `${read.label}: ${warning}`));
			}
			const { questions } = file;
			return {
				target,
				requests: [{ state: { ...own, ...texts }, questions }],
				questions,
				model: file.model,
				parts,
				warnings,
				combine: onlyReply,
			};
		},
	};
}

const partOf = (name: string, { label, text }: ReadText): StatePart => ({ name, label, characters: text.length });

/** Moves the cursor of an editor that shows the file to what has to be corrected. */
function reveal(document: vscode.TextDocument, offset: number): void {
	const at = document.positionAt(offset);
	for (const editor of vscode.window.visibleTextEditors.filter(shown => shown.document === document)) {
		editor.selection = new vscode.Selection(at, at);
		editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
	}
}
